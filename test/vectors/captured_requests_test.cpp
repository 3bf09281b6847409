// The pipeline on bodies that a real kube-scheduler 1.35.8 sent, against the reference's replies.
#include "bodies.hpp"

#include <boost/json.hpp>
#include <boost/test/unit_test.hpp>

#include <set>
#include <sstream>

using namespace nodesieve;
using namespace nodesieve::test;
namespace json = boost::json;

BOOST_AUTO_TEST_SUITE(captured_requests_test)

BOOST_AUTO_TEST_CASE(answers_as_the_reference_did) {
    struct captured {
        verb what;
        std::string_view body;
        std::string_view reply;
    };
    static constexpr captured requests[] = {
        {verb::filter, "filter-min15000.json", "filter-min15000.reference-reply.json"},
        {verb::filter, "filter-min150000.json", "filter-min150000.reference-reply.json"},
        {verb::prioritize, "prioritize-min15000.json", "prioritize-min15000.reference-reply.json"},
        {verb::prioritize, "prioritize-nomin.json", "prioritize-nomin.reference-reply.json"},
    };
    for (auto const& r : requests) {
        BOOST_TEST_CONTEXT(r.body) {
            const auto seen = run(r.what, test_data("requests/" + std::string(r.body)));
            BOOST_REQUIRE(seen.code == errc::success);
            const auto expected = json::parse(test_data("requests/" + std::string(r.reply)));
            BOOST_TEST((json::parse(seen.reply) == expected));
        }
    }
}

BOOST_AUTO_TEST_CASE(refuses_the_captured_invalid_annotation) {
    const auto seen = run(verb::filter, test_data("requests/filter-invalid-annotation.json"));
    BOOST_TEST((seen.code == errc::invalid_minimum));
}

BOOST_AUTO_TEST_CASE(names_nodeCacheCapable_when_only_names_come) {
    for (const auto* file : {"requests/filter-names.json", "requests/prioritize-names.json"}) {
        const auto seen = run(verb::filter, test_data(file));
        BOOST_TEST((seen.code == errc::pod_and_nodes_required));
        BOOST_TEST(seen.detail.find("nodeCacheCapable") != std::string::npos);
    }
}

/// An index of the nodes of a captured request.
named_nodes index_of(json::value const& args) {
    node_index_builder builder;
    for (auto const& node : args.at("Nodes").at("items").as_array()) {
        auto const& metadata = node.at("metadata");
        auto const* const labels = metadata.as_object().if_contains("labels");
        auto const* const label =
            labels == nullptr
                ? nullptr
                : labels->as_object().if_contains("training.example.com/gpu-memory-mib");
        builder.set(metadata.at("name").as_string(),
                    label == nullptr ? 0 : parse_mib(label->as_string()));
    }
    return {named_nodes::readiness::ready, builder.snapshot(), {}};
}

BOOST_AUTO_TEST_CASE(judges_names_as_the_reference_judged_full_nodes) {
    setting s;
    s.known = index_of(json::parse(test_data("requests/filter-min15000.json")));
    const auto full = json::parse(test_data("requests/filter-min15000.reference-reply.json"));
    std::set<std::string> passed;
    for (auto const& node : full.at("Nodes").at("items").as_array())
        passed.insert(json::value_to<std::string>(node.at("metadata").at("name")));
    auto const& failed = full.at("FailedAndUnresolvableNodes").as_object();

    const auto body = test_data("requests/filter-names.json");
    const auto seen = json::parse(run(verb::filter, body, s).reply);
    json::array expected_names;
    json::object expected_failures;
    const auto args = json::parse(body);
    for (auto const& name : args.at("NodeNames").as_array()) {
        const auto text = json::value_to<std::string>(name);
        if (passed.contains(text))
            expected_names.push_back(name);
        else if (auto const* const why = failed.if_contains(text))
            expected_failures[text] = *why;
        else  // a node that joined between the two captures
            expected_failures[text] = "node is not in the extender's cache yet";
    }
    BOOST_REQUIRE(!expected_names.empty());
    BOOST_TEST(expected_failures.size() > 2U);
    BOOST_TEST((seen.at("NodeNames").as_array() == expected_names));
    BOOST_TEST((seen.at("FailedAndUnresolvableNodes").as_object() == expected_failures));

    const auto scores = run(verb::prioritize, test_data("requests/prioritize-names.json"), s);
    BOOST_TEST((scores.code == errc::success));
}

BOOST_AUTO_TEST_CASE(answers_both_captured_forms_of_preempt_in_the_shape_that_is_read) {
    node_index_builder builder;
    builder.set("ip-10-0-0-0.eu-west-1.compute.internal", 81920);
    setting s;
    s.known = {named_nodes::readiness::ready, builder.snapshot(), {}};
    const auto names = run(verb::preempt, test_data("requests/preempt-names.json"), s);
    BOOST_TEST(
        (json::parse(names.reply) == json::parse(test_data("requests/preempt.reply-shape.json"))));
    const auto full = run(verb::preempt, test_data("requests/preempt-full-nodes.json"), s);
    BOOST_TEST(
        full.reply ==
        R"({"NodeNameToMetaVictims":{"ip-10-0-0-0.eu-west-1.compute.internal":)"
        R"({"Pods":[{"UID":"a228bc06-2215-4bcb-9095-f02bea9d57c8"}],"NumPDBViolations":0}}})");

    builder.set("ip-10-0-0-0.eu-west-1.compute.internal", 40960);
    s.known.index = builder.snapshot();
    for (auto const* file : {"requests/preempt-names.json", "requests/preempt-full-nodes.json"})
        BOOST_TEST(run(verb::preempt, test_data(file), s).reply ==
                   R"({"NodeNameToMetaVictims":{}})");
}

BOOST_AUTO_TEST_CASE(survives_bodies_that_crashed_other_extenders) {
    std::istringstream lines(test_data("requests/extender-odd-bodies.jsonl"));
    for (std::string line; std::getline(lines, line);) {
        const auto row = json::parse(line);
        const auto body = json::value_to<std::string>(row.at("body"));
        BOOST_TEST_CONTEXT(json::serialize(row.at("what")))
        BOOST_TEST((run(verb::filter, body).code != errc::success));
    }
}

BOOST_AUTO_TEST_SUITE_END()
