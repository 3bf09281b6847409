// All instantiations for a connection in one file: they are what takes long to compile.
#include "session.hpp"

#include "error_response.hpp"
#include "http_framing.hpp"
#include "routes.hpp"
#include "segment_ring.hpp"
#include "service.hpp"
#include "transport.hpp"

#include <nodesieve/request_pipeline.hpp>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/string.hpp>
#include <boost/beast/http/error.hpp>
#include <boost/beast/http/field.hpp>

#include <malloc.h>

#include <algorithm>
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

/// Of the method, the target and all fields; of a chunk's line and of trailers too.
constexpr std::size_t max_header_bytes = 16 * 1024;
/// What is read at once but for the bodies that go straight into the pipeline.
constexpr std::size_t read_bytes = 16 * 1024;
/// A body that nobody reads is taken in up to this size, to keep the connection; Go's server does
/// the same (net/http, maxPostHandlerReadBytes).
constexpr std::uint64_t max_discarded_bytes = 256 * 1024;
/// From here on a body is worth the help of other threads.
constexpr std::uint64_t large_body_bytes = 8 * body_segment::capacity;
/// From here on the memory of a request is worth giving back to the system.
constexpr std::uint64_t trimmed_bytes = 32 * 1024;
/// Replies up to this size go out in one piece with their header.
constexpr std::size_t small_reply_bytes = 16 * 1024;
/// How long a connection that waits for a request keeps the memory of the last one: kube-scheduler
/// sends the next at once while it has Pods, and fresh memory costs a page fault every 4 KB.
constexpr std::chrono::seconds keep_memory_time{2};
/// How long a connection stays open for reading behind an answer that ends it, so that the answer
/// is not lost by a reset (RFC 9112 section 9.6).
constexpr std::chrono::seconds linger_time{2};
/// How long a new connection may take to send its request when the service drains already.
constexpr std::chrono::seconds late_request_time{1};

/// Whether the bytes were wrong, rather than the connection.
bool is_http_error(error_code const& ec) {
    return ec.category() == make_error_code(http::error::need_more).category();
}

/// One connection. Transport: plain_transport or tls_transport.
template <class Transport>
class session {
  public:
    template <class... Arguments>
    explicit session(service& shared, Arguments&&... arguments)
        : shared_(shared), transport_(std::forward<Arguments>(arguments)...) {
        auto wake = [this, alive = std::weak_ptr(alive_)] {
            // Runs on the connection's thread, like the destructor.
            if (!alive.expired() && idle_) transport_.cancel();
        };
        registered_ = shared_.connections.add({transport_.executor(), std::move(wake)});
        shared_.metrics.connection_opened();
    }
    ~session() {
        release_memory();
        shared_.connections.remove(registered_);
        shared_.metrics.connection_closed();
    }
    session(session const&) = delete;
    session& operator=(session const&) = delete;

    asio::awaitable<void> run();

  private:
    /// What becomes of the connection behind an answer.
    enum class next : std::uint8_t {
        request,
        close,
        linger,  ///< close, but the peer may still be sending
    };

    asio::awaitable<bool> handshake();
    asio::awaitable<bool> first_byte();
    asio::awaitable<next> answer_request();
    asio::awaitable<error_code> read_header(header_parser& p, header_watch& watch);
    asio::awaitable<next> answer_header_error(error_code ec);
    asio::awaitable<next> answer_unread(header_parser& p, error_response answer,
                                        std::string_view reason);
    asio::awaitable<bool> discard_body(std::uint64_t size);
    asio::awaitable<next> answer_verb(header_parser& p, verb what);
    asio::awaitable<error_code> read_body(header_parser& p);
    template <class Target>
    asio::awaitable<error_code> receive(Target& target, std::uint64_t size);
    asio::awaitable<error_code> read_chunked_body(header_parser& p);
    asio::awaitable<next> answer_unreadable(verb what, error_code ec);
    asio::awaitable<void> look_again();
    asio::awaitable<error_code> fill();
    asio::awaitable<error_code> send_error(error_response answer, bool keep_alive,
                                           bool with_body = true);
    asio::awaitable<error_code> send_reply(bool keep_alive);
    asio::awaitable<void> linger();

    asio::awaitable<next> refuse(error_response answer, std::string_view reason,
                                 std::string_view detail);
    void release_memory();
    void count(verb what, unsigned status, std::string_view refusal, bool sent);
    void log_refusal(verb what, unsigned status, std::string_view reason, std::string_view detail);
    void log_unrouted(unsigned status, std::string_view reason, std::string_view detail);
    std::string peer() const { return transport_.peer().address().to_string(); }

    bool keeps_alive(header_parser const& p) const {
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
    bool served_ = false;
};

template <class Transport>
asio::awaitable<void> session<Transport>::run() {
    const bool open = co_await handshake();
    if (!open) co_return;
    auto then = next::request;
    while (then == next::request) {
        // Not in the loop's condition: g++ 12 evaluates a co_await behind && whatever stands
        // before.
        const bool begun = co_await first_byte();
        if (!begun) break;
        then = co_await answer_request();
        served_ = true;
    }
    if (then == next::linger) co_return co_await linger();
    transport_.expires_at(clock::now() + linger_time);
    co_await transport_.shutdown();
}

template <class Transport>
asio::awaitable<bool> session<Transport>::handshake() {
    transport_.expires_at(clock::now() + shared_.settings.timeouts.handshake);
    const auto ec = co_await transport_.handshake();
    if (!ec) co_return true;
    shared_.metrics.count_failed_handshake();
    if (const auto suppressed = shared_.failed_handshakes.admit(clock::now()))
        shared_.log.write(
            log::level::warning, "TLS handshake failed",
            {{"peer", peer()}, {"error", transport_.describe(ec)}, {"suppressed", *suppressed}});
    // The alert that tells the peer why must not be lost by a reset.
    transport_.expires_at(clock::now() + linger_time);
    co_await transport_.let_go(ec);
    co_return false;
}

/// Waits for a next request; false when there is none. While the service drains, what the peer has
/// sent already is answered, and a new connection has a moment to send its request.
template <class Transport>
asio::awaitable<bool> session<Transport>::first_byte() {
    if (buffer_.size() == 0) {
        const auto since = clock::now();
        const clock::duration idle = shared_.settings.timeouts.idle;
        error_code ec = asio::error::operation_aborted;
        idle_ = true;
        if (!shared_.draining) {
            transport_.expires_at(since + std::min<clock::duration>(idle, keep_memory_time));
            ec = co_await fill();
        }
        if (ec == asio::error::timed_out && idle > keep_memory_time && !shared_.draining) {
            release_memory();
            transport_.expires_at(since + idle);
            ec = co_await fill();
        }
        idle_ = false;
        if (ec && shared_.draining && ec != asio::error::eof) {
            const auto patience = served_ ? clock::duration::zero() : late_request_time;
            transport_.expires_at(clock::now() + patience);
            ec = co_await fill();
        }
        if (ec) co_return false;
    }
    started_ = clock::now();
    co_return true;
}

/// Gives back what the last request needed. glibc takes the reply's chunks from its heap where
/// there is room, so without a trim they stay: 1.4 MB for each connection that was open at once.
template <class Transport>
void session<Transport>::release_memory() {
    const bool was_large =
        pipeline_ && std::max(pipeline_->body_bytes(), pipeline_->reply().size()) >= trimmed_bytes;
    pipeline_.reset();
    if (was_large) malloc_trim(0);
}

/// More bytes into buffer_, which never holds more than a header may have.
template <class Transport>
asio::awaitable<error_code> session<Transport>::fill() {
    if (buffer_.size() >= max_header_bytes) co_return http::error::header_limit;
    const auto space = buffer_.prepare(read_bytes);
    const std::span into(static_cast<char*>(space.data()), space.size());
    error_code ec;
    const auto size = co_await transport_.read_some(into, ec);
    buffer_.commit(size);
    co_return ec;
}

template <class Transport>
asio::awaitable<typename session<Transport>::next> session<Transport>::answer_request() {
    header_parser p;
    header_watch watch;
    p.header_limit(max_header_bytes);
    p.body_limit(boost::none);
    auto const& timeouts = shared_.settings.timeouts;
    transport_.expires_at(started_ + std::min(timeouts.header, timeouts.read));
    const auto ec = co_await read_header(p, watch);
    if (ec) co_return co_await answer_header_error(ec);
    transport_.expires_at(started_ + timeouts.read);

    auto const& request = p.get();
    const auto fault = watch.folded() ? "a field over two lines" : framing_fault(p);
    if (!fault.empty()) {
        auto answer = bad_request(fault);
        co_return co_await refuse(std::move(answer), "bad_request", fault);
    }
    const auto* const found = find_route(request.target());
    if (found == nullptr) {
        auto answer = not_found();
        co_return co_await answer_unread(p, std::move(answer), "not_found");
    }
    if (found->method != request.method()) {
        auto answer = method_not_allowed(http::to_string(found->method));
        co_return co_await answer_unread(p, std::move(answer), "method_not_allowed");
    }
    co_return co_await answer_verb(p, found->what);
}

template <class Transport>
asio::awaitable<error_code> session<Transport>::read_header(header_parser& p, header_watch& watch) {
    std::size_t seen = 0;  // of buffer_
    bool begun = false;
    for (;;) {
        const auto text = [this] {
            return std::string_view(static_cast<char const*>(buffer_.data().data()),
                                    buffer_.size());
        };
        // Empty lines in front are to be ignored (RFC 9112 section 2.2).
        while (!begun && !text().empty() && (text().front() == '\r' || text().front() == '\n'))
            buffer_.consume(1);
        if (!text().empty()) {
            begun = true;
            watch.see(text().substr(seen));
            error_code ec;
            const auto used = p.put(buffer_.data(), ec);
            buffer_.consume(used);
            seen = buffer_.size();
            if (p.is_header_done()) co_return error_code{};
            if (ec && ec != http::error::need_more) co_return ec;
        }
        const auto ec = co_await fill();
        if (ec) co_return ec;
    }
}

/// The peer has sent no request that can be answered by a verb.
template <class Transport>
asio::awaitable<typename session<Transport>::next> session<Transport>::answer_header_error(
    error_code ec) {
    if (ec == asio::error::timed_out) {
        auto answer = request_timeout("--header-timeout");
        co_return co_await refuse(std::move(answer), "header_timeout", "raise --header-timeout");
    }
    if (ec == http::error::header_limit) {
        auto answer = header_too_large();
        co_return co_await refuse(std::move(answer), "header_too_large", {});
    }
    if (!is_http_error(ec)) co_return next::close;  // the peer is gone
    const auto why = ec.message();
    auto answer = bad_request(why);
    co_return co_await refuse(std::move(answer), "bad_request", why);
}

/// Answers what reached no verb, and ends the connection.
template <class Transport>
asio::awaitable<typename session<Transport>::next> session<Transport>::refuse(
    error_response answer, std::string_view reason, std::string_view detail) {
    shared_.metrics.count_unrouted(answer.status, reason);
    log_unrouted(answer.status, reason, detail);
    const auto ec = co_await send_error(std::move(answer), false);
    co_return ec ? next::close : next::linger;
}

/// Answers a request whose body does not matter.
template <class Transport>
asio::awaitable<typename session<Transport>::next> session<Transport>::answer_unread(
    header_parser& p, error_response answer, std::string_view reason) {
    shared_.metrics.count_unrouted(answer.status, reason);
    const auto line = std::string(p.get().method_string()) + ' ' + std::string(p.get().target());
    log_unrouted(answer.status, reason, line);
    const auto length = p.content_length().value_or(0);
    const bool discards = !p.chunked() && length <= max_discarded_bytes &&
                          (length == 0 || p.get()[http::field::expect].empty());
    const bool keep_alive = discards && keeps_alive(p);
    const bool with_body = p.get().method() != http::verb::head;
    const auto ec = co_await send_error(std::move(answer), keep_alive, with_body);
    if (ec) co_return next::close;
    if (!keep_alive) co_return next::linger;
    transport_.expires_at(started_ + shared_.settings.timeouts.read);
    const bool whole = co_await discard_body(length);
    co_return whole ? next::request : next::close;
}

/// Takes in a body that nobody reads; false when it does not come.
template <class Transport>
asio::awaitable<bool> session<Transport>::discard_body(std::uint64_t size) {
    for (;;) {
        const auto used = static_cast<std::size_t>(std::min<std::uint64_t>(size, buffer_.size()));
        buffer_.consume(used);
        size -= used;
        if (size == 0) co_return true;
        const auto ec = co_await fill();
        if (ec) co_return false;
    }
}

template <class Transport>
asio::awaitable<typename session<Transport>::next> session<Transport>::answer_verb(header_parser& p,
                                                                                   verb what) {
    if (!pipeline_)
        pipeline_.emplace(shared_.rules, shared_.settings.limits, shared_.settings.invalid_pod,
                          shared_.settings.named);
    auto& pipeline = *pipeline_;
    pipeline.start(what, shared_.node_cache ? shared_.node_cache->nodes() : named_nodes{});

    diagnostics failure;
    bool whole = true;  // the body was read to its end
    const auto limit = shared_.settings.limits.max_body_bytes;
    const auto length = p.content_length();
    if (length && *length > limit) {
        whole = false;
        failure = {errc::body_too_large, "Content-Length " + std::to_string(*length) +
                                             " is more than " + std::to_string(limit) +
                                             " bytes: raise --max-body-bytes"};
    } else {
        const auto ec = co_await read_body(p);
        if (ec && ec != http::error::body_limit) co_return co_await answer_unreadable(what, ec);
        whole = !ec;
        if (pipeline.finish() != errc::success) failure = pipeline.failure();
    }

    if (pipeline.none_named_fits() && shared_.second_look.admit(clock::now()))
        co_await look_again();
    const bool keep_alive = whole && keeps_alive(p);  // behind the hold: it ends when draining
    // kube-scheduler shows the Error of a filter result, and nothing of any other status.
    const bool in_result = what == verb::filter && failure.code == errc::node_cache_not_ready;
    const auto status = in_result ? 200 : status_of(failure.code);
    if (failure.code != errc::success)
        log_refusal(what, status, slug(failure.code), failure.detail);
    error_code ec;
    if (failure.code == errc::success || in_result) {
        in_result ? pipeline.compose_error() : pipeline.compose();
        ec = co_await send_reply(keep_alive);
    } else {
        auto answer = to_response(failure);
        ec = co_await send_error(std::move(answer), keep_alive);
    }
    const auto refusal = failure.code == errc::success ? std::string_view{} : slug(failure.code);
    count(what, status, refusal, !ec);
    if (ec) co_return next::close;
    if (!whole) co_return next::linger;
    co_return keep_alive ? next::request : next::close;
}

/// Judges the names again each time the index moves, until one fits or the patience ends.
template <class Transport>
asio::awaitable<void> session<Transport>::look_again() {
    asio::steady_timer timer(transport_.executor());
    const auto end = clock::now() + shared_.settings.second_look_patience;
    do {
        auto latest = shared_.node_cache->nodes();
        if (!latest.index) co_return;
        if (!latest.index->is(*pipeline_->known().index)) {
            pipeline_->judge_again(std::move(latest));
            if (!pipeline_->none_named_fits()) co_return;
        }
        timer.expires_after(second_look::step);
        const auto [ec] = co_await timer.async_wait(asio::as_tuple(asio::use_awaitable));
        if (ec) co_return;
    } while (clock::now() < end && !shared_.draining);
}

/// The body into the pipeline, all of it even when the pipeline has found an error: a peer that is
/// still sending would not read the answer. http::error::body_limit when it is larger than allowed.
template <class Transport>
asio::awaitable<error_code> session<Transport>::read_body(header_parser& p) {
    const auto length = p.content_length().value_or(0);
    if (p.get().version() == 11 && beast::iequals(p.get()[http::field::expect], "100-continue") &&
        buffer_.size() == 0 && (p.chunked() || length > 0)) {
        const auto ec = co_await transport_.write("HTTP/1.1 100 Continue\r\n\r\n");
        if (ec) co_return ec;
    }
    if (p.chunked()) co_return co_await read_chunked_body(p);
    if (length < large_body_bytes) co_return co_await receive(*pipeline_, length);
    segment_ring segments(shared_.settings.policy, *pipeline_, shared_.loops,
                          transport_.executor());
    const auto ec = co_await receive(segments, length);
    if (!ec) segments.finish();
    co_return ec;
}

/// `size` bytes into `target`, straight from the transport but for those that came with the header.
template <class Transport>
template <class Target>
asio::awaitable<error_code> session<Transport>::receive(Target& target, std::uint64_t size) {
    while (size > 0) {
        auto space = target.prepare();
        if (space.size() > size) space = space.first(static_cast<std::size_t>(size));
        std::size_t received = 0;
        if (buffer_.size() > 0) {
            received = asio::buffer_copy(asio::buffer(space.data(), space.size()), buffer_.data());
            buffer_.consume(received);
        } else {
            error_code ec;
            received = co_await transport_.read_some(space, ec);
            if (ec) co_return ec;
        }
        if constexpr (requires { target.commit(received, transport_.waits()); })
            target.commit(received, transport_.waits());
        else
            target.commit(received);
        size -= received;
    }
    co_return error_code{};
}

template <class Transport>
asio::awaitable<error_code> session<Transport>::read_chunked_body(header_parser& p) {
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
        ec = co_await fill();
        if (ec) co_return ec;
    }
    co_return error_code{};
}

/// A body that did not come, or not in HTTP's form.
template <class Transport>
asio::awaitable<typename session<Transport>::next> session<Transport>::answer_unreadable(
    verb what, error_code ec) {
    error_response answer;
    std::string_view reason;
    if (ec == asio::error::timed_out) {
        answer = request_timeout("--read-timeout");
        reason = "read_timeout";
    } else if (is_http_error(ec)) {
        answer = bad_request("the chunks of the body are malformed");
        reason = "bad_chunk";
    } else {
        shared_.metrics.count_abandoned_request();
        if (const auto suppressed = shared_.refusals.admit(clock::now()))
            shared_.log.write(log::level::info, "peer left within a request",
                              {{"verb", name_of(what)},
                               {"error", ec.message()},
                               {"body_bytes", pipeline_->body_bytes()},
                               {"peer", peer()},
                               {"suppressed", *suppressed}});
        co_return next::close;
    }
    const auto status = answer.status;
    log_refusal(what, status, reason, ec.message());
    const auto sent = co_await send_error(std::move(answer), false);
    count(what, status, reason, !sent);
    co_return sent ? next::close : next::linger;
}

template <class Transport>
asio::awaitable<error_code> session<Transport>::send_error(error_response answer, bool keep_alive,
                                                           bool with_body) {
    transport_.expires_at(clock::now() + shared_.settings.timeouts.write);
    std::string more = "X-Content-Type-Options: nosniff\r\n";
    if (!answer.allow.empty()) more.append("Allow: ").append(answer.allow).append("\r\n");
    auto text = response_head(answer.status, "text/plain; charset=utf-8", answer.body.size(),
                              keep_alive, more);
    if (with_body) text.append(answer.body);
    co_return co_await transport_.write(text);
}

template <class Transport>
asio::awaitable<error_code> session<Transport>::send_reply(bool keep_alive) {
    transport_.expires_at(clock::now() + shared_.settings.timeouts.write);
    auto const& reply = pipeline_->reply();
    auto text = response_head(200, "application/json", reply.size(), keep_alive);
    std::uint64_t sent = 0;
    if (reply.size() <= small_reply_bytes)
        for (; sent < reply.size(); sent += reply.piece(sent).size())
            text.append(reply.piece(sent));
    std::string_view head = text;
    for (;;) {
        const auto piece = sent < reply.size() ? reply.piece(sent) : std::string_view();
        const auto ec = co_await transport_.write(head, piece);
        sent += piece.size();
        if (ec || sent == reply.size()) co_return ec;
        head = {};
    }
}

/// Ends the connection for the peer, and reads until it has ended it too.
template <class Transport>
asio::awaitable<void> session<Transport>::linger() {
    transport_.expires_at(clock::now() + linger_time);
    auto ec = co_await transport_.shutdown();
    while (!ec) {
        buffer_.clear();
        ec = co_await fill();
    }
}

template <class Transport>
void session<Transport>::count(verb what, unsigned status, std::string_view refusal, bool sent) {
    request_record record{.what = what,
                          .status = status,
                          .refusal = refusal,
                          .duration = clock::now() - started_,
                          .nodes = {}};
    if (refusal.empty()) record.nodes = pipeline_->counts();
    shared_.metrics.count(record);
    if (sent) return;
    shared_.metrics.count_unsent_answer();
    if (const auto suppressed = shared_.refusals.admit(clock::now()))
        shared_.log.write(log::level::warning, "peer did not take the answer",
                          {{"verb", name_of(what)},
                           {"status", status},
                           {"peer", peer()},
                           {"suppressed", *suppressed}});
}

/// kube-scheduler throws an error's text away: the log is where an operator finds it.
template <class Transport>
void session<Transport>::log_refusal(verb what, unsigned status, std::string_view reason,
                                     std::string_view detail) {
    const auto suppressed = shared_.refusals.admit(clock::now());
    if (!suppressed) return;
    shared_.log.write(log::level::warning, "request refused",
                      {{"verb", name_of(what)},
                       {"status", status},
                       {"reason", reason},
                       {"detail", detail},
                       {"namespace", pipeline_->pod_namespace()},
                       {"pod", pipeline_->pod_name()},
                       {"body_bytes", pipeline_->body_bytes()},
                       {"nodes", pipeline_->node_count()},
                       {"peer", peer()},
                       {"suppressed", *suppressed}});
}

template <class Transport>
void session<Transport>::log_unrouted(unsigned status, std::string_view reason,
                                      std::string_view detail) {
    const auto suppressed = shared_.refusals.admit(clock::now());
    if (!suppressed) return;
    shared_.log.write(log::level::warning, "request refused",
                      {{"status", status},
                       {"reason", reason},
                       {"detail", detail},
                       {"peer", peer()},
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
