#include <nodesieve/verdicts.hpp>

namespace nodesieve {

std::string_view reason(verdict v) noexcept {
    switch (v) {
        case verdict::fits:
        case verdict::invalid_pod: break;
        case verdict::invalid_label: return "missing or invalid administrator GPU-memory label";
        case verdict::below_minimum: return "GPU memory label is below the required minimum";
        case verdict::unknown_node: return "node is not in the extender's cache yet";
    }
    return {};
}

std::string_view slug(verdict v) noexcept {
    switch (v) {
        case verdict::fits: return "fits";
        case verdict::invalid_label: return "invalid_label";
        case verdict::below_minimum: return "below_minimum";
        case verdict::invalid_pod: return "invalid_pod";
        case verdict::unknown_node: return "unknown_node";
    }
    return {};
}

}  // namespace nodesieve
