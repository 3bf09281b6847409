// The pipeline on bodies that a real kube-scheduler 1.35.8 sent, against the reference's replies.
#include "bodies.hpp"

#include <boost/json.hpp>
#include <boost/test/unit_test.hpp>

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
