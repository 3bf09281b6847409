// Segments that are parsed ahead give the same answer as the body in one piece, to the letter.
#include <nodesieve/body_segment.hpp>

#include "bodies.hpp"

#include <boost/test/unit_test.hpp>

#include <string>

using namespace nodesieve;
using namespace nodesieve::test;

namespace {

constexpr auto capacity = body_segment::capacity;
const std::string pod =
    R"({"metadata":{"annotations":{"training.example.com/min-gpu-memory-mib":"7"}},)"
    R"("spec":{"containers":[{"resources":{"requests":{"nvidia.com/gpu":1}}}]}})";

/// As Go writes it, with a field of `padding` bytes that nobody reads.
std::string node(std::size_t i, std::size_t padding, std::string const& more = {}) {
    return R"({"metadata":{"name":"n)" + std::to_string(i) +
           R"(","labels":{"training.example.com/gpu-memory-mib":")" + std::to_string(i % 11) +
           R"("}},"status":{"x":")" + std::string(padding, 'x') + '"' + more + "}}";
}

std::string args(std::string const& items) {
    return R"({"Pod":)" + pod + R"(,"Nodes":{"metadata":{},"items":[)" + items +
           R"(]},"NodeNames":null})";
}

/// `count` nodes, one of which is `odd` instead.
std::string nodes(std::size_t count, std::size_t padding, std::string const& odd = {},
                  std::size_t odd_at = 0) {
    std::string items;
    for (std::size_t i = 0; i < count; ++i)
        items += (i > 0 ? "," : "") + (odd.empty() || i != odd_at ? node(i, padding) : odd);
    return items;
}

void check_same(std::string const& body) {
    for (const auto v : {verb::filter, verb::prioritize}) {
        const auto whole = run(v, body);
        BOOST_REQUIRE_EQUAL(run_in_segments(v, body, false), whole);
        BOOST_REQUIRE_EQUAL(run_in_segments(v, body, true), whole);
    }
}

}  // namespace

BOOST_AUTO_TEST_SUITE(body_segment_test)

BOOST_AUTO_TEST_CASE(answers_the_same_wherever_a_segment_ends) {
    const auto body = args(nodes(900, 300));  // some three segments
    BOOST_REQUIRE((run(verb::filter, body).code == errc::success));
    for (std::size_t shift = 0; shift < node(0, 300).size() + 20; shift += 3)
        BOOST_TEST_CONTEXT("behind " << shift << " blanks")
    check_same(std::string(shift, ' ') + body);
}

BOOST_AUTO_TEST_CASE(answers_the_same_with_nodes_larger_than_a_segment) {
    check_same(args(nodes(5, 2 * capacity + 1000)));
    check_same(args(nodes(12, capacity / 2)));
}

BOOST_AUTO_TEST_CASE(answers_the_same_when_the_body_ends_with_a_segment) {
    auto body = args(nodes(900, 300));
    body.insert(1, 2 * capacity - body.size() % capacity, ' ');
    BOOST_REQUIRE(body.size() % capacity == 0U);
    check_same(body);
}

BOOST_AUTO_TEST_CASE(answers_the_same_when_nodes_come_before_the_pod) {
    check_same(R"({"Nodes":{"items":[)" + nodes(900, 300) + R"(]},"Pod":)" + pod + "}");
}

BOOST_AUTO_TEST_CASE(is_not_misled_by_what_looks_like_the_start_of_a_node) {
    const std::string trap =
        R"(,"y":[{"metadata":{"name":"n1"}},{"metadata":{"name":"n2"}},{"metadata":{}}])";
    std::string items;
    for (std::size_t i = 0; i < 900; ++i) items += (i > 0 ? "," : "") + node(i, 300, trap);
    for (std::size_t shift = 0; shift < 600; shift += 7)
        check_same(std::string(shift, ' ') + args(items));

    std::string in_pod = R"({"Pod":{"y":[{})";
    while (in_pod.size() < 2 * capacity) in_pod += R"(,{"metadata":{"name":"a"}})";
    check_same(in_pod + R"(]},"Nodes":{"items":[)" + nodes(900, 300) + "]}}");
    check_same(R"({"Pod":{},"Nodes":{"other":[{})" + in_pod.substr(14) + R"(],"items":[)" +
               nodes(9, 300) + "]}}");
}

BOOST_AUTO_TEST_CASE(reports_the_same_fault_at_the_same_place) {
    const std::string faults[] = {
        R"({"metadata":{"name":7}})",
        R"({"metadata":{"name":"a"},"x":nulx})",
        R"({"metadata":{"name":"a)"
        "\xFF"
        R"("}})",
        R"({"metadata":{"name":"n5"}})",  // given twice
        R"({"metadata":{"name":""}})",
        "null",
        "7",
        R"({"metadata":{"name":"a"}} x)",
        R"({"metadata":{"name":"a"}}])",
    };
    for (auto const& fault : faults) {
        for (const std::size_t at : {1U, 300U, 450U, 600U, 899U}) {
            BOOST_TEST_CONTEXT(fault << " as node " << at) {
                const auto body = args(nodes(900, 300, fault, at));
                BOOST_REQUIRE((run(verb::filter, body).code != errc::success));
                check_same(body);
            }
        }
    }
    const auto body = args(nodes(900, 300));
    for (const auto size : {capacity, capacity + 100, 2 * capacity - 1, body.size() - 1})
        check_same(body.substr(0, size));
    check_same(body + "x");
}

BOOST_AUTO_TEST_CASE(keeps_to_the_limits) {
    const auto body = args(nodes(900, 300));
    setting s;
    s.bounds.max_nodes = 899;
    BOOST_TEST(run_in_segments(verb::filter, body, true, s) == run(verb::filter, body, s));
    s.bounds.max_nodes = 900;
    for (const auto limit : {body.size(), body.size() - 1, capacity + 5000, capacity}) {
        s.bounds.max_body_bytes = limit;
        BOOST_TEST(run_in_segments(verb::filter, body, true, s) == run(verb::filter, body, s));
    }
}

BOOST_AUTO_TEST_SUITE_END()
