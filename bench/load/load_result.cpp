#include "load_result.hpp"

#include <algorithm>

namespace nodesieve::bench {

void load_result::record_answer(std::chrono::nanoseconds when, std::chrono::nanoseconds took,
                                std::uint64_t sent, std::uint64_t received, std::uint64_t reply) {
    smallest_reply = latency.count() == 0 ? reply : std::min(smallest_reply, reply);
    largest_reply = std::max(largest_reply, reply);
    latency.record(took);
    over_time.record(when, took);
    bytes_out += sent;
    bytes_in += received;
    elapsed = std::max(elapsed, when);
}

void load_result::record_error(std::chrono::nanoseconds when, request_error const& error) {
    errors.add(error);
    over_time.record_error(when);
    elapsed = std::max(elapsed, when);
}

void load_result::merge_concurrent(load_result const& other) {
    merge_counts(other);
    over_time.merge(other.over_time);
    elapsed = std::max(elapsed, other.elapsed);
}

void load_result::merge_later(load_result const& other) {
    merge_counts(other);
    elapsed += other.elapsed;
}

double load_result::rate_of(std::uint64_t amount) const {
    double const seconds = std::chrono::duration<double>(elapsed).count();
    return seconds > 0 ? static_cast<double>(amount) / seconds : 0;
}

void load_result::merge_counts(load_result const& other) {
    if (other.latency.count() != 0) {
        smallest_reply = latency.count() == 0 ? other.smallest_reply
                                              : std::min(smallest_reply, other.smallest_reply);
        largest_reply = std::max(largest_reply, other.largest_reply);
    }
    latency.merge(other.latency);
    errors.merge(other.errors);
    bytes_out += other.bytes_out;
    bytes_in += other.bytes_in;
}

}  // namespace nodesieve::bench
