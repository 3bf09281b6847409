#include "watch_log.hpp"

#include <string_view>

namespace nodesieve::server {
namespace {

constexpr std::chrono::seconds repeat_every{30};

/// What to change, where that is known.
std::string_view advice(watch_outcome outcome) {
    switch (outcome) {
        case watch_outcome::forbidden:
            return "bind a ClusterRole with the verbs get, list and watch on nodes to this user or "
                   "service account";
        case watch_outcome::unauthorized:
            return "the token or client certificate is not accepted: renew it; files are read "
                   "again at each try";
        case watch_outcome::tls:
            return "certificate-authority, or ca.crt of the service account, must be the API "
                   "server's";
        default: return "";
    }
}

}  // namespace

void watch_log::listed(std::size_t nodes, std::chrono::milliseconds took) {
    log_.write(log::level::info, "nodes listed", {{"nodes", nodes}, {"ms", took.count()}});
}

void watch_log::watching() {
    if (!watching_)
        log_.write(log::level::info, "watch of nodes established", {{"suppressed", suppressed_}});
    watching_ = true;
    failure_.reset();
    suppressed_ = 0;
}

void watch_log::failed(watch_step::kind what, watch_attempt const& attempt, watch_step const& next,
                       time_point now) {
    watching_ = false;
    if (failure_ == attempt.outcome && now - told_at_ < repeat_every) {
        ++suppressed_;
        return;
    }
    const bool denied = attempt.outcome == watch_outcome::forbidden ||
                        attempt.outcome == watch_outcome::unauthorized ||
                        attempt.outcome == watch_outcome::credentials;
    auto why = attempt.why;
    if (const auto text = advice(attempt.outcome); !text.empty()) why.append("; ").append(text);
    log_.write(denied ? log::level::error : log::level::warning,
               what == watch_step::kind::list ? "list of nodes failed" : "watch of nodes broken",
               {{"reason", slug(attempt.outcome)},
                {"why", why},
                {"next", next.what == watch_step::kind::list ? "list" : "watch"},
                {"retry_in_ms", next.delay.count()},
                {"suppressed", suppressed_}});
    failure_ = attempt.outcome;
    told_at_ = now;
    suppressed_ = 0;
}

}  // namespace nodesieve::server
