#include "running_server.hpp"

#include <boost/test/unit_test.hpp>

#include <csignal>
#include <memory>
#include <string>
#include <vector>

using namespace nodesieve::test;

namespace {

const std::string body = R"({"Pod":{},"Nodes":{"items":[]}})";

/// Has a request in flight for sure: the server waits for its body.
void begin_request(wire_client& client) {
    client.send("POST /filter HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: " +
                std::to_string(body.size()) + "\r\n\r\n");
    BOOST_REQUIRE(client.receive_some() == "HTTP/1.1 100 Continue\r\n\r\n");
}

/// A shutdown that has begun: the port is closed.
void wait_until_draining(running_server& server) {
    auto admin = server.connect_admin();
    for (;;) {
        admin.send(request_text("GET", "/readyz", {}));
        const auto answer = admin.receive();
        if (answer.result_int() == 503) return;
        BOOST_REQUIRE(answer.keep_alive());
    }
}

}  // namespace

BOOST_AUTO_TEST_SUITE(shutdown_test)

BOOST_AUTO_TEST_CASE(finishes_the_request_in_flight_and_closes_behind_it) {
    running_server server;
    auto client = server.connect();
    begin_request(client);
    server->stop();
    wait_until_draining(server);
    client.send(body);
    const auto answer = client.receive();
    BOOST_TEST(answer.result_int() == 200U);
    BOOST_TEST(!answer.keep_alive());
    BOOST_TEST(client.is_closed());
    server->wait();
}

BOOST_AUTO_TEST_CASE(closes_idle_connections_at_once) {
    running_server server;
    auto client = server.connect();
    client.send(request_text("POST", "/filter", body));
    BOOST_TEST(client.receive().keep_alive());
    server->stop();
    BOOST_TEST(client.is_closed());
    server->wait();
}

BOOST_AUTO_TEST_CASE(accepts_no_connection_any_more) {
    running_server server;
    auto client = server.connect();
    begin_request(client);
    server->stop();
    wait_until_draining(server);
    // The port closes behind the connections that were in its backlog.
    const auto is_refused = [&] {
        try {
            (void)server.connect_plain();
            return false;
        } catch (std::exception const&) {
            return true;
        }
    };
    while (!is_refused()) {
    }  // bounded by the test's timeout
    client.send(body);
    BOOST_TEST(client.receive().result_int() == 200U);
    server->wait();
}

BOOST_AUTO_TEST_CASE(answers_what_was_sent_before_it_began) {
    // Connections in every state that a shutdown can meet: accepted or in the backlog, in the
    // handshake, idle with a request on its way.
    running_server server;
    auto idle = server.connect();
    idle.send(request_text("POST", "/filter", body));
    BOOST_TEST(idle.receive().keep_alive());
    std::vector<std::unique_ptr<wire_client>> clients;
    auto const& certificates = shared_certificates();
    for (int i = 0; i < 10; ++i) {
        clients.push_back(
            std::make_unique<wire_client>(server->address(), certificates.ca, certificates.client));
        clients.back()->send(request_text("POST", "/filter", body));
    }
    idle.send(request_text("POST", "/filter", body));
    server->stop();
    BOOST_TEST(idle.receive().result_int() == 200U);
    for (auto& client : clients) BOOST_TEST(client->receive().result_int() == 200U);
    server->wait();
}

BOOST_AUTO_TEST_CASE(a_signal_begins_it) {
    running_server server;
    server->stop_on_signals();
    std::raise(SIGTERM);
    server->wait();
    BOOST_TEST(server.log_text().find("shutting down") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(stopping_twice_is_stopping) {
    running_server server;
    server->stop();
    server->stop();
    server->wait();
}

BOOST_AUTO_TEST_SUITE_END()
