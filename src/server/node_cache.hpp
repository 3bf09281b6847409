#pragma once

#include <nodesieve/node_index.hpp>
#include <nodesieve/request_pipeline.hpp>

#include <chrono>
#include <cstddef>
#include <mutex>
#include <optional>

namespace nodesieve::server {

/// The nodes that the API server has told of, and when it was last heard: written by the watch,
/// read by every request. Thread-safe.
class node_cache {
  public:
    using clock = std::chrono::steady_clock;

    /// What is older than `max_age` is not judged by.
    explicit node_cache(std::chrono::milliseconds max_age) : max_age_(max_age) {}

    /// A complete state, heard of at `now`.
    void publish(node_index nodes, clock::time_point now = clock::now());
    /// Nothing has changed, but the API server was heard at `now`, as by a bookmark.
    void heard(clock::time_point now = clock::now());

    /// What requests are judged by at `now`: not_ready before the first state and over the max age.
    [[nodiscard]] named_nodes nodes(clock::time_point now = clock::now()) const;

    /// Since the API server was last heard; empty before the first state.
    [[nodiscard]] std::optional<clock::duration> age(clock::time_point now = clock::now()) const;
    /// How many nodes there are.
    [[nodiscard]] std::size_t size() const;

  private:
    const std::chrono::milliseconds max_age_;
    mutable std::mutex mutex_;  // of what follows
    std::optional<node_index> index_;
    clock::time_point heard_;
};

}  // namespace nodesieve::server
