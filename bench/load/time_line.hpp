#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "latency_histogram.hpp"

namespace nodesieve::bench {

/// What happened when: answers and errors by the time they came, in equal slots from the start of
/// a run. There are never more than `most_slots`: when the run outgrows them, neighbours are merged
/// and the slots become twice as wide.
///
/// Not thread-safe: one for each thread, merged at the end.
class time_line {
  public:
    using duration = std::chrono::nanoseconds;

    struct slot {
        latency_histogram latency;
        std::uint64_t errors = 0;

        void merge(slot const& other);
    };

    static constexpr std::size_t most_slots = 120;
    static constexpr duration narrowest = std::chrono::milliseconds(10);

    /// `when` counts from the start of the run; before it counts as at it.
    void record(duration when, duration latency) { slot_at(when).latency.record(latency); }
    void record_error(duration when) { ++slot_at(when).errors; }

    /// As if what `other` recorded had been recorded here.
    void merge(time_line other);

    /// Merges each two neighbours: half as many slots, twice as wide.
    void widen();

    [[nodiscard]] duration slot_width() const noexcept { return width_; }
    /// From the start of the run to the last record.
    [[nodiscard]] std::vector<slot> const& slots() const noexcept { return slots_; }

  private:
    slot& slot_at(duration when);

    duration width_ = narrowest;
    std::vector<slot> slots_;
};

}  // namespace nodesieve::bench
