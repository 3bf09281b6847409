#include "kube_client.hpp"

#include "log.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/ip/address.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/error.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/error.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/stream_traits.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http/buffer_body.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/ssl/ssl_stream.hpp>

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/err.h>
#include <openssl/x509v3.h>
#include <sys/socket.h>

#include <charconv>
#include <utility>

namespace nodesieve::server {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;
namespace ssl = boost::asio::ssl;
using asio::ip::tcp;
using boost::system::error_code;

constexpr auto token = asio::as_tuple(asio::use_awaitable);
constexpr std::size_t buffer_bytes = 64 * 1024;
constexpr std::uint32_t max_header_bytes = 32 * 1024;

/// A dead peer shows within half a minute: idle connections by probes, unanswered writes by the
/// user timeout (tcp(7)).
void notice_dead_peer(tcp::socket& socket) {
    const auto set = [&socket](int level, int option, int value) {
        setsockopt(socket.native_handle(), level, option, &value, sizeof value);
    };
    set(IPPROTO_TCP, TCP_NODELAY, 1);
    set(SOL_SOCKET, SO_KEEPALIVE, 1);
    set(IPPROTO_TCP, TCP_KEEPIDLE, 15);
    set(IPPROTO_TCP, TCP_KEEPINTVL, 5);
    set(IPPROTO_TCP, TCP_KEEPCNT, 3);
    set(IPPROTO_TCP, TCP_USER_TIMEOUT, 30'000);
}

std::optional<std::chrono::seconds> retry_after(http::response_header<> const& header) {
    const auto field = header[http::field::retry_after];
    unsigned value = 0;
    const auto* const end = field.data() + field.size();
    const auto result = std::from_chars(field.data(), end, value);
    // The API server sends seconds, never a date (k8s.io/apiserver, too_many_requests.go).
    if (field.empty() || result.ec != std::errc{} || result.ptr != end) return std::nullopt;
    return std::chrono::seconds(value);
}

bool is_address(std::string const& host) {
    error_code ec;
    asio::ip::make_address(host, ec);
    return !ec;
}

/// The name in the handshake, and what the certificate must be for: never its common name, as in
/// Go.
bool expect_server(SSL* session, std::string const& name) {
    auto* const wanted = SSL_get0_param(session);
    if (is_address(name)) return X509_VERIFY_PARAM_set1_ip_asc(wanted, name.c_str()) == 1;
    X509_VERIFY_PARAM_set_hostflags(
        wanted, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS | X509_CHECK_FLAG_NEVER_CHECK_SUBJECT);
    return X509_VERIFY_PARAM_set1_host(wanted, name.data(), name.size()) == 1 &&
           SSL_set_tlsext_host_name(session, name.c_str()) == 1;
}

/// In place of OpenSSL's own, which asks the terminal.
int refuse_passphrase(char* /*buffer*/, int /*size*/, int /*writing*/, void* /*asked*/) {
    return -1;
}

std::string described(text_source const& source, char const* name) {
    return source.file.empty() ? std::string(name) + "-data"
                               : std::string(name) + "=" + in_quotes(source.file.native());
}

}  // namespace

ssl::context make_client_context(kube_config const& config) {
    ssl::context result(ssl::context::tls_client);
    SSL_CTX* const context = result.native_handle();
    SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
    SSL_CTX_set_default_passwd_cb(context, refuse_passphrase);
    X509_VERIFY_PARAM_set_flags(SSL_CTX_get0_param(context), X509_V_FLAG_PARTIAL_CHAIN);
    static constexpr unsigned char protocol[] = {8, 'h', 't', 't', 'p', '/', '1', '.', '1'};
    SSL_CTX_set_alpn_protos(context, protocol, sizeof protocol);
    result.set_verify_mode(config.verify ? ssl::verify_peer : ssl::verify_none);

    error_code ec;
    const auto refuse = [&ec](text_source const& source, char const* name, char const* expected) {
        if (!ec) return;
        ERR_clear_error();
        throw kube_config_error(described(source, name) + ": expected " + expected + " in PEM (" +
                                ec.message() + ")");
    };
    if (config.authority.given()) {
        result.add_certificate_authority(asio::buffer(config.authority.read()), ec);
        refuse(config.authority, "certificate-authority", "certificates");
    } else if (config.verify) {
        result.set_default_verify_paths(ec);
    }
    if (config.certificate.given()) {
        result.use_certificate_chain(asio::buffer(config.certificate.read()), ec);
        refuse(config.certificate, "client-certificate", "certificates");
        result.use_private_key(asio::buffer(config.key.read()), ssl::context::pem, ec);
        refuse(config.key, "client-key", "the client certificate's key, not encrypted,");
    }
    return result;
}

void check_credentials(kube_config const& config, std::string_view origin) {
    try {
        static_cast<void>(make_client_context(config));
        static_cast<void>(config.read_token());
    } catch (kube_config_error const& e) {
        throw kube_config_error(std::string(origin) + ": " + e.what());
    }
}

struct kube_client::connection {
    connection(asio::any_io_executor const& executor, ssl::context made)
        : context(std::move(made)), stream(executor, context) {
        buffer.reserve(buffer_bytes);  // otherwise Beast reads 512 bytes at a time
    }
    beast::tcp_stream& socket() { return beast::get_lowest_layer(stream); }

    ssl::context context;
    beast::ssl_stream<beast::tcp_stream> stream;
    beast::flat_buffer buffer{buffer_bytes};
    std::optional<http::response_parser<http::buffer_body>> parser;
    bool used = false;  // for an earlier request
};

kube_client::kube_client(asio::any_io_executor executor, kube_config const& config,
                         kube_timeouts timeouts)
    : executor_(std::move(executor)), config_(config), timeouts_(timeouts) {}
kube_client::~kube_client() = default;

void kube_client::close() { connection_.reset(); }

bool kube_client::fail(kube_failure step, std::string why) {
    failure_ = kube_error{step, std::move(why)};
    close();
    return false;
}

bool kube_client::fail(kube_failure step, error_code ec, std::string_view doing) {
    if (ec == beast::error::timeout)
        return fail(kube_failure::timeout, std::string(doing) + " took too long");
    return fail(step, std::string(doing) + ": " + ec.message());
}

kube_client::awaitable<bool> kube_client::get(std::string target, std::string accept) {
    failure_.reset();
    std::string request = "GET " + config_.path + target +
                          " HTTP/1.1\r\nHost: " + config_.host_field() + "\r\nAccept: " + accept +
                          "\r\nUser-Agent: nodesieve/" NODESIEVE_VERSION "\r\n";
    try {
        if (const auto bearer = config_.read_token(); !bearer.empty())
            request += "Authorization: Bearer " + bearer + "\r\n";
    } catch (kube_config_error const& e) {
        co_return fail(kube_failure::credentials, e.what());
    }
    request += "\r\n";

    const bool kept = connection_ != nullptr;
    if (kept) {
        const bool done = co_await exchange(request);
        if (done || failure_->step == kube_failure::timeout) co_return done;
    }
    const bool connected = co_await connect();
    if (!connected) co_return false;
    const bool encrypted = co_await handshake();
    if (!encrypted) co_return false;
    const bool done = co_await exchange(std::move(request));
    co_return done;
}

kube_client::awaitable<bool> kube_client::connect() {
    failure_.reset();
    try {
        connection_ = std::make_unique<connection>(executor_, make_client_context(config_));
    } catch (std::exception const& e) {
        co_return fail(kube_failure::credentials, e.what());
    }
    const auto name = config_.host_field();
    tcp::resolver resolver(executor_);
    auto flags = tcp::resolver::numeric_service;
    if (is_address(config_.host)) flags |= tcp::resolver::numeric_host;
    const auto [resolve_error, addresses] =
        co_await resolver.async_resolve(config_.host, config_.port, flags, token);
    if (resolve_error) co_return fail(kube_failure::connect, resolve_error, "resolving " + name);

    error_code ec = asio::error::host_not_found;
    for (auto const& address : addresses) {
        auto& socket = connection_->socket();
        socket.expires_after(timeouts_.connect);
        const auto [connect_error] = co_await socket.async_connect(address.endpoint(), token);
        ec = connect_error;
        if (!ec) break;
        socket.close();
    }
    if (ec) co_return fail(kube_failure::connect, ec, "connecting to " + name);
    notice_dead_peer(connection_->socket().socket());
    co_return true;
}

kube_client::awaitable<bool> kube_client::handshake() {
    SSL* const session = connection_->stream.native_handle();
    const auto name = config_.host_field();
    if (!expect_server(session, config_.server_name))
        co_return fail(kube_failure::tls, "the server's name cannot be asked for in TLS: " + name);
    connection_->socket().expires_after(timeouts_.handshake);
    const auto [ec] = co_await connection_->stream.async_handshake(ssl::stream_base::client, token);
    if (!ec) co_return true;
    const auto verified = SSL_get_verify_result(session);
    if (!config_.verify || verified == X509_V_OK)
        co_return fail(kube_failure::tls, ec, "the TLS handshake with " + name);
    std::string why = "the certificate of " + name +
                      " is not trusted: " + X509_verify_cert_error_string(verified);
    if (verified == X509_V_ERR_HOSTNAME_MISMATCH || verified == X509_V_ERR_IP_ADDRESS_MISMATCH)
        why += " (expected " + config_.server_name + ")";
    co_return fail(kube_failure::tls, std::move(why));
}

kube_client::awaitable<bool> kube_client::exchange(std::string request) {
    auto& c = *connection_;
    c.socket().expires_after(timeouts_.header);
    const auto [write_error, written] =
        co_await asio::async_write(c.stream, asio::buffer(request), token);
    if (write_error) co_return fail(kube_failure::broken, write_error, "sending a request");

    c.parser.emplace();
    c.parser->header_limit(max_header_bytes);
    c.parser->body_limit(boost::none);  // who reads it limits what it keeps
    const auto [read_error, size] =
        co_await http::async_read_header(c.stream, c.buffer, *c.parser, token);
    if (read_error) co_return fail(kube_failure::broken, read_error, "receiving an answer");
    reply_ = {c.parser->get().result_int(), retry_after(c.parser->get())};
    co_return true;
}

kube_client::awaitable<std::size_t> kube_client::body(std::span<char> into,
                                                      std::chrono::milliseconds timeout) {
    auto& c = *connection_;
    auto& body = c.parser->get().body();
    body.data = into.data();
    body.size = into.size();
    body.more = true;
    c.socket().expires_after(timeout);
    while (!c.parser->is_done() && body.size == into.size()) {
        const auto [ec, size] =
            co_await http::async_read_some(c.stream, c.buffer, *c.parser, token);
        if (ec && ec != http::error::need_buffer) {
            fail(kube_failure::broken, ec, "receiving an answer's body");
            co_return 0;
        }
    }
    const auto received = into.size() - body.size;
    if (received == 0 && !c.parser->keep_alive()) close();
    co_return received;
}

}  // namespace nodesieve::server
