#pragma once

#include <chrono>
#include <cstdint>

#include "error_tally.hpp"
#include "latency_histogram.hpp"
#include "time_line.hpp"

namespace nodesieve::bench {

/// What came of a load. Only right answers have a latency.
struct load_result {
    latency_histogram latency;
    time_line over_time;
    error_tally errors;
    std::uint64_t bytes_out = 0;       ///< of HTTP, sent for right answers
    std::uint64_t bytes_in = 0;        ///< of HTTP, right answers
    std::uint64_t smallest_reply = 0;  ///< body of a right answer; 0 when there is none
    std::uint64_t largest_reply = 0;
    std::chrono::nanoseconds elapsed{};  ///< from the start to the last answer or error

    void record_answer(std::chrono::nanoseconds when, std::chrono::nanoseconds took,
                       std::uint64_t sent, std::uint64_t received, std::uint64_t reply);
    void record_error(std::chrono::nanoseconds when, request_error const& error);

    /// Of a load that ran at the same time: the longer of the two counts as elapsed.
    void merge_concurrent(load_result const& other);
    /// Of a load that ran at another time: the times add up, and the time line is left alone.
    void merge_later(load_result const& other);

    /// Of `amount`, such as count(), in a second.
    [[nodiscard]] double rate_of(std::uint64_t amount) const;

  private:
    void merge_counts(load_result const& other);
};

}  // namespace nodesieve::bench
