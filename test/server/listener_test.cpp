#include "listener.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/test/unit_test.hpp>

#include <atomic>
#include <string>
#include <vector>

using namespace nodesieve::server;
namespace asio = boost::asio;
using asio::ip::tcp;

namespace {

/// An accept loop on the loopback, and clients that wait in its backlog.
struct loop {
    event_loops loops{1};
    asio::io_context& io = loops.front();
    nodesieve::server::log logged{log_format::text};
    log_throttle errors{1};
    std::atomic<bool> stopping = false;
    tcp::acceptor acceptor = open_listener(io.get_executor(), "--listen", "127.0.0.1:0");
    std::vector<tcp::socket> clients;
    std::size_t accepted = 0;

    void connect(std::size_t count) {
        for (; count > 0; --count) clients.emplace_back(io).connect(acceptor.local_endpoint());
    }
    void stop() {
        stopping = true;
        acceptor.cancel();
    }
    template <class HandOver>
    void start(HandOver hand_over) {
        asio::co_spawn(io, accept_connections(acceptor, loops, hand_over, stopping, logged, errors),
                       asio::detached);
    }
};

/// Until the loop has closed the port: the io_context itself has work for ever.
void run_to_the_end(loop& l) {
    while (l.acceptor.is_open()) l.io.run_one();
}

}  // namespace

BOOST_AUTO_TEST_SUITE(listener_test)

BOOST_AUTO_TEST_CASE(stops_while_it_waits) {
    loop l;
    l.start([&](tcp::socket const&) { ++l.accepted; });
    l.io.poll();
    l.stop();
    run_to_the_end(l);
    BOOST_TEST(!l.acceptor.is_open());
}

BOOST_AUTO_TEST_CASE(stops_when_it_is_told_between_two_connections_and_hands_over_the_backlog) {
    loop l;
    l.connect(5);
    l.start([&](tcp::socket const&) {
        ++l.accepted;
        l.stop();  // nothing waits that could be cancelled
    });
    run_to_the_end(l);
    BOOST_TEST(l.accepted == 5U);
    BOOST_TEST(!l.acceptor.is_open());
}

BOOST_AUTO_TEST_CASE(says_which_flag_and_address_cannot_be_listened_on) {
    loop l;
    const auto taken = "127.0.0.1:" + std::to_string(l.acceptor.local_endpoint().port());
    BOOST_CHECK_EXCEPTION(
        (void)open_listener(l.io.get_executor(), "--listen", taken), std::runtime_error,
        [&](std::runtime_error const& e) {
            return std::string_view(e.what()).starts_with("--listen " + taken + ": ");
        });
}

BOOST_AUTO_TEST_SUITE_END()
