#include "running_server.hpp"

#include <boost/test/unit_test.hpp>

#include <string>

using namespace nodesieve::test;

BOOST_AUTO_TEST_SUITE(admin_test)

BOOST_AUTO_TEST_CASE(answers_probes_and_prometheus_without_a_certificate) {
    running_server server;
    auto client = server.connect_admin();
    for (const auto* path : {"/healthz", "/readyz"}) {
        client.send(request_text("GET", path, {}));
        const auto answer = client.receive();
        BOOST_TEST(answer.result_int() == 200U);
        BOOST_TEST(answer.body() == "ok\n");
        BOOST_TEST(answer.keep_alive());
    }
    client.send(request_text("GET", "/metrics", {}));
    const auto metrics = client.receive();
    BOOST_TEST(metrics["Content-Type"] == "text/plain; version=0.0.4; charset=utf-8");
    BOOST_TEST(metrics.body().find("nodesieve_build_info{version=") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(answers_head_without_a_body) {
    running_server server;
    auto client = server.connect_admin();
    client.send(request_text("HEAD", "/metrics", {}));
    const auto answer = client.receive(true);
    BOOST_TEST(answer.result_int() == 200U);
    client.send(request_text("GET", "/healthz", {}));
    BOOST_TEST(client.receive().body() == "ok\n");
}

BOOST_AUTO_TEST_CASE(tells_404_from_405) {
    running_server server;
    auto client = server.connect_admin();
    client.send(request_text("GET", "/filter", {}));
    BOOST_TEST(client.receive().result_int() == 404U);
    client.send(request_text("POST", "/metrics", {}));
    const auto answer = client.receive();
    BOOST_TEST(answer.result_int() == 405U);
    BOOST_TEST(answer["Allow"] == "GET, HEAD");
}

BOOST_AUTO_TEST_CASE(answers_what_was_meant_for_the_other_port_or_is_no_http) {
    running_server server;
    auto client = server.connect_admin();
    client.send(request_text("POST", "/filter", "{}"));
    BOOST_TEST(client.receive().result_int() == 405U);
    client.send("nonsense\r\n\r\n");
    const auto answer = client.receive();
    BOOST_TEST(answer.result_int() == 400U);
    BOOST_TEST(client.is_closed());
}

BOOST_AUTO_TEST_CASE(every_series_exists_from_the_start) {
    running_server server;
    BOOST_TEST(server.metric(R"(nodesieve_requests_total{code="200",verb="filter"})") == "0");
    BOOST_TEST(server.metric(
                   R"(nodesieve_refusals_total{reason="bad_node_name",verb="prioritize"})") == "0");
    BOOST_TEST(server.metric(R"(nodesieve_last_request_timestamp_seconds{verb="filter"})") == "0");
}

BOOST_AUTO_TEST_SUITE_END()
