#pragma once

#include <cstddef>
#include <cstdint>

namespace nodesieve {

/// What one request may cost. The defaults are for clusters of 5,000 to 15,000 nodes: a real Node
/// has 5 to 20 KB on the wire.
struct limits {
    std::uint64_t max_body_bytes = 320ULL * 1024 * 1024;
    std::uint32_t max_nodes = 15'000;

    /// Nesting of arrays and objects. A real Node reaches 9, within ExtenderArgs 12. Boost.JSON's
    /// basic_parser resumes in time proportional to the depth, so the depth is no option.
    static constexpr std::size_t max_depth = 256;
};

}  // namespace nodesieve
