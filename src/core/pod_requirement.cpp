#include <nodesieve/pod_requirement.hpp>

namespace nodesieve {
namespace {

void add(std::optional<quantity>& sum, std::optional<quantity> const& request) {
    if (!request) return;
    if (sum)
        *sum += *request;
    else
        sum = request;
}

}  // namespace

void pod_requests::add_container(std::optional<quantity> const& request) {
    add(containers_, request);
}

void pod_requests::add_init_container(std::optional<quantity> const& request, bool is_sidecar) {
    if (is_sidecar) {
        add(containers_, request);
        add(sidecars_, request);
        if (request && above_largest_) *above_largest_ += *request;
    }
    if (!request && !sidecars_) return;
    // While it runs it needs the sidecars so far, and itself if it is none of them.
    const auto itself = is_sidecar || !request ? quantity{} : *request;
    if (!above_largest_) {
        above_largest_ = quantity{} - itself;
        return;
    }
    *above_largest_ += itself;
    if (above_largest_->sign() > 0)
        above_largest_ = quantity{} - itself;
    else
        *above_largest_ -= itself;
}

std::optional<quantity> pod_requests::total() const {
    auto sum = containers_;
    if (above_largest_) {
        const auto largest = sidecars_.value_or(quantity{}) - *above_largest_;
        if (!sum || largest > *sum) sum = largest;
    }
    add(sum, overhead_);
    return sum;
}

}  // namespace nodesieve
