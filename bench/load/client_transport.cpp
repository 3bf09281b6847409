#include "client_transport.hpp"

#include <openssl/err.h>
#include <openssl/x509v3.h>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/ip/address.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/ssl/error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <cerrno>
#include <new>

namespace nodesieve::bench {

namespace asio = boost::asio;
using asio::ip::tcp;

namespace {

// Encrypted and sent, this much takes about a millisecond.
constexpr std::size_t bytes_in_a_turn = 1024 * 1024;

// Records of 16 KB are sent this many bytes at a time. A request of 60 MB costs the client 54 ms of
// CPU instead of 62 with a system call for each record; more than this gains nothing.
constexpr int send_bytes = 128 * 1024;

bool would_block(boost::system::error_code const& ec) {
    return ec == asio::error::would_block || ec == asio::error::try_again;
}

// So that what the next call leaves behind is its own.
void forget_errors() {
    ERR_clear_error();
    errno = 0;
}

// Sets the name that the certificate must carry, and, for a name, tells the server which is meant:
// server name indication is for names only (RFC 6066, section 3).
bool set_server(SSL* ssl, std::string const& host) {
    boost::system::error_code not_an_address;
    asio::ip::make_address(host, not_an_address);
    if (!not_an_address)
        return X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl), host.c_str()) == 1;
    return SSL_set1_host(ssl, host.c_str()) == 1 &&
           SSL_set_tlsext_host_name(ssl, host.c_str()) == 1;
}

// Has what `ssl` writes collected in front of the socket, until it is flushed.
bool collect_records(SSL* ssl, int socket) {
    BIO* const collected = BIO_new(BIO_f_buffer());
    BIO* const sent = BIO_new_socket(socket, BIO_NOCLOSE);
    if (!collected || !sent || BIO_set_write_buffer_size(collected, send_bytes) != 1) {
        BIO_free(collected);
        BIO_free(sent);
        return false;
    }
    SSL_set0_wbio(ssl, BIO_push(collected, sent));
    return true;
}

}  // namespace

client_transport::client_transport(asio::io_context& context, SSL_CTX* tls)
    : socket_(context), timer_(context), tls_(tls) {}

client_transport::~client_transport() { close(); }

void client_transport::expires_at(clock::time_point deadline) noexcept {
    if (deadline < deadline_) rest();  // the timer would fire too late
    deadline_ = deadline;
}

asio::awaitable<client_transport::error_code> client_transport::connect(tcp::endpoint endpoint) {
    watch();
    auto const [connected] =
        co_await socket_.async_connect(endpoint, asio::as_tuple(asio::use_awaitable));
    error_code ec = waited(connected);
    if (!ec) socket_.non_blocking(true, ec);
    if (!ec) socket_.set_option(tcp::no_delay(true), ec);
    co_return ec;
}

asio::awaitable<client_transport::error_code> client_transport::handshake(std::string host) {
    if (tls_ == nullptr) co_return error_code{};
    ssl_.reset(SSL_new(tls_));
    if (!ssl_ || SSL_set_fd(ssl_.get(), socket_.native_handle()) != 1 ||
        !collect_records(ssl_.get(), socket_.native_handle()) || !set_server(ssl_.get(), host))
        throw std::bad_alloc();
    SSL_set_connect_state(ssl_.get());
    auto operation = [this](error_code& ec) {
        forget_errors();
        int const result = SSL_do_handshake(ssl_.get());
        return result == 1 ? step::done : step_after(result, ec);
    };
    co_return co_await drive(operation);
}

asio::awaitable<client_transport::error_code> client_transport::write(std::string_view bytes) {
    auto operation = [this, &bytes](error_code& ec) { return write_step(bytes, ec); };
    co_return co_await drive(operation);
}

asio::awaitable<std::size_t> client_transport::read_some(std::span<char> into, error_code& ec) {
    std::size_t size = 0;
    auto operation = [this, into, &size](error_code& failed) {
        return read_step(into, size, failed);
    };
    ec = co_await drive(operation);
    co_return size;
}

void client_transport::close() noexcept {
    if (ssl_ && SSL_is_init_finished(ssl_.get())) SSL_shutdown(ssl_.get());
    ERR_clear_error();
    ssl_.reset();
    error_code ignored;
    socket_.close(ignored);
}

bool client_transport::ended_by_peer() {
    char unexpected = 0;
    std::size_t size = 0;
    error_code ec;
    if (!ssl_) {
        auto const peek = tcp::socket::message_peek;
        socket_.receive(asio::buffer(&unexpected, 1), peek, ec);
        return !would_block(ec);
    }
    forget_errors();
    int const result = SSL_peek_ex(ssl_.get(), &unexpected, 1, &size);
    return result == 1 || step_after(result, ec) != step::want_read;
}

std::string client_transport::describe(error_code const& ec) const {
    long const verified = ssl_ ? SSL_get_verify_result(ssl_.get()) : X509_V_OK;
    if (verified == X509_V_OK) return ec.message();
    return ec.message() + ": " + X509_verify_cert_error_string(verified);
}

std::string client_transport::protocol() const {
    if (!ssl_) return "plain";
    return std::string(SSL_get_version(ssl_.get())) + ' ' + SSL_get_cipher_name(ssl_.get());
}

void client_transport::rest() noexcept {
    timer_.cancel();
    watching_ = false;
}

template <class Operation>
asio::awaitable<client_transport::error_code> client_transport::drive(Operation operation) {
    for (;;) {
        error_code ec;
        step const reached = operation(ec);
        if (reached == step::done) co_return ec;
        if (reached == step::yield) {
            co_await asio::post(socket_.get_executor(), asio::use_awaitable);
            continue;
        }
        ec = co_await wait(reached == step::want_read ? tcp::socket::wait_read
                                                      : tcp::socket::wait_write);
        if (ec) co_return ec;
    }
}

client_transport::step client_transport::step_after(int result, error_code& ec) {
    int const system_error = errno;
    int const reason = SSL_get_error(ssl_.get(), result);
    if (reason == SSL_ERROR_WANT_READ) return step::want_read;
    if (reason == SSL_ERROR_WANT_WRITE) return step::want_write;
    auto const code = ERR_get_error();
    if (reason == SSL_ERROR_ZERO_RETURN ||
        ERR_GET_REASON(code) == SSL_R_UNEXPECTED_EOF_WHILE_READING)
        ec = asio::error::eof;
    else if (code != 0)
        ec = {static_cast<int>(code), asio::error::get_ssl_category()};
    else if (system_error != 0)
        ec = {system_error, asio::error::get_system_category()};
    else
        ec = asio::error::eof;
    ERR_clear_error();
    return step::done;
}

client_transport::step client_transport::write_step(std::string_view& rest, error_code& ec) {
    for (std::size_t written = 0; !rest.empty();) {
        if (written >= bytes_in_a_turn) return step::yield;
        std::size_t size = 0;
        if (ssl_) {
            forget_errors();
            int const result = SSL_write_ex(ssl_.get(), rest.data(), rest.size(), &size);
            if (result != 1) return step_after(result, ec);
        } else {
            size = socket_.write_some(asio::buffer(rest.data(), rest.size()), ec);
            if (would_block(ec)) return ec = {}, step::want_write;
            if (ec) return step::done;
        }
        rest.remove_prefix(size);
        written += size;
    }
    return ssl_ ? flush_step(ec) : step::done;
}

client_transport::step client_transport::flush_step(error_code& ec) {
    BIO* const out = SSL_get_wbio(ssl_.get());
    forget_errors();
    if (BIO_flush(out) == 1) return step::done;
    if (BIO_should_retry(out)) return step::want_write;
    ec = {errno != 0 ? errno : EPIPE, asio::error::get_system_category()};
    return step::done;
}

// As much as there is: OpenSSL gives out one record a call.
client_transport::step client_transport::read_step(std::span<char> into, std::size_t& size,
                                                   error_code& ec) {
    if (!ssl_) {
        size = socket_.read_some(asio::buffer(into.data(), into.size()), ec);
        return would_block(ec) ? (ec = {}, step::want_read) : step::done;
    }
    while (!into.empty()) {
        std::size_t got = 0;
        forget_errors();
        int const result = SSL_read_ex(ssl_.get(), into.data(), into.size(), &got);
        if (result != 1) {
            if (size != 0) break;  // what it is will be met again by the next call
            return step_after(result, ec);
        }
        size += got;
        into = into.subspan(got);
    }
    return step::done;
}

asio::awaitable<client_transport::error_code> client_transport::wait(tcp::socket::wait_type what) {
    watch();
    auto const [ec] = co_await socket_.async_wait(what, asio::as_tuple(asio::use_awaitable));
    co_return waited(ec);
}

// Moving the deadline later costs nothing: the timer finds out when it fires.
void client_transport::watch() {
    waiting_ = true;
    if (watching_) return;
    watching_ = true;
    timer_.expires_at(deadline_);
    timer_.async_wait([this](error_code const& ec) {
        if (ec) return;  // by rest() or the end of this object
        watching_ = false;
        if (!waiting_) return;
        error_code ignored;
        if (clock::now() >= deadline_)
            socket_.cancel(ignored);
        else
            watch();
    });
}

client_transport::error_code client_transport::waited(error_code ec) {
    waiting_ = false;
    return ec == asio::error::operation_aborted ? asio::error::timed_out : ec;
}

}  // namespace nodesieve::bench
