#include "load_generator.hpp"

#include <atomic>
#include <boost/test/unit_test.hpp>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "loopback.hpp"
#include "stub_server_test.hpp"

namespace {

using namespace std::chrono_literals;
using namespace nodesieve::bench;
using tcp = boost::asio::ip::tcp;
using counts = std::map<std::string, std::uint64_t>;

std::string check_yes(std::string_view body) {
    return body == "yes" ? "" : "expected yes, saw " + std::string(body);
}

// A script that answers request after request; the n-th, counted over all connections, with
// reply(n).
stub_server::script answering(std::function<std::string(std::size_t)> reply) {
    return [reply = std::move(reply),
            n = std::make_shared<std::atomic<std::size_t>>(0)](tcp::socket& socket) {
        while (read_request(socket)) send(socket, reply((*n)++));
    };
}

// A script that answers one request, in pieces, and closes.
stub_server::script closing_after(std::vector<std::string> pieces) {
    return [pieces = std::move(pieces)](tcp::socket& socket) {
        if (!read_request(socket)) return;
        for (std::string const& each : pieces) send(socket, each);
    };
}

struct load_case {
    std::string body = "{}";
    std::uint64_t count = 3;
    std::optional<double> rate = {};
    load_setting setting = {};
};

load_result load(std::string const& url, load_case const& with = {}) {
    known_answer known(check_yes);
    load_generator generator(http_url::parse(url), nullptr, with.body, known, with.setting);
    request_schedule::bound const end{.duration = 1min, .count = with.count};
    auto const now = request_schedule::clock::now();
    auto schedule = with.rate ? request_schedule::open_loop(now, end, *with.rate)
                              : request_schedule::closed_loop(now, end);
    return generator.run(schedule);
}

load_result load(stub_server::script script, load_case const& with = {}) {
    stub_server const server(std::move(script));
    return load(server.url(), with);
}

counts errors_of(load_result const& result) {
    counts all;
    for (auto const& [kind, tally] : result.errors.by_kind()) all[kind] = tally.count;
    return all;
}

std::string first_detail(load_result const& result) {
    return result.errors.by_kind().begin()->second.first_detail;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(load_generator_)

BOOST_AUTO_TEST_CASE(counts_right_answers) {
    for (std::size_t const threads : {1, 3}) {
        stub_server const server(answering([](std::size_t) { return answer("yes"); }));
        load_result const result =
            load(server.url(), {.count = 50, .setting = {.connections = 4, .threads = threads}});
        BOOST_TEST(errors_of(result).empty());
        BOOST_TEST(result.latency.count() == 50U);
        BOOST_TEST(result.smallest_reply == 3U);
        BOOST_TEST(result.largest_reply == 3U);
        BOOST_TEST(result.bytes_in == 50 * answer("yes").size());
        BOOST_TEST(result.bytes_out > 50U * 100);
        BOOST_TEST((result.elapsed >= result.latency.max()));
        BOOST_TEST(server.connections() <= 4U);
    }
}

BOOST_AUTO_TEST_CASE(sends_bodies_of_many_megabytes) {
    load_result const result = load(answering([](std::size_t) { return answer("yes"); }),
                                    {.body = std::string(20'000'000, 'x'), .count = 2});
    BOOST_TEST(errors_of(result).empty());
    BOOST_TEST(result.latency.count() == 2U);
}

BOOST_AUTO_TEST_CASE(counts_a_wrong_answer_as_wrong) {
    load_result const result =
        load(answering([](std::size_t n) { return answer(n == 0 || n == 3 ? "yes" : "yeah"); }),
             {.count = 5});
    BOOST_TEST(result.latency.count() == 2U);
    BOOST_TEST((errors_of(result) == counts{{"wrong answer", 3}}));
    BOOST_TEST(first_detail(result) == "expected yes, saw yeah");
}

BOOST_AUTO_TEST_CASE(counts_answers_by_their_status) {
    load_result const result = load(answering([](std::size_t n) {
        return n == 1   ? answer("busy\nmore", "503 Service Unavailable")
               : n == 2 ? answer("", "404 Not Found")
                        : answer("yes");
    }));
    BOOST_TEST(result.latency.count() == 1U);
    BOOST_TEST((errors_of(result) == counts{{"status 404", 1}, {"status 503", 1}}));
    BOOST_TEST(result.errors.by_kind().at("status 503").first_detail == "status 503: busy");
}

// Wherever it happens, and the next request goes over a new connection.
BOOST_AUTO_TEST_CASE(counts_a_connection_that_was_closed_early) {
    std::string const whole = answer("yes");
    for (std::size_t sent = 0; sent < whole.size(); sent += 7) {
        BOOST_TEST_CONTEXT(sent << " bytes") {
            stub_server const server(closing_after({whole.substr(0, sent)}));
            load_result const result = load(server.url());
            BOOST_TEST((errors_of(result) == counts{{"closed early", 3}}));
            BOOST_TEST(result.latency.count() == 0U);
            BOOST_TEST(server.connections() == 3U);
        }
    }
}

BOOST_AUTO_TEST_CASE(counts_a_chunked_answer_that_was_cut_short) {
    load_result const result =
        load(closing_after({"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nyes\r\n"}));
    BOOST_TEST((errors_of(result) == counts{{"closed early", 3}}));
}

BOOST_AUTO_TEST_CASE(counts_a_timeout_when_no_answer_comes) {
    load_result const result = load(
        [](tcp::socket& socket) {
            while (read_request(socket)) {
            }
        },
        {.count = 2, .setting = {.timeout = 20ms}});
    BOOST_TEST((errors_of(result) == counts{{"timeout", 2}}));
}

BOOST_AUTO_TEST_CASE(counts_a_timeout_when_the_body_is_not_taken) {
    std::atomic<bool> stop = false;
    stub_server const server([&](tcp::socket&) { stop.wait(false); });
    load_result const result =
        load(server.url(),
             {.body = std::string(30'000'000, 'x'), .count = 2, .setting = {.timeout = 50ms}});
    stop = true;
    stop.notify_all();
    BOOST_TEST((errors_of(result) == counts{{"timeout", 2}}));
}

// Of an open loop's arrivals those that wait for a connection until their time is over.
BOOST_AUTO_TEST_CASE(counts_what_could_not_be_sent_in_time) {
    load_result const result = load(
        [](tcp::socket& socket) {
            while (read_request(socket)) {
            }
        },
        {.count = 40, .rate = 1000, .setting = {.timeout = 20ms}});
    counts const errors = errors_of(result);
    BOOST_TEST(result.latency.count() == 0U);
    BOOST_TEST(result.errors.count() == 40U);
    BOOST_TEST((errors.contains("timeout") && errors.contains("not sent")));
    BOOST_TEST(errors.size() == 2U);
}

BOOST_AUTO_TEST_CASE(counts_what_is_not_http) {
    load_result const result = load(closing_after({"SSH-2.0-OpenSSH\r\n\r\n"}));
    BOOST_TEST((errors_of(result) == counts{{"not HTTP", 3}}));
}

BOOST_AUTO_TEST_CASE(counts_connections_that_are_refused) {
    std::string url;
    {
        stub_server const gone([](tcp::socket&) {});
        url = gone.url();
    }
    BOOST_TEST((errors_of(load(url)) == counts{{"connect", 3}}));
}

BOOST_AUTO_TEST_CASE(tells_of_a_refusal_that_comes_before_the_body_is_taken) {
    auto const refusing = [](tcp::socket& socket) {
        std::string head;
        boost::system::error_code ec;
        read_until(socket, boost::asio::dynamic_buffer(head), "\r\n\r\n", ec);
        send(socket, "HTTP/1.1 413 Too Large\r\nConnection: close\r\n\r\ntoo large");
        socket.shutdown(tcp::socket::shutdown_send, ec);
        std::string rest;
        read(socket, boost::asio::dynamic_buffer(rest), ec);
    };
    load_result const result = load(refusing, {.body = std::string(5'000'000, 'x'), .count = 2});
    BOOST_TEST((errors_of(result) == counts{{"status 413", 2}}));
    BOOST_TEST(first_detail(result) == "status 413: too large");
}

// At every cut of the chunks' frames, and byte by byte.
BOOST_AUTO_TEST_CASE(reads_chunked_answers_however_they_are_cut) {
    std::string const whole =
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\ny\r\n2;x=1\r\nes\r\n0\r\n\r\n";
    for (std::size_t cut = 1; cut != whole.size(); ++cut) {
        BOOST_TEST_CONTEXT("cut at " << cut) {
            stub_server const server([&](tcp::socket& socket) {
                socket.set_option(tcp::no_delay(true));
                while (read_request(socket)) {
                    send(socket, whole.substr(0, cut));
                    send(socket, whole.substr(cut));
                }
            });
            BOOST_TEST(load(server.url()).latency.count() == 3U);
        }
    }
    load_result const bytewise = load([&](tcp::socket& socket) {
        while (read_request(socket))
            for (char const c : whole) send(socket, {&c, 1});
    });
    BOOST_TEST(bytewise.latency.count() == 3U);
}

BOOST_AUTO_TEST_CASE(reads_answers_that_end_with_the_connection) {
    stub_server const server(
        closing_after({"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n", "yes"}));
    load_result const result = load(server.url());
    BOOST_TEST(errors_of(result).empty());
    BOOST_TEST(result.latency.count() == 3U);
    BOOST_TEST(server.connections() == 3U);
}

BOOST_AUTO_TEST_CASE(makes_a_connection_for_each_request_without_keep_alive) {
    stub_server const server(answering([](std::size_t) { return answer("yes"); }));
    load_result const result = load(server.url(), {.count = 5, .setting = {.keep_alive = false}});
    BOOST_TEST(result.latency.count() == 5U);
    BOOST_TEST(server.connections() == 5U);
}

BOOST_AUTO_TEST_CASE(open_loop_sends_all_arrivals) {
    load_result const result = load(answering([](std::size_t) { return answer("yes"); }),
                                    {.count = 30, .rate = 1000, .setting = {.connections = 3}});
    BOOST_TEST(errors_of(result).empty());
    BOOST_TEST(result.latency.count() == 30U);
    BOOST_TEST((result.elapsed >= 29ms));
}

BOOST_AUTO_TEST_CASE(warms_up_every_connection_and_keeps_it_open) {
    stub_server const server(answering([](std::size_t) { return answer("yes"); }));
    known_answer known(check_yes);
    load_generator generator(http_url::parse(server.url()), nullptr, "{}", known,
                             {.connections = 3, .threads = 2});
    BOOST_TEST(generator.warm_up(2).latency.count() == 6U);
    BOOST_TEST(server.connections() == 3U);
    BOOST_TEST(known.right_one() != nullptr);
    BOOST_TEST(generator.protocol() == "plain");
    for (int turn = 0; turn != 3; ++turn) {
        auto schedule = request_schedule::closed_loop(request_schedule::clock::now(),
                                                      {.duration = 1min, .count = 5});
        BOOST_TEST(generator.run(schedule).latency.count() == 5U);
    }
    BOOST_TEST(server.connections() == 3U);
}

BOOST_AUTO_TEST_CASE(connects_anew_when_the_server_ended_an_idle_connection) {
    stub_server const server(closing_after({answer("yes")}));
    known_answer known(check_yes);
    load_generator generator(http_url::parse(server.url()), nullptr, "{}", known, {});
    BOOST_TEST(generator.warm_up(1).latency.count() == 1U);
    for (std::size_t turn = 1; turn != 4; ++turn) {
        server.wait_for_closed(turn);
        auto schedule = request_schedule::closed_loop(request_schedule::clock::now(),
                                                      {.duration = 1min, .count = 1});
        BOOST_TEST(generator.run(schedule).latency.count() == 1U);
    }
    BOOST_TEST(server.connections() == 4U);
}

BOOST_AUTO_TEST_CASE(refuses_what_is_not_loopback) {
    for (char const* url :
         {"http://192.0.2.1:1/filter", "http://[2001:db8::1]:1/filter", "http://0.0.0.0:1/filter"})
        BOOST_CHECK_EXCEPTION(loopback_endpoints(http_url::parse(url)), std::runtime_error,
                              [](std::runtime_error const& error) {
                                  std::string_view const text = error.what();
                                  return text.find("not a loopback address") != text.npos;
                              });
    BOOST_TEST(!loopback_endpoints(http_url::parse("http://127.1.2.3:1/")).empty());
    BOOST_TEST(!loopback_endpoints(http_url::parse("http://[::1]:1/")).empty());
}

BOOST_AUTO_TEST_SUITE_END()
