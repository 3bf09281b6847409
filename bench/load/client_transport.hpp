#pragma once

#include <openssl/ssl.h>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/system/error_code.hpp>
#include <chrono>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace nodesieve::bench {

/// A client's connection, over TLS or plain. The socket is read and written when it is ready, by
/// OpenSSL directly: bytes go between the kernel and the caller's memory without a stop at Asio's
/// TLS stream, which takes 16 KB a call.
///
/// Call order:
///
///     connect, then write and read_some at will, then close; then connect again …
///
/// Errors: error::timed_out when the deadline has passed, error::eof when the peer has ended.
/// After an error only close() is of use, but for one of write(): what the peer said before it
/// closed may still be read.
///
/// Belongs to the one thread that runs the io_context, and must outlive that run. SIGPIPE must be
/// ignored.
class client_transport {
  public:
    using clock = std::chrono::steady_clock;
    using error_code = boost::system::error_code;
    template <class T>
    using awaitable = boost::asio::awaitable<T>;

    /// Plain when `tls` is null; it must outlive the transport otherwise.
    client_transport(boost::asio::io_context& context, SSL_CTX* tls);
    ~client_transport();
    client_transport(client_transport const&) = delete;
    client_transport& operator=(client_transport const&) = delete;

    /// For every step that follows, until it is set again.
    void expires_at(clock::time_point deadline) noexcept;

    /// Precondition: not open.
    [[nodiscard]] awaitable<error_code> connect(boost::asio::ip::tcp::endpoint endpoint);
    /// The server's certificate must be valid for `host`, a name or an address. Nothing to do when
    /// plain.
    [[nodiscard]] awaitable<error_code> handshake(std::string host);
    /// All of `bytes`, which must stay until it is done.
    [[nodiscard]] awaitable<error_code> write(std::string_view bytes);
    /// At least one byte unless `ec` is set. Precondition: `into` is not empty.
    [[nodiscard]] awaitable<std::size_t> read_some(std::span<char> into, error_code& ec);
    /// Says goodbye if that takes no waiting, and closes the socket.
    void close() noexcept;

    /// Whether the peer has ended a connection on which nothing is expected. Asks the kernel.
    /// Precondition: open.
    [[nodiscard]] bool ended_by_peer();

    [[nodiscard]] bool is_open() const noexcept { return socket_.is_open(); }
    /// What an error means, with the reason why the server's certificate was refused.
    [[nodiscard]] std::string describe(error_code const& ec) const;
    /// Such as "TLSv1.3 TLS_AES_128_GCM_SHA256", or "plain". Precondition: the handshake is done.
    [[nodiscard]] std::string protocol() const;

    /// Ends the watch over the deadline, which would keep the io_context running. For when nothing
    /// is being waited for; the next step starts it again.
    void rest() noexcept;

  private:
    struct ssl_deleter {
        void operator()(SSL* ssl) const noexcept { SSL_free(ssl); }
    };
    enum class step { done, want_read, want_write, yield };

    /// Repeats `operation`, which says how far it came, until it is done or has failed.
    template <class Operation>
    [[nodiscard]] awaitable<error_code> drive(Operation operation);
    [[nodiscard]] awaitable<error_code> wait(boost::asio::ip::tcp::socket::wait_type what);
    /// What comes of an OpenSSL call that has not succeeded.
    step step_after(int result, error_code& ec);
    step write_step(std::string_view& rest, error_code& ec);
    step flush_step(error_code& ec);
    step read_step(std::span<char> into, std::size_t& size, error_code& ec);
    void watch();
    [[nodiscard]] error_code waited(error_code ec);

    boost::asio::ip::tcp::socket socket_;
    boost::asio::steady_timer timer_;
    clock::time_point deadline_ = clock::time_point::max();
    bool watching_ = false;  // the timer runs
    bool waiting_ = false;   // for the socket
    SSL_CTX* tls_;
    std::unique_ptr<SSL, ssl_deleter> ssl_;
};

}  // namespace nodesieve::bench
