#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace nodesieve {

/// Why a request is refused. The order is the order of precedence: of several faults in one body
/// the first of this list is reported, however the body was cut into pieces.
enum class errc : std::uint8_t {
    success = 0,
    malformed_request,  ///< not JSON, a wrong type in a field that is read, or a repeated object
    body_too_large,     ///< a byte beyond limits::max_body_bytes
    trailing_data,      ///< something other than white space behind the ExtenderArgs object
    pod_and_nodes_required,    ///< Pod or Nodes is absent or null, or NodeNames is given
    pod_and_victims_required,  ///< the same for preempt
    node_cache_off,            ///< preempt without what it is judged by
    too_many_nodes,            ///< more nodes than limits::max_nodes
    bad_node_name,             ///< a node without a name, or two of the same name
    missing_pod,               ///< no Pod: only callers of policy::requirement_of can meet it
    invalid_minimum,           ///< the minimum-memory annotation is not an integer in 1..1048576
    minimum_without_gpu,       ///< a minimum is asked for by a Pod that requests no GPU
    node_cache_not_ready,  ///< nodes are only named, and what is known of them is nothing or too
                           ///< old
};

/// The sentence of the answer, without a line end: word for word that of the reference
/// implementation, where it has one. Empty for errc::success.
[[nodiscard]] std::string_view sentence(errc) noexcept;

/// The same in snake_case, for metrics' labels and logs: a fixed set, one word an errc.
[[nodiscard]] std::string_view slug(errc) noexcept;

/// True for the faults of a Pod rather than of the request that carries it.
[[nodiscard]] constexpr bool is_pod_error(errc e) noexcept {
    return e == errc::missing_pod || e == errc::invalid_minimum || e == errc::minimum_without_gpu;
}

/// A refusal with what a person needs to mend it.
struct diagnostics {
    errc code = errc::success;
    /// What was seen, what was expected and what to change, in one line without a line end. Holds
    /// sizes, counts, types, offsets, names of fields and of flags, never text of the request.
    std::string detail;
};

}  // namespace nodesieve
