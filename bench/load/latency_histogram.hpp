#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace nodesieve::bench {

/// Counts durations in buckets that grow with the value, so that every percentile is known to
/// within 0.2 % (1 ns below 512 ns) in constant memory, 70 KB, however many come:
///
///     0 1 2 … 511 | 512 514 … 1022 | 1024 1028 … 2044 | 2048 …
///        width 1       width 2            width 4
///
/// each power of two is cut into 256. Smallest, largest and sum are kept exactly.
///
/// Not thread-safe: one for each thread, merged at the end.
class latency_histogram {
  public:
    using duration = std::chrono::nanoseconds;

    /// What is longer (73 minutes) counts as this long.
    static constexpr duration longest{(std::int64_t{1} << 42) - 1};

    latency_histogram();

    /// Negative durations count as 0. O(1), never allocates.
    void record(duration latency) noexcept;

    /// As if what `other` recorded had been recorded here.
    void merge(latency_histogram const& other) noexcept;

    [[nodiscard]] std::uint64_t count() const noexcept { return count_; }
    /// The extremes and the mean; 0 when there is nothing.
    [[nodiscard]] duration min() const noexcept { return count_ == 0 ? duration{} : min_; }
    [[nodiscard]] duration max() const noexcept { return max_; }
    [[nodiscard]] duration mean() const noexcept;

    /// The smallest duration that at least `percent` of all do not exceed: the middle of its
    /// bucket, but never outside min()..max(). 0 when there is nothing.
    /// Precondition: 0 <= percent <= 100. Linear in the number of buckets (9,000).
    [[nodiscard]] duration percentile(double percent) const noexcept;

  private:
    static std::size_t bucket_of(std::uint64_t value) noexcept;
    static std::uint64_t middle_of(std::size_t bucket) noexcept;

    std::vector<std::uint64_t> counts_;
    std::uint64_t count_ = 0;
    duration min_ = longest;
    duration max_{};
    double sum_ = 0;  // in ns
};

}  // namespace nodesieve::bench
