#include "request_schedule.hpp"

#include <cassert>

namespace nodesieve::bench {

request_schedule request_schedule::closed_loop(time_point start, bound const& end) {
    return {start, end, std::nullopt};
}

request_schedule request_schedule::open_loop(time_point start, bound const& end, double rate) {
    assert(rate > 0);
    return {start, end, rate};
}

std::optional<request_schedule::time_point> request_schedule::claim(time_point now) {
    if (!rate_ && now >= start_ + end_.duration) return std::nullopt;
    std::uint64_t const index = claimed_.fetch_add(1, std::memory_order_relaxed);
    if (end_.count && index >= *end_.count) return std::nullopt;
    if (!rate_) return now;
    std::chrono::duration<double> const after(static_cast<double>(index) / *rate_);
    if (after >= end_.duration) return std::nullopt;
    return start_ + std::chrono::duration_cast<clock::duration>(after);
}

}  // namespace nodesieve::bench
