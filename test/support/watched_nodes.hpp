#pragma once

#include "api_server.hpp"
#include "temporary_directory.hpp"

#include "log.hpp"
#include "metrics.hpp"
#include "node_watch.hpp"

#include <nodesieve/node_index.hpp>
#include <nodesieve/policy.hpp>

#include <condition_variable>
#include <cstddef>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

namespace nodesieve::test {

/// Settings with which nothing takes long.
[[nodiscard]] server::node_watch_settings quick_watch_settings();

/// A node_watch and what it came to so far.
class watched_nodes {
  public:
    explicit watched_nodes(server::kube_config config,
                           server::node_watch_settings settings = quick_watch_settings());

    void stop() { watch_.stop(); }

    /// Waits until it holds of the last state, which must be there; false after 20 s.
    [[nodiscard]] bool wait_for(std::function<bool(node_index const&)> const& holds) const;
    /// Waits until the node has this memory.
    [[nodiscard]] bool wait_for_memory(std::string_view name, std::int32_t memory_mib) const;
    /// Waits until there are so many nodes.
    [[nodiscard]] bool wait_for_size(std::size_t nodes) const;
    /// Waits until a bookmark or an event without news was heard for the n-th time.
    [[nodiscard]] bool wait_for_heard(std::size_t count) const;

    [[nodiscard]] std::size_t published() const;
    /// What the log holds so far.
    [[nodiscard]] std::string log_text() const;
    /// The value of the line of /metrics that starts with `series` and a blank.
    [[nodiscard]] std::string metric(std::string_view series) const;

  private:
    mutable std::mutex mutex_;
    mutable std::condition_variable changed_;
    std::optional<node_index> nodes_;
    std::size_t published_ = 0;
    std::size_t heard_ = 0;

    temporary_directory directory_;
    int log_file_;
    server::log log_;
    server::metrics metrics_;
    const policy_config policy_;
    server::node_watch watch_;
};

}  // namespace nodesieve::test
