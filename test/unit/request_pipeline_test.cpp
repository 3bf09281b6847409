#include <nodesieve/request_pipeline.hpp>

#include "bodies.hpp"
#include "odd_args.hpp"

#include <boost/test/unit_test.hpp>

#include <string>

using namespace nodesieve;
using namespace nodesieve::test;

namespace {

std::string node(std::string const& name, std::string const& memory) {
    return R"({"metadata":{"name":")" + name +
           R"(","labels":{"training.example.com/gpu-memory-mib":")" + memory + R"("}}})";
}

std::string pod(std::string const& minimum, bool gpu = true) {
    return R"({"metadata":{"namespace":"team","name":"p","annotations":{"training.example.com/min-gpu-memory-mib":")" +
           minimum + R"("}},"spec":{"containers":[{"resources":{"requests":{)" +
           (gpu ? R"("nvidia.com/gpu":"1")" : "") + "}}}]}}";
}

std::string args(std::string const& the_pod, std::string const& items) {
    return R"({"Pod":)" + the_pod + R"(,"Nodes":{"items":[)" + items + R"(]},"NodeNames":null})";
}

std::string nodes_first(std::string const& the_pod, std::string const& items) {
    return R"({"Nodes":{"items":[)" + items + R"(]},"Pod":)" + the_pod + "}";
}

}  // namespace

BOOST_AUTO_TEST_SUITE(request_pipeline_test)

BOOST_AUTO_TEST_CASE(answers_odd_bodies_right_and_byte_for_byte) {
    for (std::uint64_t seed = 0; seed < 500; ++seed) {
        const auto odd = make_odd_args(seed);
        BOOST_TEST_CONTEXT("seed " << seed << ": " << odd.body) {
            BOOST_REQUIRE_EQUAL(run(verb::filter, odd.body),
                                (outcome{errc::success, "", odd.filter_reply()}));
            BOOST_REQUIRE_EQUAL(run(verb::prioritize, odd.body),
                                (outcome{errc::success, "", odd.prioritize_reply()}));
        }
    }
}

BOOST_AUTO_TEST_CASE(answers_odd_bodies_the_same_wherever_a_block_ends) {
    for (std::uint64_t seed = 500; seed < 530; ++seed) {
        const auto odd = make_odd_args(seed);
        for (std::size_t at = 0; at <= odd.body.size(); at += 1 + odd.body.size() / 400)
            BOOST_TEST_CONTEXT("seed " << seed << ", block ends at " << at)
        BOOST_REQUIRE_EQUAL(run_at_block_end(verb::filter, odd.body, at).reply, odd.filter_reply());
    }
}

BOOST_AUTO_TEST_CASE(reports_the_first_fault_in_order_of_precedence) {
    const auto twice = node("a", "5") + "," + node("a", "5");
    setting few;
    few.bounds.max_nodes = 1;
    // Each body has the fault of its row and those of all rows below.
    const std::pair<std::string, errc> rows[] = {
        {R"({"Nodes":{"items":[)" + twice + R"(]},"NodeNames":[]x} y)", errc::malformed_request},
        {R"({"Nodes":{"items":[)" + twice + R"(]},"NodeNames":[]} y)", errc::trailing_data},
        {R"({"Nodes":{"items":[)" + twice + R"(]},"NodeNames":[]})", errc::pod_and_nodes_required},
        {args(pod("x", false), twice), errc::too_many_nodes},
    };
    for (auto const& [body, code] : rows)
        BOOST_TEST_CONTEXT(body) BOOST_TEST((run(verb::filter, body, few).code == code));
    BOOST_TEST((run(verb::filter, args(pod("x", false), twice)).code == errc::bad_node_name));
    BOOST_TEST(
        (run(verb::filter, args(pod("x", false), node("a", "5"))).code == errc::invalid_minimum));
    BOOST_TEST((run(verb::filter, args(pod("7", false), node("a", "5"))).code ==
                errc::minimum_without_gpu));
}

BOOST_AUTO_TEST_CASE(accepts_exactly_the_limits) {
    const auto body = args(pod("5"), node("a", "5") + "," + node("b", "5"));
    setting exact;
    exact.bounds = {.max_body_bytes = body.size(), .max_nodes = 2};
    for (const auto c : {cut::whole, cut::bytewise}) {
        BOOST_TEST((run(verb::filter, body, exact, c).code == errc::success));
        BOOST_TEST((run(verb::filter, body + " ", exact, c).code == errc::body_too_large));
    }
    exact.bounds.max_nodes = 1;
    const auto seen = run(verb::filter, body, exact);
    BOOST_TEST((seen.code == errc::too_many_nodes));
    BOOST_TEST(seen.detail == "2 nodes are more than 1: raise --max-nodes");
}

BOOST_AUTO_TEST_CASE(a_byte_too_many_counts_before_any_other_fault) {
    setting small;
    small.bounds.max_body_bytes = 20;
    for (const auto c : {cut::whole, cut::bytewise}) {
        BOOST_TEST((run(verb::filter, "x" + std::string(19, ' '), small, c).code ==
                    errc::malformed_request));
        BOOST_TEST(
            (run(verb::filter, "x" + std::string(20, ' '), small, c).code == errc::body_too_large));
        BOOST_TEST(
            (run(verb::filter, std::string(30, ' ') + "x", small, c).code == errc::body_too_large));
    }
}

BOOST_AUTO_TEST_CASE(drops_refused_nodes_that_come_before_the_pod) {
    const auto a = node("a", "5"), b = node("b", "9"), c = node("c", "x"), d = node("d", "9");
    const auto expected = run(verb::filter, args(pod("7"), a + "," + b + "," + c + "," + d)).reply;
    BOOST_TEST(expected.find(b + "," + d + "]") != std::string::npos);
    BOOST_TEST(run(verb::filter, nodes_first(pod("7"), a + "," + b + "," + c + "," + d)).reply ==
               expected);
    for (const auto* minimum : {"1", "1000"}) {
        const auto items = a + "," + b;
        BOOST_TEST(run(verb::filter, nodes_first(pod(minimum), items)).reply ==
                   run(verb::filter, args(pod(minimum), items)).reply);
    }
}

BOOST_AUTO_TEST_CASE(answers_an_invalid_pod_as_it_was_told) {
    setting told;
    told.invalid_pod = invalid_pod_answer::unschedulable;
    const auto items = node("a", "5") + "," + node("b", "9");
    for (auto const& body : {args(pod("x"), items), nodes_first(pod("x"), items)}) {
        BOOST_TEST((run(verb::filter, body).code == errc::invalid_minimum));
        BOOST_TEST(
            run(verb::filter, body, told).reply ==
            R"({"Nodes":{"metadata":{},"items":[]},"NodeNames":null,"FailedNodes":null,)"
            R"("FailedAndUnresolvableNodes":{"a":"minimum GPU memory must be 1..1048576 MiB",)"
            R"("b":"minimum GPU memory must be 1..1048576 MiB"},"Error":""})");
        BOOST_TEST((run(verb::prioritize, body, told).code == errc::invalid_minimum));
    }
}

BOOST_AUTO_TEST_CASE(counts_for_metrics_and_logs) {
    const policy rules({});
    request_pipeline pipeline(rules, {}, invalid_pod_answer::error);
    const auto body = args(pod("7"), node("a", "5") + "," + node("b", "9") + "," + node("c", "x"));
    pipeline.start(verb::filter);
    pipeline.write(body);
    BOOST_TEST((pipeline.finish() == errc::success));
    BOOST_TEST(pipeline.node_count() == 3U);
    BOOST_TEST(pipeline.body_bytes() == body.size());
    BOOST_TEST(pipeline.pod_namespace() == "team");
    BOOST_TEST(pipeline.pod_name() == "p");
    BOOST_TEST(pipeline.counts()[verdict::fits] == 1U);
    BOOST_TEST(pipeline.counts()[verdict::below_minimum] == 1U);
    BOOST_TEST(pipeline.counts()[verdict::invalid_label] == 1U);
}

BOOST_AUTO_TEST_CASE(serves_many_requests_one_after_the_other) {
    const policy rules({});
    request_pipeline pipeline(rules, {}, invalid_pod_answer::error);
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
        const auto odd = make_odd_args(seed);
        const auto v = seed % 2 == 0 ? verb::filter : verb::prioritize;
        pipeline.start(v);
        if (seed % 5 == 0) {
            pipeline.write("{\"broken");
            BOOST_TEST((pipeline.finish() == errc::malformed_request));
            continue;
        }
        pipeline.write(odd.body);
        BOOST_REQUIRE((pipeline.finish() == errc::success));
        pipeline.compose();
        BOOST_REQUIRE_EQUAL(text(pipeline.reply()),
                            v == verb::filter ? odd.filter_reply() : odd.prioritize_reply());
    }
}

BOOST_AUTO_TEST_SUITE_END()
