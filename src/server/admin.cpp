#include "admin.hpp"

#include "routes.hpp"
#include "service.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http/error.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/beast/http/write.hpp>

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>

namespace nodesieve::server {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;

using response = http::response<http::string_body>;

constexpr auto token = asio::as_tuple(asio::use_awaitable);
constexpr std::chrono::seconds request_timeout{10};
/// No request of this port has a body; one sent here by mistake gets an answer all the same.
constexpr std::uint64_t max_body_bytes = 64 * 1024;
/// Prometheus keeps its connection between scrapes, a minute apart as a rule.
constexpr std::chrono::seconds idle_timeout{150};

boost::system::error_category const& http_category() {
    return make_error_code(http::error::end_of_stream).category();
}

/// Empty while requests are welcome.
std::string why_not_ready(service& shared) {
    if (shared.draining) return "shutting down";
    if (!shared.node_cache) return "";
    const auto nodes = shared.node_cache->nodes();
    if (nodes.state == named_nodes::readiness::ready) return "";
    return "the node cache is not ready: " + nodes.why_not_ready;
}

void fill(response& answer, std::string_view path, service& shared) {
    answer.result(http::status::ok);
    answer.set(http::field::content_type, "text/plain; charset=utf-8");
    if (path == "/metrics") {
        answer.set(http::field::content_type, "text/plain; version=0.0.4; charset=utf-8");
        answer.body() = shared.metrics.text();
    } else if (path == "/healthz") {
        answer.body() = "ok\n";
    } else if (path == "/readyz") {
        const auto why = why_not_ready(shared);
        if (!why.empty()) answer.result(http::status::service_unavailable);
        answer.body() = (why.empty() ? "ok" : why) + "\n";
    } else {
        answer.result(http::status::not_found);
        answer.body() = "404 page not found\nthis port answers /metrics, /healthz and /readyz\n";
    }
}

}  // namespace

asio::awaitable<void> serve_admin(asio::ip::tcp::socket socket, service& shared) {
    beast::tcp_stream stream(std::move(socket));
    beast::flat_buffer buffer;
    for (;;) {
        http::request_parser<http::string_body> parser;
        parser.body_limit(max_body_bytes);
        stream.expires_after(buffer.size() == 0 ? idle_timeout : request_timeout);
        const auto [read_error, received] =
            co_await http::async_read(stream, buffer, parser, token);
        const bool malformed = read_error.category() == http_category();
        if (read_error && (!malformed || read_error == http::error::end_of_stream)) break;
        auto const& request = parser.get();

        response answer{http::status::ok, 11};
        if (malformed) {
            answer.result(http::status::bad_request);
            answer.body() = "400 Bad Request: " + read_error.message() + "\n";
        } else if (request.method() == http::verb::get || request.method() == http::verb::head) {
            fill(answer, path_of(request.target()), shared);
        } else {
            answer.result(http::status::method_not_allowed);
            answer.set(http::field::allow, "GET, HEAD");
            answer.body() =
                "Method Not Allowed\nthis port is for probes and metrics; the extender listens on "
                "--listen\n";
        }
        const bool keep_alive = !malformed && parser.keep_alive() && !shared.draining;
        answer.keep_alive(keep_alive);
        answer.prepare_payload();
        stream.expires_after(request_timeout);
        http::response_serializer<http::string_body> serializer(answer);
        boost::system::error_code write_error;
        if (request.method() == http::verb::head) {
            serializer.split(true);
            std::tie(write_error, std::ignore) =
                co_await http::async_write_header(stream, serializer, token);
        } else {
            std::tie(write_error, std::ignore) =
                co_await http::async_write(stream, serializer, token);
        }
        if (write_error || !keep_alive) break;
    }
    boost::system::error_code ignored;
    stream.socket().shutdown(asio::ip::tcp::socket::shutdown_both, ignored);
}

}  // namespace nodesieve::server
