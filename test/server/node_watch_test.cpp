#include "node_watch.hpp"

#include "watched_nodes.hpp"

#include <boost/test/unit_test.hpp>

#include <malloc.h>

#include <chrono>
#include <string>

using namespace nodesieve::test;
using namespace std::chrono_literals;
using nodesieve::node_index;

namespace {

std::string name_of(int i) { return "node-" + std::to_string(100'000 + i); }

bool contains(std::string const& text, std::string_view part) {
    return text.find(part) != std::string::npos;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(node_watch_test)

BOOST_AUTO_TEST_CASE(lists_in_pages_and_publishes_the_whole) {
    api_server api;
    for (int i = 0; i < 25; ++i) api.set_node(name_of(i), std::to_string(1000 + i));
    api.set_node("plain");
    api.set_page_size(10);
    watched_nodes nodes(api.config());
    BOOST_TEST(nodes.wait_for_size(26));
    BOOST_TEST(nodes.wait_for_memory(name_of(24), 1024));
    BOOST_TEST(nodes.wait_for_memory("plain", 0));
    BOOST_TEST(nodes.published() == 1U);
    BOOST_TEST(api.wait_for_watches(1));
    const auto traffic = api.traffic();
    BOOST_REQUIRE(traffic.lists.size() == 3U);
    BOOST_TEST(traffic.lists[0] == "/api/v1/nodes?limit=500");
    BOOST_TEST(contains(traffic.lists[1], "&continue="));
    BOOST_TEST(traffic.accepts[0] ==
               "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1");
    BOOST_TEST(
        contains(traffic.watches[0], "watch=1&allowWatchBookmarks=true&resourceVersion=126&"));
    BOOST_TEST(traffic.accepts[3] ==
               "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1");
    BOOST_TEST(traffic.connections == 1U);
}

BOOST_AUTO_TEST_CASE(an_empty_cluster_is_a_state_too) {
    api_server api;
    watched_nodes nodes(api.config());
    BOOST_TEST(nodes.wait_for_size(0));
}

BOOST_AUTO_TEST_CASE(sees_changes_additions_and_deletions) {
    api_server api;
    api.set_node("a", "1000");
    api.set_node("b", "2000");
    watched_nodes nodes(api.config());
    BOOST_TEST(nodes.wait_for_memory("a", 1000));
    BOOST_TEST(api.wait_for_watches(1));
    api.set_node("a", "81920");
    BOOST_TEST(nodes.wait_for_memory("a", 81920));
    api.set_node("a");
    BOOST_TEST(nodes.wait_for_memory("a", 0));
    api.set_node("c", "3000");
    BOOST_TEST(nodes.wait_for_memory("c", 3000));
    api.remove_node("b");
    BOOST_TEST(nodes.wait_for([](node_index const& n) { return !n.find("b") && n.size() == 2; }));
    BOOST_TEST(nodes.metric(R"(nodesieve_node_cache_watch_events_total{type="modified"})") == "2");
    BOOST_TEST(nodes.metric(R"(nodesieve_node_cache_watch_events_total{type="added"})") == "1");
    BOOST_TEST(nodes.metric(R"(nodesieve_node_cache_watch_events_total{type="deleted"})") == "1");
    BOOST_TEST(nodes.metric(R"(nodesieve_node_cache_lists_total{result="success"})") == "1");
}

BOOST_AUTO_TEST_CASE(hears_bookmarks_and_events_without_news_and_publishes_neither) {
    api_server api;
    api.set_node("a", "1000");
    watched_nodes nodes(api.config());
    BOOST_TEST(api.wait_for_watches(1));
    api.bookmark();
    BOOST_TEST(nodes.wait_for_heard(1));
    api.set_node("a", "1000");
    BOOST_TEST(nodes.wait_for_heard(2));
    BOOST_TEST(nodes.published() == 1U);
}

BOOST_AUTO_TEST_CASE(goes_on_where_the_last_watch_ended) {
    api_server api;
    api.set_node("a", "1000");
    watched_nodes nodes(api.config());
    BOOST_TEST(api.wait_for_watches(1));
    api.set_node("a", "2000");
    BOOST_TEST(nodes.wait_for_memory("a", 2000));
    api.compact();  // the bookmark is what makes the next watch acceptable
    api.bookmark();
    BOOST_TEST(nodes.wait_for_heard(1));
    api.end_watches();
    BOOST_TEST(api.wait_for([](api_traffic const& t) { return t.watches.size() == 2; }));
    BOOST_TEST(api.wait_for_watches(1));
    api.set_node("a", "3000");
    BOOST_TEST(nodes.wait_for_memory("a", 3000));
    const auto traffic = api.traffic();
    BOOST_TEST(contains(traffic.watches[1], "resourceVersion=103&"));
    BOOST_TEST(traffic.lists.size() == 1U);
    BOOST_TEST(traffic.connections == 1U);
    BOOST_TEST(!contains(nodes.log_text(), "broken"));
}

BOOST_AUTO_TEST_CASE(applies_both_of_two_changes_in_one_read) {
    api_server api;
    api.set_node("a", "1");
    api.set_node("b", "1");
    watched_nodes nodes(api.config());
    BOOST_TEST(api.wait_for_watches(1));
    const auto event = [](std::string const& name, std::string const& memory) {
        return R"({"type":"MODIFIED","object":{"metadata":{"name":")" + name +
               R"(","resourceVersion":"200","labels":{"training.example.com/gpu-memory-mib":")" +
               memory + "\"}}}}\n";
    };
    // The last one says what was known before the read.
    api.send_to_watches(event("a", "2") + event("b", "7") + event("a", "1"));
    BOOST_TEST(nodes.wait_for_memory("b", 7));
    BOOST_TEST(nodes.wait_for_memory("a", 1));
    BOOST_TEST(nodes.published() == 2U);
}

BOOST_AUTO_TEST_CASE(sees_five_thousand_nodes_relabelled_at_once) {
    api_server api;
    for (int i = 0; i < 5000; ++i) api.set_node(name_of(i), "1000");
    watched_nodes nodes(api.config());
    BOOST_TEST(nodes.wait_for_size(5000));
    BOOST_TEST(api.wait_for_watches(1));
    for (int i = 0; i < 5000; ++i) api.set_node(name_of(i), "2000");
    BOOST_TEST(nodes.wait_for([](node_index const& n) {
        for (int i = 0; i < 5000; ++i)
            if (n.find(name_of(i))->memory_mib != 2000) return false;
        return n.size() == 5000;
    }));
    BOOST_TEST(api.traffic().lists.size() == 10U);
}

BOOST_AUTO_TEST_CASE(fifteen_thousand_nodes_stay_below_10_mib_over_many_lists) {
    api_server api;
    for (int i = 0; i < 15'000; ++i) api.set_node(name_of(i), "1000");
    api.compact();
    const auto in_use = [] {
        const auto heap = mallinfo2();
        return static_cast<double>(heap.uordblks + heap.hblkhd);
    };
    const auto before = in_use();
    watched_nodes nodes(api.config());
    BOOST_TEST(nodes.wait_for_size(15'000));
    BOOST_TEST(api.wait_for_watches(1));
    const auto once = in_use();
    BOOST_TEST(once - before < 10. * 1024 * 1024);
    for (std::size_t round = 1; round <= 10; ++round) {
        api.send_to_watches(api_server::error_event(410));
        BOOST_TEST(api.wait_for([round](api_traffic const& t) {
            return t.watches.size() == round + 1 && t.open_watches == 1;
        }));
    }
    BOOST_TEST(nodes.published() == 11U);
    BOOST_TEST(in_use() - once < 1024. * 1024);
}

BOOST_AUTO_TEST_CASE(stops_at_once_whatever_it_is_doing) {
    api_server api;
    for (const std::size_t step : {0, 1, 2}) {
        BOOST_TEST_CONTEXT("step " << step) {
            const auto seen = api.traffic();
            api.hang_handshakes(step == 0);
            api.next_lists({step == 1 ? hang_fault(50) : no_fault()});
            watched_nodes nodes(api.config());
            BOOST_TEST(api.wait_for([&](api_traffic const& t) {
                return step == 0   ? t.connections > seen.connections
                       : step == 1 ? t.lists.size() > seen.lists.size()
                                   : t.watches.size() > seen.watches.size();
            }));
            const auto began = std::chrono::steady_clock::now();
            nodes.stop();
            nodes.stop();
            BOOST_TEST((std::chrono::steady_clock::now() - began < 2s));
        }
    }
}

BOOST_AUTO_TEST_SUITE_END()
