#pragma once

#include "watchdog.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/system/error_code.hpp>

#include <openssl/ssl.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace nodesieve::server {

/// A connected socket, read and written when it is ready rather than by operations in flight: bytes
/// go straight between the kernel and the caller's memory. Holds every step to a deadline.
///
/// Errors come back as error_code: error::eof when the peer has ended, error::timed_out when the
/// deadline has passed, error::operation_aborted after cancel().
///
/// Belongs to one thread, that of the socket's executor.
class plain_transport {
  public:
    using error_code = boost::system::error_code;
    template <class T>
    using awaitable = boost::asio::awaitable<T>;

    /// Precondition: `socket` is open.
    explicit plain_transport(boost::asio::ip::tcp::socket socket);
    ~plain_transport();
    plain_transport(plain_transport const&) = delete;
    plain_transport& operator=(plain_transport const&) = delete;

    /// For what follows, until it is set again.
    void expires_at(watchdog::clock::time_point deadline) {
        watchdog_->expires_at(deadline);
        turn_ = 0;
    }

    [[nodiscard]] awaitable<error_code> handshake();
    /// Why handshake() failed, for people.
    [[nodiscard]] std::string describe(error_code const& ec) const { return ec.message(); }
    /// At least one byte unless `ec` is set. Precondition: `into` is not empty.
    [[nodiscard]] awaitable<std::size_t> read_some(std::span<char> into, error_code& ec);
    /// All of `bytes` and `more`, which must stay until it is done.
    [[nodiscard]] awaitable<error_code> write(std::string_view bytes, std::string_view more = {});
    /// Tells the peer that nothing more comes.
    [[nodiscard]] awaitable<error_code> shutdown();

    /// Behind a handshake that failed with `ec`: tells the peer that nothing more comes, and throws
    /// away what it sends until it ends the connection.
    [[nodiscard]] awaitable<void> let_go(error_code ec);

    /// Ends the operation that is waiting, if one is. The first read or write behind expires_at()
    /// waits without giving the thread away before, so no cancel() can fall in between.
    void cancel() noexcept;

    /// How often the peer had to be waited for so far.
    [[nodiscard]] std::uint64_t waits() const noexcept { return waits_; }

    [[nodiscard]] boost::asio::any_io_executor executor() { return socket_.get_executor(); }
    [[nodiscard]] boost::asio::ip::tcp::endpoint const& peer() const noexcept { return peer_; }

  protected:
    using wait_type = boost::asio::ip::tcp::socket::wait_type;

    [[nodiscard]] awaitable<error_code> wait(wait_type what);
    /// Lets others have the thread once in a while, when the peer is so quick that nothing waits.
    [[nodiscard]] awaitable<void> take_turns();

    boost::asio::ip::tcp::socket socket_;

  private:
    [[nodiscard]] awaitable<error_code> put(std::string_view bytes);

    boost::asio::ip::tcp::endpoint peer_;
    std::shared_ptr<watchdog> watchdog_;
    unsigned turn_ = 0;
    std::uint64_t waits_ = 0;
};

/// The same over TLS, by OpenSSL on the socket itself.
class tls_transport : public plain_transport {
  public:
    /// Precondition: `socket` is open. `context` must outlive the handshake.
    tls_transport(boost::asio::ip::tcp::socket socket, SSL_CTX* context);
    ~tls_transport();

    [[nodiscard]] awaitable<error_code> handshake();
    [[nodiscard]] std::string describe(error_code const& ec) const;
    [[nodiscard]] awaitable<std::size_t> read_some(std::span<char> into, error_code& ec);
    [[nodiscard]] awaitable<error_code> write(std::string_view bytes, std::string_view more = {});
    [[nodiscard]] awaitable<error_code> shutdown();
    /// Also tells a peer that speaks HTTP what is expected, in HTTP.
    [[nodiscard]] awaitable<void> let_go(error_code ec);

  private:
    /// Repeats `operation`, which returns what OpenSSL's call did, until it succeeds or fails.
    template <class Operation>
    [[nodiscard]] awaitable<error_code> drive(Operation operation);
    [[nodiscard]] awaitable<error_code> put(std::string_view bytes);
    /// Gives the kernel what waits in the buffer.
    [[nodiscard]] awaitable<error_code> flush();

    SSL* ssl_;
};

}  // namespace nodesieve::server
