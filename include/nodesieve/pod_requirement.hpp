#pragma once

#include <nodesieve/quantity.hpp>

#include <cstdint>
#include <optional>

namespace nodesieve {

/// What the policy reads of a Pod.
struct pod_facts {
    bool has_gpu = false;  ///< the effective request for the GPU resource is positive
    /// The minimum-memory annotation: empty where there is none, 0 where it is no valid amount.
    std::optional<std::int32_t> minimum_mib;
};

/// What a Pod asks of a node, as far as the policy is concerned.
struct pod_requirement {
    bool has_gpu = false;
    std::int32_t min_memory_mib = 0;  ///< 0: no minimum

    friend bool operator==(pod_requirement const&, pod_requirement const&) = default;
};

/// Adds up a Pod's effective requests for one resource, as PodRequests of
/// k8s.io/component-helpers/resource/helpers.go (1.35.8) does: containers are summed; sidecars
/// (init containers with restartPolicy Always) are summed too; of the init containers, each with
/// the sidecars before it, the largest counts; the Pod's overhead is added.
///
/// An empty optional stands for a resource that the list does not name. That is not the same as
/// zero: the largest of "absent" and -1 is -1.
class pod_requests {
  public:
    void add_container(std::optional<quantity> const& request);
    /// In the order of spec.initContainers.
    void add_init_container(std::optional<quantity> const& request, bool is_sidecar);
    void set_overhead(std::optional<quantity> overhead) { overhead_ = std::move(overhead); }

    [[nodiscard]] std::optional<quantity> total() const;

  private:
    std::optional<quantity> containers_;  // the sidecars among them
    std::optional<quantity> sidecars_;
    /// sidecars_ minus the largest init container so far, where there is one. Kept instead of the
    /// latter, because it changes by what is added only: a Pod of many containers costs what its
    /// text does, not the square of it.
    std::optional<quantity> above_largest_;
    std::optional<quantity> overhead_;
};

}  // namespace nodesieve
