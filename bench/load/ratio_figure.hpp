#pragma once

#include <vector>

namespace nodesieve::bench {

/// The middle of the values, or the mean of the two in the middle. Precondition: there are some.
[[nodiscard]] double median(std::vector<double> values);

/// How many times as long one server took as another, from rounds in which both were called.
struct ratio_figure {
    /// A figure that varies by more says little.
    static constexpr double steady_percent = 20;

    double ratio = 0;           ///< median of the rounds' ratios
    double spread_percent = 0;  ///< (largest - smallest) / median of the rounds' ratios
    std::vector<double> rounds;

    [[nodiscard]] bool steady() const noexcept { return spread_percent <= steady_percent; }

    /// From the times of the one and of the other, round by round. Preconditions: as many of each,
    /// at least one, all positive.
    [[nodiscard]] static ratio_figure of(std::vector<double> const& times,
                                         std::vector<double> const& other_times);
};

}  // namespace nodesieve::bench
