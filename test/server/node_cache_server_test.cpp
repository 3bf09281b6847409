// The server with a node cache, from the API server to the answers.
#include "api_server.hpp"
#include "running_server.hpp"

#include <boost/test/unit_test.hpp>

#include <chrono>
#include <functional>
#include <string>
#include <string_view>

using namespace nodesieve;
using namespace nodesieve::test;
using namespace std::chrono_literals;

namespace {

bool contains(std::string const& text, std::string_view part) {
    return text.find(part) != std::string::npos;
}

const std::string filter_body =
    R"({"Pod":{"metadata":{"annotations":{"training.example.com/min-gpu-memory-mib":"40960"}},)"
    R"("spec":{"containers":[{"resources":{"requests":{"nvidia.com/gpu":"1"}}}]}},)"
    R"("NodeNames":["a"]})";

struct cluster {
    cluster() {
        api.set_node("a", "81920");
        folder.write("ca.crt", api.authority().certificate);
    }

    server::options settings(std::string const& kubeconfig) const {
        auto result = test_options(shared_certificates());
        result.node_cache = server::node_cache_mode::watch;
        result.kubeconfig = folder.write("kubeconfig", kubeconfig);
        return result;
    }
    server::options settings() const { return settings(api.kubeconfig()); }

    api_server api;
    temporary_directory folder;
};

response readiness(running_server& server) {
    auto client = server.connect_admin();
    client.send(request_text("GET", "/readyz", {}));
    return client.receive();
}

std::string filtered(running_server& server) {
    auto client = server.connect();
    client.send(request_text("POST", "/filter", filter_body));
    return client.receive().body();
}

/// Asks until the answer is as wanted; false after 20 s.
bool becomes(std::function<bool()> const& holds) {
    const auto end = std::chrono::steady_clock::now() + 20s;
    while (!holds())
        if (std::chrono::steady_clock::now() > end) return false;
    return true;
}

std::string refusal(server::options const& settings) {
    server::log log(server::log_format::text);
    try {
        const server::extender_server server(settings, log);
    } catch (std::exception const& e) {
        return e.what();
    }
    return "";
}

}  // namespace

BOOST_FIXTURE_TEST_SUITE(node_cache_server_test, cluster)

BOOST_AUTO_TEST_CASE(is_ready_once_the_nodes_are_listed) {
    api.stop();
    running_server server(settings());
    const auto before = readiness(server);
    BOOST_TEST(before.result_int() == 503U);
    BOOST_TEST(before.body() ==
               "the node cache is not ready: the API server has not listed the nodes yet\n");
    BOOST_TEST(server.metric("nodesieve_node_cache_nodes") == "0");
    BOOST_TEST(std::stod(server.metric("nodesieve_node_cache_age_seconds")) > 0);
    BOOST_TEST(server.metric(R"(nodesieve_node_cache_lists_total{result="success"})") == "0");
    BOOST_TEST(contains(filtered(server), "node cache is not ready"));

    api.start();
    BOOST_TEST(becomes([&] { return readiness(server).result_int() == 200U; }));
    BOOST_TEST(server.metric("nodesieve_node_cache_nodes") == "1");
    BOOST_TEST(contains(filtered(server), R"("NodeNames":["a"])"));
}

BOOST_AUTO_TEST_CASE(a_label_change_changes_the_verdict) {
    running_server server(settings());
    BOOST_TEST(becomes([&] { return contains(filtered(server), R"("NodeNames":["a"])"); }));
    BOOST_TEST(api.wait_for_watches(1));
    api.set_node("a", "24576");
    BOOST_TEST(becomes([&] { return contains(filtered(server), R"("NodeNames":[])"); }));
}

BOOST_AUTO_TEST_CASE(a_request_that_comes_just_before_the_label_is_judged_with_it) {
    auto chosen = settings();
    chosen.second_look_patience = 20s;
    running_server server(chosen);
    BOOST_TEST(becomes([&] { return readiness(server).result_int() == 200U; }));
    BOOST_TEST(api.wait_for_watches(1));
    api.set_node("a", "24576");
    BOOST_TEST(becomes([&] {
        return server.metric(R"(nodesieve_node_cache_watch_events_total{type="modified"})") == "1";
    }));
    auto client = server.connect();
    client.send(request_text("POST", "/filter", filter_body));
    api.set_node("a", "81920");
    BOOST_TEST(contains(client.receive().body(), R"("NodeNames":["a"])"));
}

BOOST_AUTO_TEST_CASE(pods_that_fit_nowhere_are_held_back_once_in_a_while_only) {
    auto chosen = settings();
    chosen.second_look_patience = 50ms;
    running_server server(chosen);
    BOOST_TEST(becomes([&] { return readiness(server).result_int() == 200U; }));
    BOOST_TEST(api.wait_for_watches(1));
    api.set_node("a", "24576");
    BOOST_TEST(becomes([&] { return contains(filtered(server), R"("NodeNames":[])"); }));
    const auto began = std::chrono::steady_clock::now();
    for (int i = 0; i < 20; ++i) BOOST_TEST(contains(filtered(server), R"("NodeNames":[])"));
    BOOST_TEST((std::chrono::steady_clock::now() - began < 20 * 50ms));
}

BOOST_AUTO_TEST_CASE(is_not_ready_while_the_state_is_too_old) {
    auto chosen = settings();
    chosen.node_cache_max_age = 3s;
    running_server server(chosen);
    BOOST_TEST(becomes([&] { return readiness(server).result_int() == 200U; }));
    api.stop();
    BOOST_TEST(contains(filtered(server), R"("NodeNames":["a"])"));
    BOOST_TEST(becomes([&] { return readiness(server).result_int() == 503U; }));
    BOOST_TEST(contains(readiness(server).body(), "the API server was last heard"));
    BOOST_TEST(std::stod(server.metric("nodesieve_node_cache_age_seconds")) >= 3);
    api.start();
    BOOST_TEST(becomes([&] { return readiness(server).result_int() == 200U; }));
}

BOOST_AUTO_TEST_CASE(does_not_start_with_a_configuration_that_cannot_be_used) {
    const auto plugin = refusal(settings(
        "{current-context: x, contexts: [{name: x, context: {cluster: c, user: u}}], clusters: "
        "[{name: c, cluster: {server: 'https://a'}}], users: [{name: u, user: {exec: {}}}]}"));
    BOOST_TEST(plugin.starts_with("--kubeconfig="));
    BOOST_TEST(contains(plugin, "exec, a plugin for credentials"));

    folder.write("ca.crt", "no certificate");
    BOOST_TEST(contains(refusal(settings()), "ca.crt\": expected certificates in PEM"));
    auto absent = settings();
    absent.kubeconfig = folder.path() / "absent";
    BOOST_TEST(contains(refusal(absent), "cannot be opened"));
}

BOOST_AUTO_TEST_CASE(warns_of_an_api_server_that_is_not_verified) {
    auto text = api.kubeconfig();
    const std::string authority = "certificate-authority: ca.crt";
    text.replace(text.find(authority), authority.size(), "insecure-skip-tls-verify: true");
    running_server server(settings(text));
    BOOST_REQUIRE(server->warnings().size() == 1U);
    BOOST_TEST(contains(server->warnings()[0], "insecure-skip-tls-verify"));
    BOOST_TEST(becomes([&] { return readiness(server).result_int() == 200U; }));
}

BOOST_AUTO_TEST_CASE(stops_at_once_while_the_api_server_hangs) {
    api.hang_handshakes(true);
    running_server server(settings());
    BOOST_TEST(api.wait_for([](api_traffic const& t) { return t.connections == 1; }));
    const auto began = std::chrono::steady_clock::now();
    server->stop();
    server->wait();
    BOOST_TEST((std::chrono::steady_clock::now() - began < 3s));
}

BOOST_AUTO_TEST_CASE(without_it_there_are_no_series_and_nothing_to_wait_for) {
    running_server server;
    BOOST_TEST(readiness(server).result_int() == 200U);
    BOOST_TEST(server.metric("nodesieve_node_cache_nodes") == "");
}

BOOST_AUTO_TEST_SUITE_END()
