#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <optional>

namespace nodesieve::bench {

/// When requests are to start. Each connection that is free claims the next one:
///
///     while (auto start = schedule.claim(clock::now())) {
///         wait until *start;      // at once when it is past
///         send, receive;          // latency: from *start, not from when it was sent
///     }
///
/// Closed loop: the next request starts when it is claimed. Open loop: requests arrive at a
/// constant rate whatever the server does; one that finds no free connection is claimed when there
/// is one, in order of arrival, and its waiting is part of its latency. So a server that stalls for
/// a second shows a second's worth of late requests, and not one (no "coordinated omission").
///
/// Knows no clock. Any number of threads may claim.
class request_schedule {
  public:
    using clock = std::chrono::steady_clock;
    using time_point = clock::time_point;

    /// What ends it: whichever comes first.
    struct bound {
        clock::duration duration;                 ///< no request starts this long after the start
        std::optional<std::uint64_t> count = {};  ///< no more requests than this
    };

    [[nodiscard]] static request_schedule closed_loop(time_point start, bound const& end);
    /// Precondition: `rate`, in requests a second, is positive.
    [[nodiscard]] static request_schedule open_loop(time_point start, bound const& end,
                                                    double rate);

    /// The intended start of the next request, which may be past or to come; nothing when all have
    /// been claimed.
    [[nodiscard]] std::optional<time_point> claim(time_point now);

    [[nodiscard]] time_point start() const noexcept { return start_; }

  private:
    request_schedule(time_point start, bound const& end, std::optional<double> rate)
        : start_(start), end_(end), rate_(rate) {}

    time_point start_;
    bound end_;
    std::optional<double> rate_;
    std::atomic<std::uint64_t> claimed_ = 0;
};

}  // namespace nodesieve::bench
