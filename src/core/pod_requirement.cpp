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

void raise(std::optional<quantity>& largest, std::optional<quantity> const& request) {
    if (request && (!largest || *request > *largest)) largest = request;
}

}  // namespace

void pod_requests::add_container(std::optional<quantity> const& request) {
    add(containers_, request);
}

void pod_requests::add_init_container(std::optional<quantity> const& request, bool is_sidecar) {
    if (is_sidecar) {
        add(containers_, request);
        add(sidecars_, request);
        raise(largest_init_, sidecars_);
    } else {
        auto while_it_runs = request;
        add(while_it_runs, sidecars_);
        raise(largest_init_, while_it_runs);
    }
}

std::optional<quantity> pod_requests::total() const {
    auto sum = containers_;
    raise(sum, largest_init_);
    add(sum, overhead_);
    return sum;
}

}  // namespace nodesieve
