#include "comparison.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

namespace nodesieve::bench {

namespace {

using telling = std::function<void()>;

std::vector<double> in_seconds(std::vector<std::chrono::nanoseconds> const& times) {
    std::vector<double> seconds;
    for (auto const time : times) seconds.push_back(std::chrono::duration<double>(time).count());
    return seconds;
}

comparison_result run_rounds(std::vector<contestant> const& contestants, std::size_t rounds,
                             telling const& turn_done) {
    comparison_result result;
    for (contestant const& each : contestants) result.servers.push_back({each.url, {}, {}});
    for (std::size_t round = 0; round != rounds; ++round) {
        for (std::size_t i = 0; i != contestants.size(); ++i) {
            load_result const turn = contestants[i].take_turn();
            compared_server& server = result.servers[i];
            server.result.merge_later(turn);
            if (turn.latency.count() == 0) return result;
            server.round_p50s.push_back(turn.latency.percentile(50));
            turn_done();
        }
    }
    auto const first = in_seconds(result.servers.front().round_p50s);
    for (std::size_t i = 1; i != contestants.size(); ++i)
        result.figures.push_back(
            {contestants[i].url,
             ratio_figure::of(first, in_seconds(result.servers[i].round_p50s))});
    return result;
}

bool all_steady(comparison_result const& result) {
    return std::all_of(result.figures.begin(), result.figures.end(),
                       [](comparison_figure const& each) { return each.figure.steady(); });
}

}  // namespace

comparison_result compare(std::vector<contestant> const& contestants, std::size_t rounds,
                          std::function<void(std::size_t, std::size_t)> const& tell) {
    assert(contestants.size() >= 2 && rounds >= 1);
    std::size_t done = 0;
    std::size_t all = rounds * contestants.size();
    telling const turn_done = [&] {
        ++done;
        if (tell) tell(done, all);
    };
    comparison_result first = run_rounds(contestants, rounds, turn_done);
    if (all_steady(first)) return first;

    all *= 2;
    comparison_result second = run_rounds(contestants, rounds, turn_done);
    for (std::size_t i = 0; i != second.servers.size(); ++i)
        second.servers[i].result.errors.merge(first.servers[i].result.errors);
    for (std::size_t i = 0; i != second.figures.size(); ++i)
        second.figures[i].first_try = std::move(first.figures[i].figure);
    return second;
}

}  // namespace nodesieve::bench
