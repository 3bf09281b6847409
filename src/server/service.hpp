#pragma once

#include "event_loops.hpp"
#include "log.hpp"
#include "metrics.hpp"
#include "node_cache.hpp"
#include "options.hpp"
#include "second_look.hpp"

#include <nodesieve/policy.hpp>

#include <boost/asio/any_io_executor.hpp>

#include <atomic>
#include <cstddef>
#include <functional>
#include <list>
#include <mutex>
#include <optional>

namespace nodesieve::server {

/// The connections that are open, so that a shutdown can wake those that wait for a next request.
/// Thread-safe.
class connection_registry {
  public:
    struct entry {
        boost::asio::any_io_executor executor;  ///< of the connection
        std::function<void()> wake;             ///< called on it
    };
    using handle = std::list<entry>::iterator;

    handle add(entry e);
    void remove(handle h);
    void wake_all();
    [[nodiscard]] std::size_t size() const;

  private:
    mutable std::mutex mutex_;
    std::list<entry> entries_;
};

/// What all connections share. Outlives them.
struct service {
    service(options const& chosen, event_loops& running, server::metrics& measured,
            server::log& logged)
        : settings(chosen), rules(chosen.policy), loops(running), metrics(measured), log(logged) {
        if (settings.node_cache == node_cache_mode::watch)
            node_cache.emplace(settings.node_cache_max_age);
    }

    options const& settings;
    const policy rules;
    event_loops& loops;
    server::metrics& metrics;
    server::log& log;
    std::optional<server::node_cache> node_cache;  ///< where requests may name nodes only
    server::second_look second_look;
    connection_registry connections;
    std::atomic<bool> draining = false;  ///< set once, before connections.wake_all()
    /// Lines that a peer can cause at will.
    log_throttle refusals{50};
    log_throttle failed_handshakes{5};
    log_throttle accept_errors{1};
};

}  // namespace nodesieve::server
