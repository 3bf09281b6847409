#pragma once

#include "node_cache.hpp"

#include <atomic>
#include <chrono>

namespace nodesieve::server {

/// When a filter reply in which no named node fits is held back for a moment, in case the index is
/// about to move. A new label reaches kube-scheduler and nodesieve on two watches; if
/// kube-scheduler tries the Pod again before nodesieve knows, the Pod is refused and then waits for
/// another event of the cluster, which can be minutes.
///
/// Not for every such reply, because kube-scheduler does one Pod at a time: Pods that fit nowhere
/// must not slow it down. One hold sees what came before it for all that follow. Thread-safe.
class second_look {
  public:
    using clock = node_cache::clock;

    static constexpr std::chrono::milliseconds interval{500};
    /// How often the index is looked at.
    static constexpr std::chrono::milliseconds step{2};

    /// Whether to hold a reply now; then not again within the interval.
    [[nodiscard]] bool admit(clock::time_point now) noexcept {
        auto last = last_.load(std::memory_order_relaxed);
        return now - last >= interval &&
               last_.compare_exchange_strong(last, now, std::memory_order_relaxed);
    }

  private:
    std::atomic<clock::time_point> last_ = clock::time_point{} - interval;
};

}  // namespace nodesieve::server
