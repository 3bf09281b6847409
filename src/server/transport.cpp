#include "transport.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/ssl/error.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <openssl/err.h>

#include <algorithm>
#include <array>
#include <new>

namespace nodesieve::server {
namespace {

namespace asio = boost::asio;
using boost::system::error_code;

/// Of 16 KB each, decrypted and parsed, this many take about a millisecond.
constexpr unsigned reads_in_a_turn = 32;
/// What OpenSSL asks the kernel for at once: several records, not a header and then its record.
constexpr std::size_t read_ahead_bytes = 128 * 1024;
/// Records wait for each other in a buffer of this size on their way to the kernel, and as long as
/// more is to come in one of that size: a call for each record of 16 KB costs more than encrypting
/// it. Measured: docs/decisions/0007-many-records-a-call.md.
constexpr int small_buffer_bytes = 8 * 1024;  // OpenSSL shrinks to no less than 4 KB + 1
constexpr int large_buffer_bytes = 128 * 1024;

bool would_block(error_code const& ec) {
    return ec == asio::error::would_block || ec == asio::error::try_again;
}

/// What ended an OpenSSL call that is neither done nor waiting.
error_code tls_failure(int reason) {
    const auto code = ERR_get_error();
    const int system_error = errno;
    ERR_clear_error();
    if (reason == SSL_ERROR_ZERO_RETURN) return asio::error::eof;
    if (code != 0) {
        if (ERR_GET_REASON(code) == SSL_R_UNEXPECTED_EOF_WHILE_READING)
            return asio::ssl::error::stream_truncated;
        return {static_cast<int>(code), asio::error::get_ssl_category()};
    }
    if (system_error != 0) return {system_error, asio::error::get_system_category()};
    return asio::ssl::error::stream_truncated;
}

}  // namespace

plain_transport::plain_transport(asio::ip::tcp::socket socket)
    : socket_(std::move(socket)), watchdog_(std::make_shared<watchdog>(socket_)) {
    error_code ignored;
    peer_ = socket_.remote_endpoint(ignored);
    socket_.non_blocking(true, ignored);
    socket_.set_option(asio::ip::tcp::no_delay(true), ignored);
}

plain_transport::~plain_transport() { watchdog_->release(); }

asio::awaitable<error_code> plain_transport::handshake() { co_return error_code{}; }

asio::awaitable<std::size_t> plain_transport::read_some(std::span<char> into, error_code& ec) {
    co_await take_turns();
    for (;;) {
        const auto size = socket_.read_some(asio::buffer(into.data(), into.size()), ec);
        if (!would_block(ec)) co_return size;
        ec = co_await wait(wait_type::wait_read);
        if (ec) co_return 0;
    }
}

asio::awaitable<error_code> plain_transport::write(std::string_view bytes, std::string_view more) {
    auto ec = co_await put(bytes);
    if (!ec) ec = co_await put(more);
    co_return ec;
}

asio::awaitable<error_code> plain_transport::put(std::string_view bytes) {
    while (!bytes.empty()) {
        error_code ec;
        bytes.remove_prefix(socket_.write_some(asio::buffer(bytes.data(), bytes.size()), ec));
        if (would_block(ec)) ec = co_await wait(wait_type::wait_write);
        if (ec) co_return ec;
        co_await take_turns();
    }
    co_return error_code{};
}

asio::awaitable<error_code> plain_transport::shutdown() {
    error_code ec;
    socket_.shutdown(asio::ip::tcp::socket::shutdown_send, ec);
    co_return ec;
}

asio::awaitable<void> plain_transport::let_go(error_code) {
    auto ec = co_await plain_transport::shutdown();
    std::array<char, 4096> ignored;
    while (!ec) co_await plain_transport::read_some(ignored, ec);
}

void plain_transport::cancel() noexcept {
    error_code ignored;
    socket_.cancel(ignored);
}

asio::awaitable<error_code> plain_transport::wait(wait_type what) {
    if (watchdog_->expired()) co_return asio::error::timed_out;
    ++waits_;
    const auto [ec] = co_await socket_.async_wait(what, asio::as_tuple(asio::use_awaitable));
    if (watchdog_->expired()) co_return asio::error::timed_out;
    co_return ec;
}

asio::awaitable<void> plain_transport::take_turns() {
    if (++turn_ % reads_in_a_turn == 0)
        co_await asio::post(socket_.get_executor(), asio::use_awaitable);
}

tls_transport::tls_transport(asio::ip::tcp::socket socket, SSL_CTX* context)
    : plain_transport(std::move(socket)), ssl_(SSL_new(context)) {
    if (ssl_ == nullptr) throw std::bad_alloc();
    SSL_set_fd(ssl_, static_cast<int>(socket_.native_handle()));
    BIO* const buffer = BIO_new(BIO_f_buffer());
    if (buffer == nullptr) throw std::bad_alloc();
    BIO* const socket_bio = SSL_get_wbio(ssl_);
    BIO_up_ref(socket_bio);
    SSL_set0_wbio(ssl_, BIO_push(buffer, socket_bio));
    SSL_set_accept_state(ssl_);
    SSL_set_mode(ssl_, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
    // Released while nothing is in them: an idle connection keeps no large buffer.
    SSL_set_mode(ssl_, SSL_MODE_RELEASE_BUFFERS);
    SSL_set_read_ahead(ssl_, 1);
    SSL_set_default_read_buffer_len(ssl_, read_ahead_bytes);
}

tls_transport::~tls_transport() { SSL_free(ssl_); }

template <class Operation>
asio::awaitable<error_code> tls_transport::drive(Operation operation) {
    for (;;) {
        ERR_clear_error();
        errno = 0;
        const int result = operation();
        if (result > 0) co_return error_code{};
        const int reason = SSL_get_error(ssl_, result);
        if (reason != SSL_ERROR_WANT_READ && reason != SSL_ERROR_WANT_WRITE)
            co_return tls_failure(reason);
        const auto ec = co_await wait(reason == SSL_ERROR_WANT_READ ? wait_type::wait_read
                                                                    : wait_type::wait_write);
        if (ec) co_return ec;
    }
}

asio::awaitable<error_code> tls_transport::handshake() {
    auto operation = [this] { return SSL_do_handshake(ssl_); };
    co_return co_await drive(operation);
}

std::string tls_transport::describe(error_code const& ec) const {
    // The queue's first error can be a generic one where the client's certificate is the reason.
    const auto verified = SSL_get_verify_result(ssl_);
    if (verified == X509_V_OK) return ec.message();
    return ec.message() + ": " + X509_verify_cert_error_string(verified);
}

asio::awaitable<void> tls_transport::let_go(error_code ec) {
    if (ec.category() == asio::error::get_ssl_category() &&
        ERR_GET_REASON(static_cast<unsigned long>(ec.value())) == SSL_R_HTTP_REQUEST)
        co_await plain_transport::write(
            "HTTP/1.1 400 Bad Request\r\nContent-Type: text/plain; charset=utf-8\r\n"
            "Connection: close\r\n\r\nthis port speaks HTTPS with a client certificate\n");
    co_await plain_transport::let_go(ec);
}

asio::awaitable<std::size_t> tls_transport::read_some(std::span<char> into, error_code& ec) {
    co_await take_turns();
    std::size_t size = 0;
    auto operation = [this, into, &size] {
        return SSL_read_ex(ssl_, into.data(), into.size(), &size);
    };
    ec = co_await drive(operation);
    co_return size;
}

asio::awaitable<error_code> tls_transport::write(std::string_view bytes, std::string_view more) {
    const bool large = bytes.size() + more.size() > small_buffer_bytes;
    if (large) BIO_set_write_buffer_size(SSL_get_wbio(ssl_), large_buffer_bytes);
    auto ec = co_await put(bytes);
    if (!ec) ec = co_await put(more);
    if (!ec) ec = co_await flush();
    // Never while something is in it: that would be lost.
    if (!ec && large) BIO_set_write_buffer_size(SSL_get_wbio(ssl_), small_buffer_bytes);
    co_return ec;
}

asio::awaitable<error_code> tls_transport::put(std::string_view bytes) {
    while (!bytes.empty()) {
        std::size_t size = 0;
        auto operation = [this, bytes, &size] {
            return SSL_write_ex(ssl_, bytes.data(), bytes.size(), &size);
        };
        const auto ec = co_await drive(operation);
        if (ec) co_return ec;
        bytes.remove_prefix(size);
        co_await take_turns();
    }
    co_return error_code{};
}

asio::awaitable<error_code> tls_transport::flush() {
    BIO* const buffer = SSL_get_wbio(ssl_);
    for (;;) {
        errno = 0;
        if (BIO_flush(buffer) > 0) co_return error_code{};
        if (!BIO_should_retry(buffer)) co_return tls_failure(SSL_ERROR_SYSCALL);
        const auto ec = co_await wait(wait_type::wait_write);
        if (ec) co_return ec;
    }
}

asio::awaitable<error_code> tls_transport::shutdown() {
    // One way: sends close_notify and does not wait for the peer's.
    auto operation = [this] {
        const int result = SSL_shutdown(ssl_);
        return result == 0 ? 1 : result;
    };
    const auto ec = co_await drive(operation);
    if (ec) co_return ec;
    co_return co_await plain_transport::shutdown();
}

}  // namespace nodesieve::server
