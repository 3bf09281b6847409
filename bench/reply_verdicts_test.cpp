#include "reply_verdicts.hpp"

#include <boost/json.hpp>
#include <boost/test/unit_test.hpp>
#include <string>
#include <string_view>

#include "generator_test.hpp"

namespace {

namespace json = boost::json;
using namespace nodesieve::bench;

// The right answer as Go gives it: nodes written anew with little in them, and a line end.
json::value go_answer(generated_args const& args) {
    json::array items;
    json::object failed;
    for (generated_node const& node : args.nodes) {
        if (node.verdict != expected_verdict::fits)
            failed.emplace(node.name, reason_text(node.verdict));
        else if (args.names_only)
            items.emplace_back(node.name);
        else
            items.push_back(json::object{
                {"metadata", json::object{{"creationTimestamp", nullptr}, {"name", node.name}}}});
    }
    json::object answer{
        {"FailedNodes", nullptr}, {"FailedAndUnresolvableNodes", failed}, {"Error", ""}};
    if (args.names_only) {
        answer.emplace("Nodes", nullptr);
        answer.emplace("NodeNames", items);
    } else {
        answer.emplace("Nodes", json::object{{"metadata", json::object{}}, {"items", items}});
        answer.emplace("NodeNames", nullptr);
    }
    return answer;
}

std::string complaint(generated_args const& args, json::value const& answer) {
    return check_filter_verdicts(args, json::serialize(answer) + "\n");
}

json::array& items_of(json::value& answer) { return answer.at("Nodes").at("items").as_array(); }

json::object& failed_of(json::value& answer) {
    return answer.at("FailedAndUnresolvableNodes").as_object();
}

json::array scores(generated_args const& args) {
    json::array all;
    for (generated_node const& node : args.nodes)
        all.push_back(json::object{{"Host", node.name}, {"Score", node.score}});
    return all;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(reply_verdicts)

BOOST_AUTO_TEST_CASE(filter_is_right_in_other_words) {
    generated_args const full = some_args();
    BOOST_TEST(complaint(full, go_answer(full)) == "");
    generated_args const names =
        real_nodes().generate({.nodes = 60, .seed = 7, .min_mib = min_mib, .names_only = true});
    BOOST_TEST(complaint(names, go_answer(names)) == "");
}

BOOST_AUTO_TEST_CASE(filter_is_wrong_with_any_other_verdict) {
    generated_args const args = some_args();
    struct wrong_case {
        char const* what;
        void (*change)(json::value&);
        std::string_view said;
    };
    for (auto const& [what, change, said] : {
             wrong_case{"one less passes", [](json::value& a) { items_of(a).pop_back(); },
                        "saw the end"},
             wrong_case{"one passes twice",
                        [](json::value& a) {
                            json::value const last = items_of(a).back();
                            items_of(a).push_back(last);
                        },
                        "expected the end"},
             wrong_case{"another order",
                        [](json::value& a) { std::swap(items_of(a)[0], items_of(a)[1]); },
                        "passing node 0"},
             wrong_case{"a reason is missing",
                        [](json::value& a) { failed_of(a).erase(failed_of(a).begin()); },
                        "saw `null`"},
             wrong_case{"another reason",
                        [](json::value& a) { failed_of(a).begin()->value() = "why not"; },
                        "saw `\"why not\"`"},
             wrong_case{"one fails that is not there",
                        [](json::value& a) { failed_of(a).emplace("x", "y"); },
                        "number of failed nodes"},
             wrong_case{"an error", [](json::value& a) { a.as_object()["Error"] = "no"; },
                        "Error: expected nothing"},
             wrong_case{"no nodes", [](json::value& a) { a.as_object()["Nodes"] = nullptr; }, ""},
             wrong_case{"not an object", [](json::value& a) { a = 5; }, ""},
         }) {
        BOOST_TEST_CONTEXT(what) {
            json::value answer = go_answer(args);
            change(answer);
            std::string const line = complaint(args, answer);
            BOOST_TEST(!line.empty());
            BOOST_TEST(contains(line, said), line);
            BOOST_TEST(!contains(line, "\n"));
        }
    }
    BOOST_TEST(!check_filter_verdicts(args, "{").empty());
}

BOOST_AUTO_TEST_CASE(prioritize_needs_each_host_in_order_with_its_score) {
    generated_args const args = some_args();
    json::array const right = scores(args);
    BOOST_TEST(check_prioritize_verdicts(args, json::serialize(right) + "\n") == "");

    json::array score = right;
    score[3].at("Score") = 11;
    BOOST_TEST(contains(check_prioritize_verdicts(args, json::serialize(score)),
                        "node " + args.nodes[3].name + ": expected"));
    json::array order = right;
    std::swap(order[0], order[1]);
    BOOST_TEST(contains(check_prioritize_verdicts(args, json::serialize(order)), "score 0"));
    json::array less = right;
    less.pop_back();
    BOOST_TEST(contains(check_prioritize_verdicts(args, json::serialize(less)), "number of"));
}

BOOST_AUTO_TEST_SUITE_END()
