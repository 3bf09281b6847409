#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace nodesieve::test {

/// A valid ExtenderArgs body as no scheduler would write it, and what is right for it: odd white
/// space, order and letter case of keys, escapes, repeated keys, and fields that nobody reads. The
/// expectation comes from the choices of the maker, not from reading the body.
struct odd_args {
    std::string body;
    std::vector<std::string> passing;                         ///< the nodes' own text
    std::vector<std::pair<std::string, std::string>> failed;  ///< name, reason
    std::vector<std::pair<std::string, int>> scores;          ///< name, 0 to 10

    [[nodiscard]] std::string filter_reply() const;
    [[nodiscard]] std::string prioritize_reply() const;
};

/// The same for the same seed.
[[nodiscard]] odd_args make_odd_args(std::uint64_t seed);

}  // namespace nodesieve::test
