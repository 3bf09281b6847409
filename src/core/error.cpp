#include <nodesieve/error.hpp>

namespace nodesieve {

std::string_view sentence(errc e) noexcept {
    switch (e) {
        case errc::success: break;
        case errc::malformed_request:
        case errc::body_too_large: return "invalid or oversized extender request";
        case errc::trailing_data: return "expected exactly one JSON object";
        case errc::pod_and_nodes_required:
            return "Pod and Nodes required; nodeCacheCapable must be false";
        case errc::pod_and_victims_required:
            return "Pod and either NodeNameToVictims or NodeNameToMetaVictims required";
        case errc::node_cache_off: return "preempt needs the extender's node cache";
        case errc::too_many_nodes: return "lab candidate-node limit exceeded";
        case errc::bad_node_name: return "missing or duplicate node name";
        case errc::missing_pod: return "missing pod";
        case errc::invalid_minimum: return "minimum GPU memory must be 1..1048576 MiB";
        case errc::minimum_without_gpu: return "minimum GPU memory requires a positive GPU request";
        case errc::node_cache_not_ready: return "the extender's node cache is not ready";
    }
    return {};
}

std::string_view slug(errc e) noexcept {
    switch (e) {
        case errc::success: return "success";
        case errc::malformed_request: return "malformed_request";
        case errc::body_too_large: return "body_too_large";
        case errc::trailing_data: return "trailing_data";
        case errc::pod_and_nodes_required: return "pod_and_nodes_required";
        case errc::pod_and_victims_required: return "pod_and_victims_required";
        case errc::node_cache_off: return "node_cache_off";
        case errc::too_many_nodes: return "too_many_nodes";
        case errc::bad_node_name: return "bad_node_name";
        case errc::missing_pod: return "missing_pod";
        case errc::invalid_minimum: return "invalid_minimum";
        case errc::minimum_without_gpu: return "minimum_without_gpu";
        case errc::node_cache_not_ready: return "node_cache_not_ready";
    }
    return {};
}

}  // namespace nodesieve
