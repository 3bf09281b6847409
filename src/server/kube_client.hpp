#pragma once

#include "kube_config.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/system/error_code.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace nodesieve::server {

/// How long each step may take until the API server is taken for dead.
struct kube_timeouts {
    std::chrono::milliseconds connect = std::chrono::seconds(3);  ///< each address of the host
    std::chrono::milliseconds handshake = std::chrono::seconds(5);
    std::chrono::milliseconds header = std::chrono::seconds(15);  ///< request sent, answer begun
};

/// In which step a request failed.
enum class kube_failure : std::uint8_t {
    credentials,  ///< a file of the configuration cannot be used
    connect,      ///< the name is not resolved, or nobody accepts
    tls,          ///< the handshake failed, as with a certificate that is not trusted
    timeout,      ///< a step took too long
    broken,       ///< the connection ended, or was no HTTP
};

/// What is wrong and, for people, why.
struct kube_error {
    kube_failure step;
    std::string why;  ///< one line; no secrets
};

/// The first lines of an answer.
struct kube_reply {
    unsigned status = 0;
    std::optional<std::chrono::seconds> retry_after;  ///< not negative
};

/// A client of the API server: one connection, kept between requests, one request at a time.
///
/// Call order: get(), then body() until it returns 0; or close(). Belongs to the thread of its
/// executor. Every wait ends by a timeout,
/// but for that of getaddrinfo, which is the resolver's own (resolv.conf(5)).
class kube_client {
  public:
    template <class T>
    using awaitable = boost::asio::awaitable<T>;

    /// `config` must outlive the client.
    kube_client(boost::asio::any_io_executor executor, kube_config const& config,
                kube_timeouts timeouts);
    ~kube_client();
    kube_client(kube_client const&) = delete;
    kube_client& operator=(kube_client const&) = delete;

    /// Sends a request, on a new connection where there is none, and receives the first lines of
    /// the answer. A kept connection turns out to be closed more often than not by the time it is
    /// used again: then it tries once more on a new one. False: failure() says why.
    [[nodiscard]] awaitable<bool> get(std::string target, std::string accept);

    /// The next bytes of the answer's body as they come; 0 at its end, or when failure() says why.
    /// Precondition: `into` is not empty and stays until it is done.
    [[nodiscard]] awaitable<std::size_t> body(std::span<char> into,
                                              std::chrono::milliseconds timeout);

    [[nodiscard]] kube_reply const& reply() const noexcept { return reply_; }
    [[nodiscard]] std::optional<kube_error> const& failure() const noexcept { return failure_; }
    void close();

  private:
    struct connection;

    [[nodiscard]] awaitable<bool> connect();
    [[nodiscard]] awaitable<bool> handshake();
    [[nodiscard]] awaitable<bool> exchange(std::string request);
    bool fail(kube_failure step, std::string why);
    bool fail(kube_failure step, boost::system::error_code ec, std::string_view doing);

    boost::asio::any_io_executor executor_;
    kube_config const& config_;
    kube_timeouts timeouts_;
    std::unique_ptr<connection> connection_;
    kube_reply reply_;
    std::optional<kube_error> failure_;
};

/// The context of the next connection, from the files as they are now: TLS 1.2 or newer; the
/// server's certificate must lead to one of the configuration's authorities, which need not be a
/// root, as in Go. Throws kube_config_error.
[[nodiscard]] boost::asio::ssl::context make_client_context(kube_config const& config);

/// Reads all that the configuration names, as the first request will. Throws kube_config_error,
/// whose line starts with `origin`.
void check_credentials(kube_config const& config, std::string_view origin);

}  // namespace nodesieve::server
