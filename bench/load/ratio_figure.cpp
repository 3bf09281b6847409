#include "ratio_figure.hpp"

#include <algorithm>
#include <cassert>
#include <cstddef>

namespace nodesieve::bench {

double median(std::vector<double> values) {
    assert(!values.empty());
    std::sort(values.begin(), values.end());
    std::size_t const half = values.size() / 2;
    return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

ratio_figure ratio_figure::of(std::vector<double> const& times,
                              std::vector<double> const& other_times) {
    assert(!times.empty() && times.size() == other_times.size());
    ratio_figure figure;
    for (std::size_t i = 0; i != times.size(); ++i)
        figure.rounds.push_back(times[i] / other_times[i]);
    figure.ratio = median(figure.rounds);
    auto const [smallest, largest] =
        std::minmax_element(figure.rounds.begin(), figure.rounds.end());
    figure.spread_percent = (*largest - *smallest) / figure.ratio * 100;
    return figure;
}

}  // namespace nodesieve::bench
