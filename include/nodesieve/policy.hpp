#pragma once

#include <nodesieve/error.hpp>
#include <nodesieve/mib_text.hpp>
#include <nodesieve/pod_requirement.hpp>
#include <nodesieve/verdicts.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace nodesieve {

/// Which of the nodes that fit is better.
enum class score_preference : std::uint8_t {
    most,   ///< the one with the most memory
    least,  ///< the one with the least, so that large GPUs stay free for those who need them
};

/// The names that the policy goes by, and its scale. The defaults are the reference's.
struct policy_config {
    std::string min_memory_annotation = "training.example.com/min-gpu-memory-mib";
    /// At least one; the first label that a node has decides.
    std::vector<std::string> node_memory_labels = {"training.example.com/gpu-memory-mib"};
    std::string gpu_resource = "nvidia.com/gpu";
    /// The memory that scores 100, in 1..max_memory_mib.
    std::int32_t score_ceiling_mib = 80 * 1024;
    score_preference prefer = score_preference::most;
};

/// The GPU-memory policy: a Pod's annotation against a node's label. Immutable, so any number of
/// threads may ask it. It checks declared memory only: GPU counts, taints and the like stay with
/// kube-scheduler.
class policy {
  public:
    /// Precondition: config.node_memory_labels is not empty, config.score_ceiling_mib is in range.
    explicit policy(policy_config config);

    [[nodiscard]] policy_config const& config() const noexcept { return config_; }

    /// What a Pod requires; `pod` may be null (errc::missing_pod). Writes to `requirement` on
    /// success only. errc::invalid_minimum comes before errc::minimum_without_gpu.
    [[nodiscard]] static errc requirement_of(pod_facts const* pod,
                                             pod_requirement& requirement) noexcept;

    /// Whether judge() can refuse any node: if not, there is no need to ask it.
    [[nodiscard]] static bool filters(pod_requirement const& requirement) noexcept {
        return requirement.min_memory_mib != 0;
    }

    /// Whether a node fits whose memory label reads `memory_mib`, 0 for none or an invalid one.
    [[nodiscard]] static verdict judge(pod_requirement const& requirement,
                                       std::int32_t memory_mib) noexcept {
        if (!filters(requirement)) return verdict::fits;
        if (memory_mib == 0) return verdict::invalid_label;
        return memory_mib < requirement.min_memory_mib ? verdict::below_minimum : verdict::fits;
    }

    /// Whether score() can be other than 0: if not, there is no need to ask it.
    [[nodiscard]] static bool scores(pod_requirement const& requirement) noexcept {
        return requirement.has_gpu;
    }

    /// 0 to 100, the scale of the scheduler framework: 0 for a Pod without GPU and for a node
    /// without a valid label (memory_mib 0).
    [[nodiscard]] std::int32_t score(pod_requirement const& requirement,
                                     std::int32_t memory_mib) const noexcept;

    /// 0 to 10, the scale of extenders: score() / 10, rounded down.
    [[nodiscard]] std::int32_t extender_score(pod_requirement const& requirement,
                                              std::int32_t memory_mib) const noexcept {
        return score(requirement, memory_mib) / 10;
    }

  private:
    policy_config config_;
};

}  // namespace nodesieve
