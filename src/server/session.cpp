#include "session.hpp"

#include "error_response.hpp"
#include "routes.hpp"
#include "service.hpp"
#include "transport.hpp"

#include <nodesieve/request_pipeline.hpp>

#include <boost/asio/error.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/error.hpp>
#include <boost/beast/http/field.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/rfc7230.hpp>
#include <boost/beast/http/status.hpp>

#include <algorithm>
#include <ctime>
#include <memory>
#include <optional>
#include <string>

namespace nodesieve::server {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;
using boost::system::error_code;
using clock = watchdog::clock;

/// Of the method, the target and all fields.
constexpr std::size_t max_header_bytes = 16 * 1024;
/// What is read at once but for the bodies that go straight into the pipeline.
constexpr std::size_t read_bytes = 32 * 1024;
/// A body that nobody reads is taken in up to this size, to keep the connection; Go's server does
/// the same (net/http, maxPostHandlerReadBytes).
constexpr std::uint64_t max_discarded_bytes = 256 * 1024;
/// Replies up to this size go out in one piece with their header.
constexpr std::size_t small_reply_bytes = 16 * 1024;
/// How long a connection stays open for reading behind an answer that ends it, so that the answer
/// is not lost by a reset (RFC 9112 section 9.6).
constexpr std::chrono::seconds linger_time{2};

/// One connection. Transport: plain_transport or tls_transport.
template <class Transport>
class session {
  public:
    template <class... Arguments>
    explicit session(service& shared, Arguments&&... arguments)
        : shared_(shared), transport_(std::forward<Arguments>(arguments)...) {
        auto wake = [this, alive = std::weak_ptr(alive_)] {
            // Runs on the strand, like the destructor.
            if (!alive.expired() && idle_) transport_.cancel();
        };
        registered_ = shared_.connections.add({transport_.executor(), std::move(wake)});
        shared_.metrics.connection_opened();
    }
    ~session() {
        shared_.connections.remove(registered_);
        shared_.metrics.connection_closed();
    }
    session(session const&) = delete;
    session& operator=(session const&) = delete;

    asio::awaitable<void> run();

  private:
    using parser = http::request_parser<http::empty_body>;
    /// What becomes of the connection behind an answer.
    enum class next : std::uint8_t {
        request,
        close,
        linger,  ///< close, but the peer may still be sending
    };

    asio::awaitable<bool> first_byte();
    asio::awaitable<next> answer_request();
    asio::awaitable<error_code> read_header(parser& p);
    asio::awaitable<next> answer_header_error(error_code ec);
    asio::awaitable<next> answer_verb(parser& p, verb what);
    asio::awaitable<next> answer_unread(parser& p, error_response answer);
    asio::awaitable<error_code> read_body(parser& p);
    asio::awaitable<error_code> read_sized_body(std::uint64_t size);
    asio::awaitable<error_code> read_chunked_body(parser& p);
    asio::awaitable<bool> discard_body(parser& p);
    asio::awaitable<std::size_t> fill(error_code& ec);
    asio::awaitable<error_code> send_error(error_response answer, bool keep_alive,
                                           bool with_body = true);
    asio::awaitable<error_code> send_reply(bool keep_alive);
    asio::awaitable<void> linger();
    void report(verb what, unsigned status, errc refusal);
    void log_refusal(verb what, unsigned status, std::string_view reason, std::string_view detail);
    void log_unrouted(parser const& p, unsigned status);

    bool keeps_alive(parser const& p) const {
        return p.keep_alive() && p.get().version() == 11 &&
               !shared_.draining.load(std::memory_order_relaxed);
    }

    service& shared_;
    Transport transport_;
    connection_registry::handle registered_;
    beast::flat_buffer buffer_;  // bytes behind the last request
    std::optional<request_pipeline> pipeline_;
    clock::time_point started_{};  // first byte of the request
    std::shared_ptr<void> alive_ = std::make_shared<char>();
    bool idle_ = false;
};

/// A contradiction in the framing of a request, which could be read in two ways (RFC 9112 section
/// 6.3), or a missing Host; empty for none.
template <class Parser>
std::string_view framing_fault(Parser const& p) {
    auto const& request = p.get();
    const auto lengths = request.count(http::field::content_length);
    const auto encodings = request.count(http::field::transfer_encoding);
    if (request.version() != 10 && request.version() != 11) return "HTTP/1.0 or HTTP/1.1 expected";
    if (encodings > 0 && lengths > 0) return "both Content-Length and Transfer-Encoding";
    if (lengths > 1) return "more than one Content-Length";
    if (encodings > 1 || (encodings == 1 && !p.chunked()) ||
        (encodings == 1 && !beast::iequals(request[http::field::transfer_encoding], "chunked")))
        return "a Transfer-Encoding other than chunked";
    if (encodings == 1 && request.version() == 10) return "Transfer-Encoding in HTTP/1.0";
    if (request.version() == 11 && request.count(http::field::host) != 1)
        return "exactly one Host expected";
    return {};
}

template <class Transport>
asio::awaitable<void> session<Transport>::run() {
    transport_.expires_at(clock::now() + shared_.settings.timeouts.handshake);
    if (const auto ec = co_await transport_.handshake()) {
        shared_.metrics.count_failed_handshake();
        if (const auto suppressed = shared_.failed_handshakes.admit(clock::now()))
            shared_.log.write(log::level::warning, "TLS handshake failed",
                              {{"peer", transport_.peer().address().to_string()},
                               {"error", transport_.describe(ec)},
                               {"suppressed", *suppressed}});
        co_return;
    }
    auto then = next::request;
    while (then == next::request) {
        // Not in the loop's condition: g++ 12 evaluates a co_await behind && whatever stands
        // before.
        const bool begun = co_await first_byte();
        if (!begun) break;
        then = co_await answer_request();
    }
    if (then == next::linger) co_return co_await linger();
    transport_.expires_at(clock::now() + linger_time);
    co_await transport_.shutdown();
}

/// Waits for a next request; false when there is none.
template <class Transport>
asio::awaitable<bool> session<Transport>::first_byte() {
    if (buffer_.size() == 0) {
        if (shared_.draining) co_return false;
        transport_.expires_at(clock::now() + shared_.settings.timeouts.idle);
        error_code ec;
        idle_ = true;
        co_await fill(ec);
        idle_ = false;
        if (ec) co_return false;
    }
    started_ = clock::now();
    co_return true;
}

/// More bytes into buffer_.
template <class Transport>
asio::awaitable<std::size_t> session<Transport>::fill(error_code& ec) {
    const auto space = buffer_.prepare(read_bytes);
    const std::span into(static_cast<char*>(space.data()), space.size());
    const auto size = co_await transport_.read_some(into, ec);
    buffer_.commit(size);
    co_return size;
}

template <class Transport>
asio::awaitable<typename session<Transport>::next> session<Transport>::answer_request() {
    parser p;
    p.header_limit(max_header_bytes);
    p.body_limit(boost::none);
    auto const& timeouts = shared_.settings.timeouts;
    transport_.expires_at(started_ + std::min(timeouts.header, timeouts.read));
    if (const auto ec = co_await read_header(p)) co_return co_await answer_header_error(ec);
    transport_.expires_at(started_ + timeouts.read);

    auto const& request = p.get();
    if (const auto fault = framing_fault(p); !fault.empty()) {
        shared_.metrics.count_unrouted(400);
        auto answer = bad_request(fault);
        if (co_await send_error(std::move(answer), false)) co_return next::close;
        co_return next::linger;
    }
    const auto* const found = find_route(request.target());
    if (found == nullptr) co_return co_await answer_unread(p, not_found());
    if (found->method != request.method())
        co_return co_await answer_unread(p, method_not_allowed(http::to_string(found->method)));
    co_return co_await answer_verb(p, found->what);
}

template <class Transport>
asio::awaitable<error_code> session<Transport>::read_header(parser& p) {
    for (;;) {
        error_code ec;
        if (buffer_.size() > 0) {
            buffer_.consume(p.put(buffer_.data(), ec));
            if (p.is_header_done()) co_return error_code{};
            if (ec && ec != http::error::need_more) co_return ec;
        }
        co_await fill(ec);
        if (ec) co_return ec;
    }
}

/// The peer has sent no request that can be answered by a verb.
template <class Transport>
asio::awaitable<typename session<Transport>::next> session<Transport>::answer_header_error(
    error_code ec) {
    error_response answer;
    if (ec == asio::error::timed_out)
        answer = request_timeout("--header-timeout");
    else if (ec == http::error::header_limit)
        answer = header_too_large();
    else if (ec.category() == make_error_code(http::error::need_more).category())
        answer = bad_request(ec.message());
    else
        co_return next::close;  // the peer is gone
    shared_.metrics.count_unrouted(answer.status);
    if (co_await send_error(std::move(answer), false)) co_return next::close;
    co_return next::linger;
}

/// Answers a request whose body does not matter.
template <class Transport>
asio::awaitable<typename session<Transport>::next> session<Transport>::answer_unread(
    parser& p, error_response answer) {
    shared_.metrics.count_unrouted(answer.status);
    log_unrouted(p, answer.status);
    const bool whole = co_await discard_body(p);
    const bool keep_alive = whole && keeps_alive(p);
    const bool with_body = p.get().method() != http::verb::head;
    if (co_await send_error(std::move(answer), keep_alive, with_body)) co_return next::close;
    if (!whole) co_return next::linger;
    co_return keep_alive ? next::request : next::close;
}

template <class Transport>
asio::awaitable<typename session<Transport>::next> session<Transport>::answer_verb(parser& p,
                                                                                   verb what) {
    if (!pipeline_)
        pipeline_.emplace(shared_.rules, shared_.settings.limits, shared_.settings.invalid_pod);
    auto& pipeline = *pipeline_;
    pipeline.start(what);

    diagnostics failure;
    const auto limit = shared_.settings.limits.max_body_bytes;
    const auto length = p.content_length();
    if (length && *length > limit) {
        failure = {errc::body_too_large, "Content-Length " + std::to_string(*length) +
                                             " is more than " + std::to_string(limit) +
                                             " bytes: raise --max-body-bytes"};
    } else {
        const auto ec = co_await read_body(p);
        if (ec == asio::error::timed_out) {
            report(what, 408, errc::success);
            log_refusal(what, 408, "read_timeout", "raise --read-timeout");
            auto answer = request_timeout("--read-timeout");
            if (co_await send_error(std::move(answer), false)) co_return next::close;
            co_return next::linger;
        }
        if (ec && ec != http::error::body_limit) {
            const bool framing =
                ec.category() == make_error_code(http::error::need_more).category();
            log_refusal(what, framing ? 400 : 0, framing ? "bad_chunk" : "peer_gone", ec.message());
            if (!framing) co_return next::close;
            report(what, 400, errc::success);
            auto answer = bad_request(ec.message());
            if (co_await send_error(std::move(answer), false)) co_return next::close;
            co_return next::linger;
        }
        if (pipeline.finish() != errc::success) failure = pipeline.failure();
    }

    const bool whole = failure.code != errc::body_too_large;
    const bool keep_alive = whole && keeps_alive(p);
    error_code ec;
    if (failure.code == errc::success) {
        pipeline.compose();
        ec = co_await send_reply(keep_alive);
    } else {
        log_refusal(what, status_of(failure.code), slug(failure.code), failure.detail);
        auto answer = to_response(failure);
        ec = co_await send_error(std::move(answer), keep_alive);
    }
    report(what, status_of(failure.code), failure.code);
    pipeline.release();
    if (ec) co_return next::close;
    if (!whole) co_return next::linger;
    co_return keep_alive ? next::request : next::close;
}

/// The body into the pipeline, all of it even when the pipeline has found an error: a peer that is
/// still sending would not read the answer. http::error::body_limit when it is larger than allowed.
template <class Transport>
asio::awaitable<error_code> session<Transport>::read_body(parser& p) {
    if (p.get().version() == 11 && beast::iequals(p.get()[http::field::expect], "100-continue") &&
        buffer_.size() == 0) {
        const auto ec = co_await transport_.write("HTTP/1.1 100 Continue\r\n\r\n");
        if (ec) co_return ec;
    }
    if (p.chunked()) co_return co_await read_chunked_body(p);
    co_return co_await read_sized_body(p.content_length().value_or(0));
}

template <class Transport>
asio::awaitable<error_code> session<Transport>::read_sized_body(std::uint64_t size) {
    auto& pipeline = *pipeline_;
    const auto early = static_cast<std::size_t>(std::min<std::uint64_t>(size, buffer_.size()));
    pipeline.write({static_cast<char const*>(buffer_.data().data()), early});
    buffer_.consume(early);
    for (auto left = size - early; left > 0;) {
        auto space = pipeline.prepare();
        if (space.size() > left) space = space.first(static_cast<std::size_t>(left));
        error_code ec;
        const auto received = co_await transport_.read_some(space, ec);
        if (ec) co_return ec;
        pipeline.commit(received);
        left -= received;
    }
    co_return error_code{};
}

template <class Transport>
asio::awaitable<error_code> session<Transport>::read_chunked_body(parser& p) {
    auto on_chunk = [this](std::uint64_t, boost::core::string_view bytes, error_code& ec) {
        if (pipeline_->write(bytes) == errc::body_too_large) ec = http::error::body_limit;
        return bytes.size();
    };
    p.on_chunk_body(on_chunk);
    while (!p.is_done()) {
        error_code ec;
        if (buffer_.size() > 0) {
            buffer_.consume(p.put(buffer_.data(), ec));
            if (p.is_done()) break;
            if (ec && ec != http::error::need_more) co_return ec;
            if (!ec) continue;
        }
        co_await fill(ec);
        if (ec) co_return ec;
    }
    co_return error_code{};
}

/// Takes in a body that nobody reads; false when it is too large for that.
template <class Transport>
asio::awaitable<bool> session<Transport>::discard_body(parser& p) {
    if (p.chunked()) co_return false;
    auto left = p.content_length().value_or(0);
    if (left == 0) co_return true;
    if (left > max_discarded_bytes || !p.get()[http::field::expect].empty()) co_return false;
    for (;;) {
        const auto used = static_cast<std::size_t>(std::min<std::uint64_t>(left, buffer_.size()));
        buffer_.consume(used);
        left -= used;
        if (left == 0) co_return true;
        error_code ec;
        co_await fill(ec);
        if (ec) co_return false;
    }
}

/// The time for a Date field (RFC 9110 section 5.6.7), which does not follow the locale.
std::string http_date() {
    static constexpr std::string_view days = "SunMonTueWedThuFriSat";
    static constexpr std::string_view months = "JanFebMarAprMayJunJulAugSepOctNovDec";
    const std::time_t now = std::time(nullptr);
    std::tm utc{};
    gmtime_r(&now, &utc);
    const auto digits = [](std::string& to, int number) {
        to.push_back(static_cast<char>('0' + number / 10 % 10));
        to.push_back(static_cast<char>('0' + number % 10));
    };
    std::string text(days.substr(3 * static_cast<std::size_t>(utc.tm_wday), 3));
    digits(text.append(", "), utc.tm_mday);
    text.append(" ").append(months.substr(3 * static_cast<std::size_t>(utc.tm_mon), 3)).append(" ");
    text.append(std::to_string(1900 + utc.tm_year));
    digits(text.append(" "), utc.tm_hour);
    digits(text.append(":"), utc.tm_min);
    digits(text.append(":"), utc.tm_sec);
    return text.append(" GMT");
}

std::string head(unsigned status, std::string_view type, std::uint64_t length, bool keep_alive,
                 std::string_view more = {}) {
    std::string text = "HTTP/1.1 " + std::to_string(status) + ' ';
    text.append(http::obsolete_reason(static_cast<http::status>(status)));
    text.append("\r\nDate: ").append(http_date());
    text.append("\r\nContent-Type: ").append(type);
    text.append("\r\nContent-Length: ").append(std::to_string(length)).append("\r\n");
    text.append(more);
    if (!keep_alive) text.append("Connection: close\r\n");
    return text.append("\r\n");
}

template <class Transport>
asio::awaitable<error_code> session<Transport>::send_error(error_response answer, bool keep_alive,
                                                           bool with_body) {
    transport_.expires_at(clock::now() + shared_.settings.timeouts.write);
    std::string more = "X-Content-Type-Options: nosniff\r\n";
    if (!answer.allow.empty()) more.append("Allow: ").append(answer.allow).append("\r\n");
    auto text =
        head(answer.status, "text/plain; charset=utf-8", answer.body.size(), keep_alive, more);
    if (with_body) text.append(answer.body);
    co_return co_await transport_.write(text);
}

template <class Transport>
asio::awaitable<error_code> session<Transport>::send_reply(bool keep_alive) {
    transport_.expires_at(clock::now() + shared_.settings.timeouts.write);
    auto const& reply = pipeline_->reply();
    auto text = head(200, "application/json", reply.size(), keep_alive);
    std::uint64_t sent = 0;
    if (reply.size() <= small_reply_bytes) {
        for (; sent < reply.size(); sent += reply.piece(sent).size())
            text.append(reply.piece(sent));
    }
    if (const auto ec = co_await transport_.write(text)) co_return ec;
    while (sent < reply.size()) {
        const auto piece = reply.piece(sent);
        if (const auto ec = co_await transport_.write(piece)) co_return ec;
        sent += piece.size();
    }
    co_return error_code{};
}

/// Ends the connection for the peer, and reads until it has ended it too.
template <class Transport>
asio::awaitable<void> session<Transport>::linger() {
    transport_.expires_at(clock::now() + linger_time);
    auto ec = co_await transport_.shutdown();
    while (!ec) {
        buffer_.clear();
        co_await fill(ec);
    }
}

template <class Transport>
void session<Transport>::report(verb what, unsigned status, errc refusal) {
    request_record record{.what = what,
                          .status = status,
                          .refusal = refusal,
                          .duration = clock::now() - started_,
                          .nodes = {}};
    if (what == verb::filter && status == 200) record.nodes = pipeline_->counts();
    shared_.metrics.count(record);
}

/// kube-scheduler throws an error's text away: the log is where an operator finds it.
template <class Transport>
void session<Transport>::log_refusal(verb what, unsigned status, std::string_view reason,
                                     std::string_view detail) {
    const auto suppressed = shared_.refusals.admit(clock::now());
    if (!suppressed) return;
    shared_.log.write(log::level::warning, "request refused",
                      {{"verb", what == verb::filter ? "filter" : "prioritize"},
                       {"status", status},
                       {"reason", reason},
                       {"detail", detail},
                       {"namespace", pipeline_->pod_namespace()},
                       {"pod", pipeline_->pod_name()},
                       {"body_bytes", pipeline_->body_bytes()},
                       {"nodes", pipeline_->node_count()},
                       {"peer", transport_.peer().address().to_string()},
                       {"suppressed", *suppressed}});
}

template <class Transport>
void session<Transport>::log_unrouted(parser const& p, unsigned status) {
    const auto suppressed = shared_.refusals.admit(clock::now());
    if (!suppressed) return;
    shared_.log.write(log::level::warning, "request refused",
                      {{"status", status},
                       {"reason", status == 404 ? "not_found" : "method_not_allowed"},
                       {"method", p.get().method_string()},
                       {"target", p.get().target()},
                       {"peer", transport_.peer().address().to_string()},
                       {"suppressed", *suppressed}});
}

}  // namespace

asio::awaitable<void> serve_tls(asio::ip::tcp::socket socket, SSL_CTX* context, service& shared) {
    session<tls_transport> connection(shared, std::move(socket), context);
    co_await connection.run();
}

asio::awaitable<void> serve_plain(asio::ip::tcp::socket socket, service& shared) {
    session<plain_transport> connection(shared, std::move(socket));
    co_await connection.run();
}

}  // namespace nodesieve::server
