#include <nodesieve/policy.hpp>

#include <algorithm>
#include <cassert>

namespace nodesieve {

policy::policy(policy_config config) : config_(std::move(config)) {
    assert(!config_.node_memory_labels.empty());
    assert(config_.score_ceiling_mib >= 1 && config_.score_ceiling_mib <= max_memory_mib);
}

errc policy::requirement_of(pod_facts const* pod, pod_requirement& requirement) noexcept {
    if (pod == nullptr) return errc::missing_pod;
    if (pod->minimum_mib == 0) return errc::invalid_minimum;
    if (pod->minimum_mib && !pod->has_gpu) return errc::minimum_without_gpu;
    requirement = {pod->has_gpu, pod->minimum_mib.value_or(0)};
    return errc::success;
}

std::int32_t policy::score(pod_requirement const& requirement,
                           std::int32_t memory_mib) const noexcept {
    if (!scores(requirement) || memory_mib == 0) return 0;
    const auto most = std::min(100, memory_mib * 100 / config_.score_ceiling_mib);
    return config_.prefer == score_preference::most ? most : 100 - most;
}

}  // namespace nodesieve
