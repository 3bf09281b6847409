#include "error_response.hpp"

namespace nodesieve::server {

unsigned status_of(errc e) noexcept {
    switch (e) {
        case errc::success: return 200;
        case errc::body_too_large:
        case errc::too_many_nodes: return 413;
        case errc::node_cache_not_ready: return 503;
        case errc::malformed_request:
        case errc::trailing_data:
        case errc::pod_and_nodes_required:
        case errc::pod_and_victims_required:
        case errc::node_cache_off:
        case errc::bad_node_name:
        case errc::missing_pod:
        case errc::invalid_minimum:
        case errc::minimum_without_gpu: return 400;
    }
    return 500;
}

error_response to_response(diagnostics const& failure) {
    auto body = std::string(sentence(failure.code)).append("\n");
    if (!failure.detail.empty()) body.append(failure.detail).append("\n");
    return {status_of(failure.code), std::move(body), {}};
}

error_response not_found() {
    return {404,
            "404 page not found\nthis port answers POST to /filter, /prioritize and /preempt: "
            "check urlPrefix, filterVerb, prioritizeVerb and preemptVerb in the "
            "KubeSchedulerConfiguration\n",
            {}};
}

error_response method_not_allowed(std::string_view allow) {
    return {405, "Method Not Allowed\n", allow};
}

error_response bad_request(std::string_view why) {
    return {400, std::string("400 Bad Request: ").append(why).append("\n"), {}};
}

error_response request_timeout(std::string_view flag) {
    return {408,
            std::string("408 Request Timeout: the request was not complete in time; raise ")
                .append(flag)
                .append(" if the peer is slow\n"),
            {}};
}

error_response header_too_large() { return {431, "431 Request Header Fields Too Large\n", {}}; }

}  // namespace nodesieve::server
