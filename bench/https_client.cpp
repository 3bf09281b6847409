#include "https_client.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/error.hpp>
#include <boost/asio/ssl/host_name_verification.hpp>
#include <boost/beast/core/error.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/ssl/ssl_stream.hpp>
#include <optional>
#include <stdexcept>
#include <utility>

#include "http_url.hpp"

namespace nodesieve::bench {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
namespace ssl = asio::ssl;
using asio::ip::tcp;
using beast::error_code;

namespace {

http_url parse_base_url(std::string_view url) {
    http_url parsed = http_url::parse(url);
    if (!parsed.tls || (!parsed.path.empty() && parsed.path != "/"))
        throw std::invalid_argument("not https://HOST[:PORT]: " + std::string(url));
    return parsed;
}

bool is_address(std::string const& host) {
    error_code ec;
    asio::ip::make_address(host, ec);
    return !ec;
}

}  // namespace

// Asynchronous operations, each run to its end before the next: blocking ones know no timeout.
class https_client::connection {
  public:
    connection(http_url endpoint, client_tls_files const& files, std::chrono::seconds timeout)
        : endpoint_(std::move(endpoint)), timeout_(timeout) {
        error_code ec;
        tls_.set_verify_mode(ssl::verify_peer);
        tls_.load_verify_file(files.ca.string(), ec);
        check(ec, "reading the CA " + files.ca.string());
        tls_.use_certificate_chain_file(files.cert.string(), ec);
        check(ec, "reading the certificate " + files.cert.string());
        tls_.use_private_key_file(files.key.string(), ssl::context::pem, ec);
        check(ec, "reading the key " + files.key.string());
        // Beast asks the stream for as much as the buffer has room for, but at least 512 bytes,
        // which for a reply of megabytes means thousands of reads.
        buffer_.reserve(65536);
        start_deadline();
        connect();
    }

    ~connection() { close(); }

    connection(connection const&) = delete;
    connection& operator=(connection const&) = delete;

    https_reply post(std::string_view path, std::string_view body) {
        try {
            return try_post(path, body);
        } catch (...) {
            stream_.reset();  // in the middle of a message nobody knows where the next one starts
            throw;
        }
    }

  private:
    using tls_stream = beast::ssl_stream<beast::tcp_stream>;

    https_reply try_post(std::string_view path, std::string_view body) {
        std::string const request_line = "POST " + std::string(path);
        start_deadline();
        if (!stream_) connect();

        http::request<http::span_body<char const>> request(http::verb::post, path, 11);
        request.set(http::field::host, endpoint_.authority);
        request.set(http::field::user_agent, "nodesieve-bench");
        request.set(http::field::content_type, "application/json");
        request.body() = {body.data(), body.size()};
        request.prepare_payload();
        error_code const sent =
            complete([&](auto done) { http::async_write(*stream_, request, done); });

        // Read in any case: a server that refuses the certificate (a TLS alert) or the body may say
        // so and close before it has taken all of it. That tells more than the broken pipe.
        http::response_parser<http::string_body> parser;
        parser.body_limit(boost::none);
        error_code const read =
            complete([&](auto done) { http::async_read(*stream_, buffer_, parser, done); });
        if (read) {
            bool const alert = read.category() == asio::error::get_ssl_category();
            if (!alert) check(sent, "sending " + request_line);
            check(read, "reading the reply to " + request_line);
        }
        if (sent)
            stream_.reset();
        else if (!parser.keep_alive())
            close();

        http::response<http::string_body> reply = parser.release();
        return {reply.result_int(), std::string(reply[http::field::content_type]),
                std::move(reply.body())};
    }

    void connect() {
        error_code ec;
        auto const addresses = tcp::resolver(context_).resolve(endpoint_.host, endpoint_.port, ec);
        check(ec, "looking up the name");

        buffer_.clear();
        stream_.emplace(context_, tls_);
        beast::tcp_stream& socket = stream_->next_layer();
        socket.expires_at(deadline_);
        check(complete([&](auto done) { socket.async_connect(addresses, done); }), "connecting");
        socket.socket().set_option(tcp::no_delay(true), ec);
        check(ec, "setting TCP_NODELAY");

        stream_->set_verify_callback(ssl::host_name_verification(endpoint_.host));
        // Server name indication is for names only (RFC 6066, section 3).
        if (!is_address(endpoint_.host) &&
            !SSL_set_tlsext_host_name(stream_->native_handle(), endpoint_.host.c_str()))
            throw failure("setting the TLS server name", "refused by OpenSSL");
        check(
            complete([&](auto done) { stream_->async_handshake(ssl::stream_base::client, done); }),
            "TLS handshake");
    }

    // Says goodbye in TLS, so that the server sees an end and not an error, but does not insist.
    void close() noexcept {
        if (!stream_) return;
        stream_->next_layer().expires_after(std::chrono::seconds(1));
        complete([&](auto done) { stream_->async_shutdown(done); });
        stream_.reset();
    }

    // One deadline for all that follows.
    void start_deadline() {
        deadline_ = std::chrono::steady_clock::now() + timeout_;
        if (stream_) stream_->next_layer().expires_at(deadline_);
    }

    // Runs the operation that `start` begins with the handler it is given, and returns its outcome.
    template <class Start>
    error_code complete(Start start) {
        error_code outcome;
        start([&outcome](error_code ec, auto const&...) { outcome = ec; });
        context_.restart();
        context_.run();
        return outcome;
    }

    void check(error_code ec, std::string const& step) const {
        if (!ec) return;
        throw failure(step, ec == beast::error::timeout
                                ? "timed out after " + std::to_string(timeout_.count()) + " s"
                                : ec.message());
    }

    std::runtime_error failure(std::string const& step, std::string const& cause) const {
        return std::runtime_error("https://" + endpoint_.authority + ": " + step + ": " + cause);
    }

    http_url endpoint_;
    std::chrono::seconds timeout_;
    std::chrono::steady_clock::time_point deadline_;
    asio::io_context context_{1};
    ssl::context tls_{ssl::context::tls_client};
    beast::flat_buffer buffer_;         // what was read past the end of a message
    std::optional<tls_stream> stream_;  // empty: to be opened by the next post
};

https_client::https_client(std::string_view base_url, client_tls_files const& files,
                           std::chrono::seconds timeout)
    : connection_(std::make_unique<connection>(parse_base_url(base_url), files, timeout)) {}

https_client::~https_client() = default;

https_reply https_client::post(std::string_view path, std::string_view body) {
    return connection_->post(path, body);
}

}  // namespace nodesieve::bench
