#pragma once

#include <atomic>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "client_transport.hpp"
#include "known_answer.hpp"
#include "load_result.hpp"
#include "request_schedule.hpp"
#include "wire_request.hpp"

namespace nodesieve::bench {

/// What all connections of a load have in common.
struct load_target {
    std::vector<boost::asio::ip::tcp::endpoint> endpoints;  ///< tried in order
    std::string host;                                       ///< what the certificate is for
    SSL_CTX* tls = nullptr;                                 ///< null: plain
    wire_request request;
    known_answer& answer;
    bool keep_alive = true;
    std::chrono::nanoseconds timeout{};       ///< of a request, from its intended start
    std::atomic<std::uint64_t> finished = 0;  ///< requests, right or not
};

/// One connection of a load: sends the same request again and again, and judges the answers.
///
/// A latency ends when the last byte has been received; it contains the connecting when there is no
/// connection yet. The connection is made anew after an error, and when the server has ended it
/// while it was idle, between runs or for a second, as Go's client does for kube-scheduler. A
/// request whose time is over before a connection was free for it is not sent, and counts as an
/// error.
///
/// Belongs to the one thread that runs the io_context, and must outlive that run.
class load_connection {
  public:
    /// `target` must outlive it.
    load_connection(boost::asio::io_context& context, load_target& target);

    /// Claims requests until there are none. `schedule` and `into` must outlive it.
    boost::asio::awaitable<void> run(request_schedule& schedule, load_result& into);

    /// Of the connection that was last open: such as "TLSv1.3 TLS_AES_128_GCM_SHA256"; empty
    /// before.
    [[nodiscard]] std::string const& protocol() const noexcept { return protocol_; }

  private:
    using clock = request_schedule::clock;
    template <class T>
    using awaitable = boost::asio::awaitable<T>;
    using error_code = client_transport::error_code;

    struct exchange {
        std::optional<request_error> error;
        clock::time_point received{};  // the last byte
        std::size_t bytes_in = 0;      // of head and body
        std::size_t reply_size = 0;    // of the body
    };

    awaitable<exchange> post();
    awaitable<std::optional<request_error>> open();
    awaitable<error_code> send();
    awaitable<exchange> receive();
    awaitable<void> sleep_until(clock::time_point when);
    [[nodiscard]] request_error failure(error_code const& ec, char const* doing) const;

    load_target& target_;
    client_transport transport_;
    boost::asio::steady_timer timer_;
    answer_reader answer_;
    std::vector<char> buffer_;
    std::string protocol_;
};

}  // namespace nodesieve::bench
