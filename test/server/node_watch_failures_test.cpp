#include "node_watch.hpp"

#include "watched_nodes.hpp"

#include <boost/test/unit_test.hpp>

#include <chrono>
#include <string>
#include <vector>

using namespace nodesieve::test;
using namespace std::chrono_literals;
using nodesieve::node_index;

namespace {

bool contains(std::string const& text, std::string_view part) {
    return text.find(part) != std::string::npos;
}

std::string failures(watched_nodes const& nodes, std::string const& reason) {
    return nodes.metric("nodesieve_node_cache_watch_failures_total{reason=\"" + reason + "\"}");
}

/// An API server with one node.
struct small_cluster {
    small_cluster() { api.set_node("a", "1000"); }
    api_server api;
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(node_watch_failures_test, small_cluster)

BOOST_AUTO_TEST_CASE(lists_again_when_the_version_is_gone) {
    watched_nodes nodes(api.config());
    BOOST_TEST(api.wait_for_watches(1));
    api.set_node("b", "2000");
    BOOST_TEST(nodes.wait_for_size(2));

    BOOST_TEST_CONTEXT("as an event") {
        api.send_to_watches(api_server::error_event(410));
        BOOST_TEST(api.wait_for(
            [](api_traffic const& t) { return t.lists.size() == 2 && t.open_watches == 1; }));
    }
    BOOST_TEST_CONTEXT("as a status, with a node deleted meanwhile") {
        api.stop();
        api.remove_node("b");
        api.compact();
        api.start();
        BOOST_TEST(nodes.wait_for_size(1));
        BOOST_TEST(api.traffic().lists.size() == 3U);
    }
    BOOST_TEST(failures(nodes, "gone") == "2");
    BOOST_TEST(
        contains(nodes.log_text(), R"("reason":"gone","why":"410 Test: a test wants this")"));
}

BOOST_AUTO_TEST_CASE(starts_a_list_anew_when_its_token_has_expired) {
    for (auto const* name : {"b", "c", "d"}) api.set_node(name, "1");
    api.set_page_size(2);
    api.next_lists({no_fault(), status_fault(410)});
    watched_nodes nodes(api.config());
    BOOST_TEST(nodes.wait_for_size(4));
    BOOST_TEST(nodes.published() == 1U);
    const auto lists = api.traffic().lists;
    BOOST_REQUIRE(lists.size() == 4U);
    BOOST_TEST(contains(lists[1], "continue="));
    BOOST_TEST(lists[2] == lists[0]);
    BOOST_TEST(contains(nodes.log_text(), R"("next":"list","retry_in_ms":0)"));
}

BOOST_AUTO_TEST_CASE(waits_as_long_as_it_is_asked_to_within_bounds) {
    for (const unsigned status : {429U, 503U}) {
        BOOST_TEST_CONTEXT(status) {
            api.next_lists({status_fault(status, "Retry-After: 3600\r\n")});
            watched_nodes nodes(api.config());
            BOOST_TEST(nodes.wait_for_size(1));
            BOOST_TEST(failures(nodes, "throttled") == "1");
            BOOST_TEST(contains(nodes.log_text(), R"("retry_in_ms":50)"));
        }
    }
}

BOOST_AUTO_TEST_CASE(asks_for_full_nodes_where_metadata_alone_is_refused) {
    api.set_partial_metadata(partial_metadata::refused);
    watched_nodes nodes(api.config());
    BOOST_TEST(api.wait_for_watches(1));
    api.set_node("a", "2000");
    BOOST_TEST(nodes.wait_for_memory("a", 2000));
    const auto traffic = api.traffic();
    BOOST_REQUIRE(traffic.accepts.size() == 3U);
    BOOST_TEST(traffic.accepts[1] == "application/json");
    BOOST_TEST(traffic.accepts[2] == "application/json");
    BOOST_TEST(contains(nodes.log_text(), "asking for full ones"));
    BOOST_TEST(failures(nodes, "not_acceptable") == "0");
}

BOOST_AUTO_TEST_CASE(reads_full_nodes_of_a_server_that_knows_no_metadata_only) {
    api.set_partial_metadata(partial_metadata::ignored);
    watched_nodes nodes(api.config());
    BOOST_TEST(api.wait_for_watches(1));
    api.set_node("a", "2000");
    BOOST_TEST(nodes.wait_for_memory("a", 2000));
}

BOOST_AUTO_TEST_CASE(gets_over_a_list_that_is_cut_anywhere) {
    std::vector<api_fault> cuts;
    for (std::size_t after = 0; after < 300; after += 9) cuts.push_back(cut_fault(after));
    const auto count = cuts.size();
    api.next_lists(std::move(cuts));
    watched_nodes nodes(api.config());
    BOOST_TEST(nodes.wait_for_memory("a", 1000));
    BOOST_TEST(nodes.published() == 1U);
    BOOST_TEST(api.traffic().lists.size() == count + 1);
    BOOST_TEST(failures(nodes, "broken") == std::to_string(count));
}

BOOST_AUTO_TEST_CASE(a_list_that_is_cut_in_a_later_page_changes_nothing) {
    for (auto const* name : {"b", "c", "d"}) api.set_node(name, "1");
    api.set_page_size(2);
    watched_nodes nodes(api.config());
    BOOST_TEST(api.wait_for_watches(1));
    api.remove_node("b");
    BOOST_TEST(nodes.wait_for_size(3));
    const auto published = nodes.published();
    api.next_lists({no_fault(), cut_fault(250), no_fault(), cut_fault(0)});
    api.send_to_watches(api_server::error_event(410));
    BOOST_TEST(api.wait_for(
        [](api_traffic const& t) { return t.watches.size() == 2 && t.open_watches == 1; }));
    BOOST_TEST(nodes.published() == published + 1);
    BOOST_TEST(nodes.wait_for_size(3));
}

BOOST_AUTO_TEST_CASE(gets_over_a_watch_that_is_cut_anywhere) {
    std::vector<api_fault> cuts;
    for (std::size_t after = 0; after < 90; after += 11) cuts.push_back(cut_fault(after));
    api.next_watches(std::move(cuts));
    watched_nodes nodes(api.config());
    BOOST_TEST(api.wait_for_watches(1));
    const auto event = R"({"type":"MODIFIED","object":{"metadata":{"name":"a",)" +
                       std::string(R"("resourceVersion":"999","labels":{}}}})");
    for (const std::size_t after : {1UL, 40UL, event.size() - 1}) {
        BOOST_TEST_CONTEXT("event cut after " << after) {
            const auto watches = api.traffic().watches.size();
            api.send_to_watches(event.substr(0, after));
            api.cut_watches();
            BOOST_TEST(api.wait_for([watches](api_traffic const& t) {
                return t.watches.size() > watches && t.open_watches == 1;
            }));
        }
    }
    api.set_node("a", "2000");
    BOOST_TEST(nodes.wait_for_memory("a", 2000));
}

BOOST_AUTO_TEST_CASE(lists_again_when_a_watch_cannot_be_opened_three_times) {
    // The first is met twice: on the connection that the list has left, and on a new one.
    api.next_watches({cut_fault(0), cut_fault(0), status_fault(500), cut_fault(10)});
    watched_nodes nodes(api.config());
    BOOST_TEST(api.wait_for_watches(1));
    BOOST_TEST(api.traffic().lists.size() == 2U);
    BOOST_TEST(api.traffic().watches.size() == 5U);
    BOOST_TEST(failures(nodes, "server_error") == "1");
}

BOOST_AUTO_TEST_CASE(gives_up_an_answer_that_does_not_come) {
    auto settings = quick_watch_settings();
    settings.timeouts.handshake = settings.timeouts.header = settings.list_silence = 100ms;
    api.next_lists({hang_fault(0), hang_fault(30), hang_fault(200)});
    api.next_watches({hang_fault(0), hang_fault(30)});
    watched_nodes nodes(api.config(), settings);
    BOOST_TEST(nodes.wait_for_size(1));
    BOOST_TEST(api.wait_for(
        [](api_traffic const& t) { return t.watches.size() >= 3 && t.open_watches == 1; }));
    BOOST_TEST(std::stoul(failures(nodes, "timeout")) >= 5U);  // a slow machine has more

    const auto connections = api.traffic().connections;
    api.hang_handshakes(true);
    api.cut_watches();
    BOOST_TEST(
        api.wait_for([&](api_traffic const& t) { return t.connections >= connections + 2; }));
    api.hang_handshakes(false);
    BOOST_TEST(api.wait_for_watches(1));
}

BOOST_AUTO_TEST_CASE(lists_again_when_a_watch_is_silent) {
    auto settings = quick_watch_settings();
    settings.watch_silence = 100ms;
    watched_nodes nodes(api.config(), settings);
    BOOST_TEST(api.wait_for([](api_traffic const& t) { return t.lists.size() >= 3; }));
    BOOST_TEST(contains(nodes.log_text(), R"("reason":"silent")"));
    // Bytes that are no event are silence too, however many come.
    const auto lists = api.traffic().lists.size();
    const auto end = std::chrono::steady_clock::now() + 20s;
    while (api.traffic().lists.size() < lists + 2 && std::chrono::steady_clock::now() < end)
        api.send_to_watches("\n");
    BOOST_TEST(api.traffic().lists.size() >= lists + 2);
}

BOOST_AUTO_TEST_CASE(gets_over_garbage) {
    api.next_lists({garbage_fault("nonsense\r\n\r\n"),
                    garbage_fault("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"),
                    garbage_fault("HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\n<html>"),
                    garbage_fault("HTTP/1.1 302 Found\r\nLocation: /\r\nContent-Length: 0\r\n\r\n"),
                    garbage_fault("HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n")});
    watched_nodes nodes(api.config());
    BOOST_TEST(api.wait_for_watches(1));
    BOOST_TEST(failures(nodes, "malformed") == "2");
    BOOST_TEST(failures(nodes, "broken") == "2");
    BOOST_TEST(failures(nodes, "server_error") == "1");

    for (auto const* text : {"garbage", "{}\n", R"({"type":"ADDED","object":{}})", "[]"}) {
        BOOST_TEST_CONTEXT(text) {
            const auto lists = api.traffic().lists.size();
            api.send_to_watches(text);
            BOOST_TEST(api.wait_for([lists](api_traffic const& t) {
                return t.lists.size() == lists + 1 && t.open_watches == 1;
            }));
        }
    }
    BOOST_TEST(nodes.wait_for_size(1));
}

BOOST_AUTO_TEST_CASE(gives_up_a_list_that_does_not_end) {
    const auto list = [](std::string const& metadata, std::string const& items) {
        const auto body = R"({"kind":"NodeList","metadata":{"resourceVersion":"1")" + metadata +
                          R"(},"items":[)" + items + "]}";
        return garbage_fault("HTTP/1.1 200 OK\r\nContent-Length: " + std::to_string(body.size()) +
                             "\r\n\r\n" + body);
    };
    std::string items;
    for (int i = 0; i < 110'000; ++i)
        items += (i == 0 ? "" : ",") + (R"({"metadata":{"name":"n)" + std::to_string(i)) + "\"}}";
    api.next_lists({list("", items), list(R"(,"continue":"x")", "")});
    watched_nodes nodes(api.config());
    BOOST_TEST(nodes.wait_for_size(1));
    BOOST_TEST(failures(nodes, "malformed") == "2");
    BOOST_TEST(contains(nodes.log_text(), "expected at most 100000 nodes, got more"));
}

BOOST_AUTO_TEST_CASE(a_watch_that_ends_at_once_again_and_again_is_not_reopened_at_once) {
    auto settings = quick_watch_settings();
    settings.backoff = {.first = 100ms, .most = 100ms, .most_retry_after = 100ms};
    api.next_watches({garbage_fault("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"),
                      garbage_fault("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")});
    const auto began = std::chrono::steady_clock::now();
    watched_nodes nodes(api.config(), settings);
    BOOST_TEST(api.wait_for_watches(1));
    BOOST_TEST((std::chrono::steady_clock::now() - began >= 150ms));
    BOOST_TEST(api.traffic().lists.size() == 1U);
}

BOOST_AUTO_TEST_CASE(finds_a_server_again_that_was_away) {
    watched_nodes nodes(api.config());
    BOOST_TEST(api.wait_for_watches(1));
    api.stop();
    api.set_node("a", "2000");
    api.set_node("b", "3000");
    api.start();
    BOOST_TEST(nodes.wait_for_memory("a", 2000));
    BOOST_TEST(nodes.wait_for_memory("b", 3000));
    BOOST_TEST(contains(nodes.log_text(), "watch of nodes established"));
}

BOOST_AUTO_TEST_CASE(finds_a_server_that_starts_later) {
    api.stop();
    watched_nodes nodes(api.config());
    BOOST_TEST(nodes.published() == 0U);
    api.start();
    BOOST_TEST(nodes.wait_for_size(1));
}

BOOST_AUTO_TEST_CASE(finds_a_server_by_name) {
    auto config = api.config();
    config.host = config.server_name = "localhost";  // whose first address may be another one
    watched_nodes nodes(config);
    BOOST_TEST(nodes.wait_for_size(1));
}

BOOST_AUTO_TEST_CASE(reads_the_token_again_when_it_is_refused) {
    const temporary_directory folder;
    auto config = api.config();
    config.token.file = folder.write("token", "old-secret\n");
    api.accept_token("new-secret");
    watched_nodes nodes(config);
    BOOST_TEST(api.wait_for([](api_traffic const& t) { return t.unauthorized >= 2; }));
    folder.write("token", "new-secret\n");
    BOOST_TEST(nodes.wait_for_size(1));
    BOOST_TEST(contains(nodes.log_text(), R"("reason":"unauthorized")"));
    BOOST_TEST(!contains(nodes.log_text(), "-secret"));
}

BOOST_AUTO_TEST_CASE(says_which_rights_it_needs) {
    api.next_lists({status_fault(403)});
    watched_nodes nodes(api.config());
    BOOST_TEST(nodes.wait_for_size(1));
    BOOST_TEST(failures(nodes, "forbidden") == "1");
    BOOST_TEST(contains(nodes.log_text(), "HTTP 403 Test: a test wants this; bind a ClusterRole"));
    BOOST_TEST(contains(nodes.log_text(), "the verbs get, list and watch on nodes"));
}

BOOST_AUTO_TEST_CASE(follows_a_rotated_authority) {
    const temporary_directory folder;
    auto config = api.config();
    config.authority = {{}, folder.write("ca.crt", api.authority().certificate)};
    watched_nodes nodes(config);
    BOOST_TEST(api.wait_for_watches(1));

    const auto authority = self_signed(authority_spec("next CA"));
    api.use_certificate(issue({}, authority));
    api.cut_watches();
    BOOST_TEST(api.wait_for([](api_traffic const& t) { return t.failed_handshakes >= 2; }));
    folder.write("ca.crt", authority.certificate);
    BOOST_TEST(api.wait_for_watches(1));
    BOOST_TEST(contains(nodes.log_text(), "is not trusted"));
    BOOST_TEST(contains(nodes.log_text(), "must be the API server's"));
}

BOOST_AUTO_TEST_CASE(refuses_a_certificate_for_another_name_unless_told_not_to_look) {
    certificate_spec spec;
    spec.common_name = "127.0.0.1";  // which does not count, as in Go
    spec.alternative_names = "DNS:kubernetes.default.svc";
    api.use_certificate(issue(spec, api.authority()));
    {
        watched_nodes nodes(api.config());
        BOOST_TEST(api.wait_for([](api_traffic const& t) { return t.failed_handshakes >= 2; }));
        BOOST_TEST(contains(nodes.log_text(), "(expected 127.0.0.1)"));
        BOOST_TEST(nodes.published() == 0U);
    }
    auto config = api.config();
    config.server_name = "kubernetes.default.svc";
    watched_nodes by_name(config);
    BOOST_TEST(by_name.wait_for_size(1));

    config = api.config();
    config.verify = false;
    config.authority = {};
    watched_nodes unverified(config);
    BOOST_TEST(unverified.wait_for_size(1));
}

BOOST_AUTO_TEST_CASE(shows_its_certificate_and_reads_it_again) {
    const temporary_directory folder;
    auto config = api.config();
    const auto stranger = self_signed(client_spec());
    config.certificate = {{}, folder.write("tls.crt", stranger.certificate)};
    config.key = {{}, folder.write("tls.key", stranger.key)};
    api.require_client_certificate();
    watched_nodes nodes(config);
    BOOST_TEST(api.wait_for([](api_traffic const& t) { return t.failed_handshakes >= 2; }));
    const auto client = issue(client_spec(), api.authority());
    folder.write("tls.crt", client.certificate);
    folder.write("tls.key", client.key);
    BOOST_TEST(nodes.wait_for_size(1));
}

BOOST_AUTO_TEST_CASE(a_file_that_is_gone_is_looked_for_again) {
    const temporary_directory folder;
    auto config = api.config();
    config.token.file = folder.path() / "token";
    watched_nodes nodes(config);
    folder.write("token", "x");
    BOOST_TEST(nodes.wait_for_size(1));
}

BOOST_AUTO_TEST_CASE(does_not_repeat_itself_in_the_log) {
    api.next_lists(std::vector<api_fault>(20, status_fault(500)));
    watched_nodes nodes(api.config());
    BOOST_TEST(api.wait_for_watches(1));
    api.bookmark();
    BOOST_TEST(nodes.wait_for_heard(1));
    const auto log = nodes.log_text();
    const auto first = log.find("list of nodes failed");
    BOOST_TEST(first != std::string::npos);
    BOOST_TEST(log.find("list of nodes failed", first + 1) == std::string::npos);
    BOOST_TEST(contains(log, R"("suppressed":19)"), log);
    BOOST_TEST(failures(nodes, "server_error") == "20");
    BOOST_TEST(nodes.metric(R"(nodesieve_node_cache_lists_total{result="failure"})") == "20");
}

BOOST_AUTO_TEST_SUITE_END()
