#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>

namespace nodesieve::server {

/// How a list or a watch of the API server ended.
enum class watch_outcome : std::uint8_t {
    done,            ///< a list is complete; a watch was ended by the server in good order
    credentials,     ///< a file of the configuration cannot be used
    connect,         ///< no connection
    tls,             ///< no handshake
    timeout,         ///< no answer in time
    broken,          ///< the connection ended within an answer, or was no HTTP
    silent,          ///< a watch without an event for too long
    malformed,       ///< what came is no list or event
    gone,            ///< 410: the resource version or the continue token is too old
    throttled,       ///< 429 or 503
    unauthorized,    ///< 401
    forbidden,       ///< 403
    not_acceptable,  ///< 406: the server knows no metadata-only answer
    server_error,    ///< any other status
};
inline constexpr std::size_t watch_outcome_count = 14;

/// For metrics' labels and logs: a fixed set, one word an outcome.
[[nodiscard]] std::string_view slug(watch_outcome) noexcept;

/// What an HTTP status other than 200, or the code of a watch's ERROR event, is.
[[nodiscard]] watch_outcome outcome_of_status(unsigned status) noexcept;

struct watch_backoff {
    std::chrono::milliseconds first{100};  ///< doubled from failure to failure
    std::chrono::milliseconds most{3000};
    std::chrono::milliseconds most_retry_after{30'000};  ///< whatever the server asks for
};

/// What to do next.
struct watch_step {
    enum class kind : std::uint8_t { list, watch };
    kind what = kind::list;
    std::chrono::milliseconds delay{0};
};

/// Decides what follows a list or a watch. No I/O, no clock: outcomes in, steps out.
///
///     list -done-> watch -done-> watch ...     a watch ends every 5 to 10 minutes
///      ^             |
///      +-- 410, silence, nonsense, three failures in a row
///
/// Everything but the first 410, an end in good order and a fall-back to full objects waits: 100
/// ms, doubled up to 3 s, and up to a quarter more or less, so that an API server that comes back
/// is not met by all at once and is found within seconds all the same. What ends the waiting is a
/// watch that makes progress, not a list: the pair could fail for ever.
class watch_schedule {
  public:
    /// `random` returns numbers in [0, 1).
    watch_schedule(watch_backoff backoff, std::function<double()> random);

    [[nodiscard]] watch_step after_list(watch_outcome outcome,
                                        std::optional<std::chrono::seconds> retry_after = {});
    /// `progressed`: it brought an event, or lasted for a second.
    [[nodiscard]] watch_step after_watch(watch_outcome outcome, bool progressed,
                                         std::optional<std::chrono::seconds> retry_after = {});

    /// Whether to ask for metadata only; false once the server has refused it.
    [[nodiscard]] bool metadata_only() const noexcept { return metadata_only_; }
    /// What to ask of the server: 5 to 10 minutes, as client-go's reflector does
    /// (k8s.io/client-go/tools/cache/reflector.go), so that watches spread over its instances.
    [[nodiscard]] std::chrono::seconds watch_timeout();

  private:
    [[nodiscard]] std::chrono::milliseconds wait(
        std::optional<std::chrono::seconds> retry_after = {});
    [[nodiscard]] std::chrono::milliseconds at_once_at_first();

    watch_backoff backoff_;
    std::function<double()> random_;
    unsigned failures_ = 0;        // since the last watch that made progress
    unsigned watch_failures_ = 0;  // since then or the last list
    bool metadata_only_ = true;
};

}  // namespace nodesieve::server
