#include "load_connection.hpp"

#include <algorithm>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/ssl/error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/http/error.hpp>
#include <boost/beast/http/message.hpp>
#include <boost/beast/http/parser.hpp>
#include <cstring>
#include <span>
#include <type_traits>
#include <utility>

namespace nodesieve::bench {

namespace asio = boost::asio;
namespace http = boost::beast::http;

namespace {

// Small enough for the processor's caches to keep it while it is decrypted, parsed and compared.
constexpr std::size_t read_bytes = 64 * 1024;
// So that a server that is gone is not asked ten thousand times a second.
constexpr auto pause_after_error = std::chrono::milliseconds(10);
// A server may end a connection that was idle for so long.
constexpr auto long_idle = std::chrono::seconds(1);
constexpr std::size_t shown_of_refusal = 120;

// A body that is judged as it comes in; of an answer that is not 200 only the start is kept.
struct judged_body {
    struct value_type {
        answer_reader* answer = nullptr;
        std::string refusal;
    };

    class reader {
      public:
        template <bool IsRequest, class Fields>
        reader(http::header<IsRequest, Fields>& head, value_type& body) : body_(body) {
            // Beast wants it to be made from requests too.
            if constexpr (std::is_same_v<http::header<IsRequest, Fields>, http::response_header<>>)
                head_ = &head;
        }

        void init(boost::optional<std::uint64_t> const&, boost::system::error_code& ec) {
            ok_ = head_ && head_->result() == http::status::ok;
            ec = {};
        }

        template <class Buffers>
        std::size_t put(Buffers const& buffers, boost::system::error_code& ec) {
            ec = {};
            std::size_t size = 0;
            for (auto at = asio::buffer_sequence_begin(buffers);
                 at != asio::buffer_sequence_end(buffers); ++at) {
                asio::const_buffer const buffer = *at;
                take({static_cast<char const*>(buffer.data()), buffer.size()});
                size += buffer.size();
            }
            return size;
        }

        void finish(boost::system::error_code& ec) { ec = {}; }

      private:
        void take(std::string_view piece) {
            if (ok_)
                body_.answer->put(piece);
            else
                body_.refusal += piece.substr(
                    0, shown_of_refusal - std::min(shown_of_refusal, body_.refusal.size()));
        }

        http::response_header<> const* head_ = nullptr;
        value_type& body_;
        bool ok_ = false;
    };
};

using answer_parser = http::response_parser<judged_body>;

request_error refusal(unsigned status, std::string_view body) {
    std::string const kind = "status " + std::to_string(status);
    std::string_view const line = body.substr(0, body.find_first_of("\r\n"));
    return {kind, line.empty() ? kind : kind + ": " + std::string(line)};
}

}  // namespace

load_connection::load_connection(asio::io_context& context, load_target& target)
    : target_(target),
      transport_(context, target.tls),
      timer_(context),
      answer_(target.answer),
      buffer_(read_bytes) {}

asio::awaitable<void> load_connection::run(request_schedule& schedule, load_result& into) {
    for (bool idle = true;; idle = false) {
        auto const now = clock::now();
        auto const intended = schedule.claim(now);
        if (!intended) break;
        co_await sleep_until(*intended);
        if (*intended - now >= long_idle) idle = true;
        if (idle && transport_.is_open() && transport_.ended_by_peer()) transport_.close();
        auto const deadline = *intended + target_.timeout;
        transport_.expires_at(deadline);
        exchange done;
        if (clock::now() < deadline)
            done = co_await post();
        else
            done.error = {"not sent", "no connection was free within the timeout"};

        if (done.error) {
            into.record_error(clock::now() - schedule.start(), *done.error);
            transport_.close();
            if (done.error->kind != "not sent")
                co_await sleep_until(clock::now() + pause_after_error);
        } else {
            into.record_answer(done.received - schedule.start(), done.received - *intended,
                               target_.request.size(), done.bytes_in, done.reply_size);
        }
        target_.finished.fetch_add(1, std::memory_order_relaxed);
    }
    transport_.rest();
}

asio::awaitable<load_connection::exchange> load_connection::post() {
    exchange done;
    if (!transport_.is_open()) {
        done.error = co_await open();
        if (done.error) co_return done;
    }
    error_code const sent = co_await send();
    // Read in any case: a server that refuses the body may say so and close before it has taken all
    // of it. That tells more than the broken pipe.
    if (sent == asio::error::timed_out)
        done.error = failure(sent, "sending the request");
    else
        done = co_await receive();
    bool const told_more =
        !done.error || done.error->kind == "tls" || done.error->kind.starts_with("status");
    if (sent && !told_more) done.error = failure(sent, "sending the request");
    if (sent) transport_.close();
    co_return done;
}

asio::awaitable<std::optional<request_error>> load_connection::open() {
    error_code ec = asio::error::host_not_found;
    for (auto const& endpoint : target_.endpoints) {
        transport_.close();
        ec = co_await transport_.connect(endpoint);
        if (!ec) break;
    }
    if (ec) {
        request_error error = failure(ec, "connecting");
        if (error.kind != "timeout") error.kind = "connect";
        co_return error;
    }
    ec = co_await transport_.handshake(target_.host);
    if (ec) {
        request_error error = failure(ec, "TLS handshake");
        if (error.kind != "timeout") error.kind = "tls";
        co_return error;
    }
    if (protocol_.empty()) protocol_ = transport_.protocol();
    co_return std::nullopt;
}

asio::awaitable<load_connection::error_code> load_connection::send() {
    error_code ec = co_await transport_.write(target_.request.opening());
    if (!ec && !target_.request.rest().empty())
        ec = co_await transport_.write(target_.request.rest());
    co_return ec;
}

asio::awaitable<load_connection::exchange> load_connection::receive() {
    exchange done;
    answer_parser parser;
    parser.eager(true);
    parser.body_limit(boost::none);
    parser.get().body().answer = &answer_;
    answer_.start();

    std::size_t held = 0;  // bytes in the buffer that the parser could not use yet
    while (!parser.is_done()) {
        error_code ec;
        std::span<char> const room(buffer_.data() + held, buffer_.size() - held);
        std::size_t const size = co_await transport_.read_some(room, ec);
        done.received = clock::now();
        if (ec == asio::error::eof && parser.got_some() && held == 0) {
            error_code incomplete;
            parser.put_eof(incomplete);
            if (!incomplete) break;
        }
        if (ec) {
            done.error = failure(ec, "reading the answer");
            co_return done;
        }
        done.bytes_in += size;
        held += size;
        std::size_t const used = parser.put(asio::const_buffer(buffer_.data(), held), ec);
        held -= used;
        std::memmove(buffer_.data(), buffer_.data() + used, held);
        if (ec == http::error::need_more && held != buffer_.size()) ec = {};
        if (ec) {
            done.error = {"not HTTP", "reading the answer: " + ec.message()};
            co_return done;
        }
    }

    done.reply_size = answer_.size();
    if (held != 0 || !parser.keep_alive() || !target_.keep_alive) transport_.close();
    if (parser.get().result() != http::status::ok) {
        done.error = refusal(parser.get().result_int(), parser.get().body().refusal);
    } else if (std::string complaint = answer_.finish(); !complaint.empty()) {
        done.error = {"wrong answer", std::move(complaint)};
    }
    co_return done;
}

asio::awaitable<void> load_connection::sleep_until(clock::time_point when) {
    if (when <= clock::now()) co_return;
    timer_.expires_at(when);
    co_await timer_.async_wait(asio::as_tuple(asio::use_awaitable));
}

request_error load_connection::failure(error_code const& ec, char const* doing) const {
    bool const of_tls = ec.category() == asio::error::get_ssl_category();
    char const* const kind = ec == asio::error::timed_out ? "timeout"
                             : of_tls                     ? "tls"
                                                          : "closed early";
    return {kind, std::string(doing) + ": " + transport_.describe(ec)};
}

}  // namespace nodesieve::bench
