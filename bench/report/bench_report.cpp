#include "bench_report.hpp"

#include <algorithm>

#include "quantity_text.hpp"

namespace nodesieve::bench {

bool bench_report::all_right() const {
    bool const right = std::all_of(servers.begin(), servers.end(), [](server_report const& each) {
        return each.result.errors.count() == 0 && each.result.latency.count() != 0;
    });
    return right && (!compares() || !figures.empty());
}

std::vector<std::string> bench_report::warnings() const {
    std::vector<std::string> lines = notes;
    if (compares() && rounds < comparison_result::enough_rounds)
        lines.push_back("fewer than " + std::to_string(comparison_result::enough_rounds) +
                        " rounds: no figure to quote");
    for (comparison_figure const& each : figures)
        if (!each.figure.steady())
            lines.push_back("the ratio to " + each.other_url + " is not steady: spread " +
                            fixed_text(each.figure.spread_percent, 0) + " %, also when measured " +
                            "again");
    std::uint64_t smallest = UINT64_MAX, largest = 0;
    for (server_report const& each : servers) {
        if (each.result.latency.count() == 0) continue;
        smallest = std::min(smallest, each.result.smallest_reply);
        largest = std::max(largest, each.result.largest_reply);
    }
    if (largest > smallest)
        lines.push_back("reply sizes are not equal: from " + count_text(smallest) + " to " +
                        count_text(largest) + " bytes");
    return lines;
}

}  // namespace nodesieve::bench
