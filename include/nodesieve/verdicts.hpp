#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace nodesieve {

/// What the policy says of one node for one Pod.
enum class verdict : std::uint8_t {
    fits,
    invalid_label,  ///< no memory label, or one that is no integer in 1..1048576
    below_minimum,  ///< a memory label below the Pod's minimum
    invalid_pod,    ///< refused for the Pod's own fault (invalid_pod_answer::unschedulable)
    unknown_node,   ///< only named, and not in the node_index
};
inline constexpr std::size_t verdict_count = 5;

/// Why a node does not fit, as the Pod's events say it to users: word for word as the reference
/// implementation does, which never meets verdict::unknown_node. Empty for verdict::fits, and for
/// verdict::invalid_pod, whose reason is the Pod error's sentence().
[[nodiscard]] std::string_view reason(verdict) noexcept;

/// The same in snake_case, for metrics' labels and logs.
[[nodiscard]] std::string_view slug(verdict) noexcept;

/// How many nodes of a request met each verdict.
struct verdict_counts {
    std::array<std::uint32_t, verdict_count> nodes{};

    [[nodiscard]] std::uint32_t& operator[](verdict v) noexcept {
        return nodes[static_cast<std::size_t>(v)];
    }
    [[nodiscard]] std::uint32_t operator[](verdict v) const noexcept {
        return nodes[static_cast<std::size_t>(v)];
    }
};

}  // namespace nodesieve
