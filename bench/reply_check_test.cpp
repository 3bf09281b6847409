#include "reply_check.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "generator_test.hpp"

namespace {

using namespace nodesieve::bench;

// A filter reply in pieces, so that a test can spoil one.
struct filter_reply {
    std::vector<std::string> passing;  // JSON
    std::vector<std::pair<std::string, std::string>> failed;
    bool names_only = false;

    std::string text() const {
        std::string reply =
            names_only ? R"({"Nodes":null,"NodeNames":[)" : R"({"Nodes":{"metadata":{},"items":[)";
        for (std::size_t i = 0; i != passing.size(); ++i) reply += (i ? "," : "") + passing[i];
        reply += names_only ? "]," : R"(]},"NodeNames":null,)";
        reply += R"("FailedNodes":null,"FailedAndUnresolvableNodes":{)";
        for (std::size_t i = 0; i != failed.size(); ++i)
            reply += (i ? ",\"" : "\"") + failed[i].first + "\":\"" + failed[i].second + "\"";
        return reply + R"(},"Error":""})";
    }
};

filter_reply right_filter_reply(generated_args const& args) {
    filter_reply reply;
    reply.names_only = args.names_only;
    for (generated_node const& node : args.nodes)
        if (node.verdict == expected_verdict::fits)
            reply.passing.emplace_back(args.json_of(node));
        else
            reply.failed.emplace_back(node.name, reason_text(node.verdict));
    return reply;
}

std::vector<generated_node> nodes_that_fit(generated_args const& args) {
    std::vector<generated_node> fitting;
    for (generated_node const& node : args.nodes)
        if (node.verdict == expected_verdict::fits) fitting.push_back(node);
    return fitting;
}

using priorities = std::vector<std::pair<std::string, int>>;

priorities right_priorities(generated_args const& args) {
    priorities right;
    for (generated_node const& node : args.nodes) right.emplace_back(node.name, node.score);
    return right;
}

std::string prioritize_reply(priorities const& entries) {
    std::string reply = "[";
    for (auto const& [host, score] : entries)
        reply += (reply.size() > 1 ? "," : "") + (R"({"Host":")" + host) + R"(","Score":)" +
                 std::to_string(score) + "}";
    return reply + "]";
}

// One line that names what it is about.
void check_message(std::string const& message, std::string const& about) {
    BOOST_TEST_CONTEXT("message: " << message) {
        BOOST_TEST(!message.empty());
        BOOST_TEST(contains(message, about));
        BOOST_TEST(!contains(message, "\n"));
        BOOST_TEST(message.size() < 400U);
    }
}

}  // namespace

BOOST_AUTO_TEST_SUITE(filter_check)

BOOST_AUTO_TEST_CASE(accepts_the_right_reply) {
    generated_args const args = some_args();
    BOOST_TEST(check_filter_reply(args, right_filter_reply(args).text()) == "");
}

BOOST_AUTO_TEST_CASE(accepts_failed_nodes_in_any_order) {
    generated_args const args = some_args();
    filter_reply reply = right_filter_reply(args);
    std::reverse(reply.failed.begin(), reply.failed.end());
    BOOST_TEST(check_filter_reply(args, reply.text()) == "");
}

BOOST_AUTO_TEST_CASE(accepts_replies_where_all_or_none_pass) {
    generated_args const all = real_nodes().generate({.nodes = 5});
    BOOST_TEST(check_filter_reply(all, right_filter_reply(all).text()) == "");
    generated_args const none = real_nodes().generate({.nodes = 5, .min_mib = 1048576});
    BOOST_TEST(check_filter_reply(none, right_filter_reply(none).text()) == "");
    generated_args const empty = some_args(0);
    BOOST_TEST(check_filter_reply(empty, right_filter_reply(empty).text()) == "");
}

BOOST_AUTO_TEST_CASE(accepts_the_right_reply_to_names) {
    generated_args const args =
        real_nodes().generate({.nodes = 60, .min_mib = min_mib, .names_only = true});
    BOOST_TEST(check_filter_reply(args, right_filter_reply(args).text()) == "");
}

BOOST_AUTO_TEST_CASE(rejects_reply_with_one_changed_label) {
    generated_args const args = some_args();
    filter_reply reply = right_filter_reply(args);
    std::string const key = R"(gpu-memory-mib":")";
    std::string& node = reply.passing[3];
    node[node.find(key) + key.size()] ^= 1;
    check_message(check_filter_reply(args, reply.text()), nodes_that_fit(args)[3].name);
}

BOOST_AUTO_TEST_CASE(rejects_reply_with_one_changed_byte) {
    generated_args const args = some_args();
    filter_reply reply = right_filter_reply(args);
    reply.passing[4][reply.passing[4].size() / 2] ^= 1;
    check_message(check_filter_reply(args, reply.text()), nodes_that_fit(args)[4].name);
}

BOOST_AUTO_TEST_CASE(rejects_reply_without_a_passing_node) {
    generated_args const args = some_args();
    auto const last = std::ssize(right_filter_reply(args).passing) - 1;
    for (std::ptrdiff_t const index : {std::ptrdiff_t{0}, std::ptrdiff_t{5}, last}) {
        filter_reply reply = right_filter_reply(args);
        reply.passing.erase(reply.passing.begin() + index);
        check_message(check_filter_reply(args, reply.text()),
                      nodes_that_fit(args)[static_cast<std::size_t>(index)].name);
    }
}

BOOST_AUTO_TEST_CASE(rejects_reply_without_a_failed_node) {
    generated_args const args = some_args();
    filter_reply reply = right_filter_reply(args);
    std::string const missing = reply.failed[2].first;
    reply.failed.erase(reply.failed.begin() + 2);
    check_message(check_filter_reply(args, reply.text()), missing);
}

BOOST_AUTO_TEST_CASE(rejects_reply_with_two_swapped_nodes) {
    generated_args const args = some_args();
    filter_reply reply = right_filter_reply(args);
    std::swap(reply.passing[2], reply.passing[3]);
    check_message(check_filter_reply(args, reply.text()), nodes_that_fit(args)[2].name);
}

BOOST_AUTO_TEST_CASE(rejects_reply_with_swapped_reasons) {
    generated_args const args = some_args();
    filter_reply reply = right_filter_reply(args);
    auto const other =
        std::find_if(reply.failed.begin(), reply.failed.end(),
                     [&](auto const& entry) { return entry.second != reply.failed[0].second; });
    BOOST_TEST_REQUIRE((other != reply.failed.end()));
    std::swap(reply.failed[0].second, other->second);
    check_message(check_filter_reply(args, reply.text()), reply.failed[0].first);
}

BOOST_AUTO_TEST_CASE(rejects_reply_with_an_extra_passing_node) {
    generated_args const args = some_args();
    filter_reply reply = right_filter_reply(args);
    reply.passing.push_back(reply.passing[0]);
    check_message(check_filter_reply(args, reply.text()), nodes_that_fit(args)[0].name);
}

BOOST_AUTO_TEST_CASE(rejects_reply_with_a_failing_node_among_the_passing) {
    generated_args const args = some_args();
    filter_reply reply = right_filter_reply(args);
    auto const failing = std::find_if(args.nodes.begin(), args.nodes.end(), [](auto const& node) {
        return node.verdict != expected_verdict::fits;
    });
    reply.passing.insert(reply.passing.begin(), std::string(args.json_of(*failing)));
    check_message(check_filter_reply(args, reply.text()), nodes_that_fit(args)[0].name);
}

BOOST_AUTO_TEST_CASE(rejects_reply_with_an_extra_failed_node) {
    generated_args const args = some_args();
    std::string const reason(reason_text(expected_verdict::below_minimum));
    std::string const passing = nodes_that_fit(args)[0].name;
    for (std::string const& extra :
         {passing, right_filter_reply(args).failed[0].first, std::string("stranger")}) {
        filter_reply reply = right_filter_reply(args);
        reply.failed.emplace_back(extra, reason);
        check_message(check_filter_reply(args, reply.text()), extra);
    }
}

// Names only keeps the reply short enough to try each place.
BOOST_AUTO_TEST_CASE(rejects_reply_changed_or_cut_anywhere) {
    generated_args const args =
        real_nodes().generate({.nodes = 20, .min_mib = min_mib, .names_only = true});
    std::string const right = right_filter_reply(args).text();
    for (std::size_t i = 0; i != right.size(); ++i) {
        std::string changed = right;
        changed[i] ^= 1;
        BOOST_TEST(check_filter_reply(args, changed) != "", "byte " << i << " changed");
        BOOST_TEST(check_filter_reply(args, right.substr(0, i)) != "", "cut at " << i);
    }
    check_message(check_filter_reply(args, right + "\n"), "after the failed nodes");
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(prioritize_check)

BOOST_AUTO_TEST_CASE(accepts_the_right_reply) {
    for (generated_args const& args : {some_args(), some_args(0)})
        BOOST_TEST(check_prioritize_reply(args, prioritize_reply(right_priorities(args))) == "");
}

BOOST_AUTO_TEST_CASE(rejects_score_off_by_one) {
    generated_args const args = some_args();
    for (int const by : {-1, 1}) {
        priorities entries = right_priorities(args);
        entries[7].second += by;
        check_message(check_prioritize_reply(args, prioritize_reply(entries)), args.nodes[7].name);
    }
}

BOOST_AUTO_TEST_CASE(rejects_missing_swapped_and_extra_hosts) {
    generated_args const args = some_args();
    priorities missing = right_priorities(args);
    missing.erase(missing.begin() + 5);
    check_message(check_prioritize_reply(args, prioritize_reply(missing)), args.nodes[5].name);

    priorities swapped = right_priorities(args);
    std::swap(swapped[5], swapped[6]);
    check_message(check_prioritize_reply(args, prioritize_reply(swapped)), args.nodes[5].name);

    priorities extra = right_priorities(args);
    extra.emplace_back("stranger", 0);
    check_message(check_prioritize_reply(args, prioritize_reply(extra)), "stranger");
}

BOOST_AUTO_TEST_CASE(rejects_reply_changed_or_cut_anywhere) {
    generated_args const args = some_args(20);
    std::string const right = prioritize_reply(right_priorities(args));
    for (std::size_t i = 0; i != right.size(); ++i) {
        std::string changed = right;
        changed[i] ^= 1;
        BOOST_TEST(check_prioritize_reply(args, changed) != "", "byte " << i << " changed");
        BOOST_TEST(check_prioritize_reply(args, right.substr(0, i)) != "", "cut at " << i);
    }
    check_message(check_prioritize_reply(args, right + "\n"), "after the last node");
}

BOOST_AUTO_TEST_SUITE_END()
