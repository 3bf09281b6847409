#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "load_result.hpp"
#include "ratio_figure.hpp"

namespace nodesieve::bench {

/// What a comparison calls in turn.
struct contestant {
    std::string url;
    std::function<load_result()> take_turn;  ///< some requests, to their end
};

struct compared_server {
    std::string url;
    load_result result;                                ///< of all rounds
    std::vector<std::chrono::nanoseconds> round_p50s;  ///< in the order of the rounds
};

/// How many times as long the first server took as another.
struct comparison_figure {
    std::string other_url;
    ratio_figure figure;                         ///< what counts
    std::optional<ratio_figure> first_try = {};  ///< when the rounds were run again
};

struct comparison_result {
    std::vector<compared_server> servers;    ///< of the rounds that count, but errors of all
    std::vector<comparison_figure> figures;  ///< empty when a turn had no right answer

    /// Fewer rounds make a number, but not a figure to quote.
    static constexpr std::size_t enough_rounds = 10;
};

/// Calls the contestants in turn, A B C A B C …, so that what the machine does meanwhile hits all
/// of them, and forms the ratio of the first one's median latency to each other's in every round.
/// When a figure is not steady all rounds are run once more, and those count. Stops behind a turn
/// that had no right answer.
///
/// `tell`, if given, is called behind each turn with the turns that are done and the turns in all,
/// which grow when rounds are run again. Preconditions: at least two contestants and one round.
[[nodiscard]] comparison_result compare(
    std::vector<contestant> const& contestants, std::size_t rounds,
    std::function<void(std::size_t done, std::size_t all)> const& tell = {});

}  // namespace nodesieve::bench
