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
        case errc::too_many_nodes: return "lab candidate-node limit exceeded";
        case errc::bad_node_name: return "missing or duplicate node name";
        case errc::missing_pod: return "missing pod";
        case errc::invalid_minimum: return "minimum GPU memory must be 1..1048576 MiB";
        case errc::minimum_without_gpu: return "minimum GPU memory requires a positive GPU request";
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
        case errc::too_many_nodes: return "too_many_nodes";
        case errc::bad_node_name: return "bad_node_name";
        case errc::missing_pod: return "missing_pod";
        case errc::invalid_minimum: return "invalid_minimum";
        case errc::minimum_without_gpu: return "minimum_without_gpu";
    }
    return {};
}

}  // namespace nodesieve
