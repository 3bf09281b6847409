#pragma once

#include "log.hpp"
#include "watch_schedule.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace nodesieve::server {

/// What one list or watch came to.
struct watch_attempt {
    watch_outcome outcome = watch_outcome::done;
    std::string why;  ///< one line; empty for watch_outcome::done
    std::optional<std::chrono::seconds> retry_after = {};
    bool progressed = false;  ///< of a watch: it brought an event, or lasted for a second
};

/// Tells of a node watch what an operator should know: a line for each change between working and
/// not, and one every half minute while the same failure goes on. Not thread-safe.
class watch_log {
  public:
    using time_point = std::chrono::steady_clock::time_point;

    /// `logged` must outlive this object.
    explicit watch_log(log& logged) : log_(logged) {}

    void listed(std::size_t nodes, std::chrono::milliseconds took);
    /// A watch was accepted.
    void watching();
    /// A list or a watch, `what`, failed, and `next` follows.
    void failed(watch_step::kind what, watch_attempt const& attempt, watch_step const& next,
                time_point now);

  private:
    log& log_;
    bool watching_ = false;
    std::optional<watch_outcome> failure_;  // told last, since the watch worked
    time_point told_at_{};
    std::uint64_t suppressed_ = 0;
};

}  // namespace nodesieve::server
