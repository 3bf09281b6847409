#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "generator.hpp"

// What the tests of the generator and of the checks share.
namespace nodesieve::bench {

constexpr int min_mib = 40960;

inline generator const& real_nodes() {
    static generator const made({.folder = BENCH_TEMPLATES});
    return made;
}

inline generated_args some_args(std::size_t nodes = 60) {
    return real_nodes().generate({.nodes = nodes, .seed = 7, .min_mib = min_mib});
}

inline bool contains(std::string_view text, std::string_view part) {
    return text.find(part) != text.npos;
}

}  // namespace nodesieve::bench
