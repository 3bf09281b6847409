#include "watch_schedule.hpp"

#include <algorithm>
#include <utility>

namespace nodesieve::server {
namespace {

using namespace std::chrono;
using kind = watch_step::kind;

/// The watch is tried again from where it was; what was missed may be kept no longer, or the server
/// may be another one, so not for ever.
constexpr unsigned max_watch_failures = 3;

}  // namespace

std::string_view slug(watch_outcome outcome) noexcept {
    switch (outcome) {
        case watch_outcome::done: return "done";
        case watch_outcome::credentials: return "credentials";
        case watch_outcome::connect: return "connect";
        case watch_outcome::tls: return "tls";
        case watch_outcome::timeout: return "timeout";
        case watch_outcome::broken: return "broken";
        case watch_outcome::silent: return "silent";
        case watch_outcome::malformed: return "malformed";
        case watch_outcome::gone: return "gone";
        case watch_outcome::throttled: return "throttled";
        case watch_outcome::unauthorized: return "unauthorized";
        case watch_outcome::forbidden: return "forbidden";
        case watch_outcome::not_acceptable: return "not_acceptable";
        case watch_outcome::server_error: return "server_error";
    }
    return {};
}

watch_outcome outcome_of_status(unsigned status) noexcept {
    switch (status) {
        case 401: return watch_outcome::unauthorized;
        case 403: return watch_outcome::forbidden;
        case 406: return watch_outcome::not_acceptable;
        case 410: return watch_outcome::gone;
        case 429:
        case 503: return watch_outcome::throttled;
        default: return watch_outcome::server_error;
    }
}

watch_schedule::watch_schedule(watch_backoff backoff, std::function<double()> random)
    : backoff_(backoff), random_(std::move(random)) {}

watch_step watch_schedule::after_list(watch_outcome outcome, std::optional<seconds> retry_after) {
    switch (outcome) {
        case watch_outcome::done: watch_failures_ = 0; return {kind::watch, {}};
        case watch_outcome::gone: return {kind::list, at_once_at_first()};
        case watch_outcome::not_acceptable:
            if (std::exchange(metadata_only_, false)) return {kind::list, {}};
            break;
        default: break;
    }
    return {kind::list, wait(retry_after)};
}

watch_step watch_schedule::after_watch(watch_outcome outcome, bool progressed,
                                       std::optional<seconds> retry_after) {
    if (progressed) failures_ = watch_failures_ = 0;
    switch (outcome) {
        case watch_outcome::done: return {kind::watch, progressed ? milliseconds(0) : wait()};
        case watch_outcome::gone:
        case watch_outcome::silent: return {kind::list, at_once_at_first()};
        case watch_outcome::malformed: return {kind::list, wait()};
        case watch_outcome::not_acceptable:
            if (std::exchange(metadata_only_, false)) return {kind::watch, {}};
            break;
        default: break;
    }
    const auto next = ++watch_failures_ < max_watch_failures ? kind::watch : kind::list;
    return {next, wait(retry_after)};
}

seconds watch_schedule::watch_timeout() { return seconds(300 + static_cast<int>(300 * random_())); }

milliseconds watch_schedule::wait(std::optional<seconds> retry_after) {
    const auto doubled = backoff_.first * (1U << std::min(failures_, 16U));
    ++failures_;
    const auto own =
        duration_cast<milliseconds>(std::min(doubled, backoff_.most) * (0.75 + 0.5 * random_()));
    if (!retry_after) return own;
    // Also a number of seconds that no milliseconds can count.
    const auto asked = std::min(*retry_after, ceil<seconds>(backoff_.most_retry_after));
    return std::max(own, std::min<milliseconds>(asked, backoff_.most_retry_after));
}

milliseconds watch_schedule::at_once_at_first() {
    if (failures_ > 0) return wait();
    ++failures_;
    return {};
}

}  // namespace nodesieve::server
