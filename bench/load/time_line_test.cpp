#include "time_line.hpp"

#include <boost/test/unit_test.hpp>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace {

using namespace std::chrono_literals;
using nodesieve::bench::time_line;

std::vector<std::uint64_t> answers_by_slot(time_line const& line) {
    std::vector<std::uint64_t> counts;
    for (time_line::slot const& slot : line.slots()) counts.push_back(slot.latency.count());
    return counts;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(time_line_)

BOOST_AUTO_TEST_CASE(counts_by_the_time_of_the_answer) {
    time_line line;
    line.record(0ms, 1ms);
    line.record(9ms, 2ms);
    line.record(30ms, 3ms);
    line.record_error(31ms);
    line.record(-1ms, 4ms);
    BOOST_TEST((line.slot_width() == 10ms));
    BOOST_TEST(answers_by_slot(line) == (std::vector<std::uint64_t>{3, 0, 0, 1}),
               boost::test_tools::per_element());
    BOOST_TEST(line.slots()[3].errors == 1U);
    BOOST_TEST((line.slots()[0].latency.max() == 4ms));
}

BOOST_AUTO_TEST_CASE(widens_its_slots_and_loses_nothing) {
    time_line line;
    constexpr int answers = 5000;  // one each 10 ms
    for (int i = 0; i != answers; ++i) line.record(i * 10ms, 1ms);
    BOOST_TEST((line.slot_width() == 640ms));
    BOOST_TEST(line.slots().size() == 79U);
    std::vector<std::uint64_t> const counts = answers_by_slot(line);
    for (std::size_t i = 0; i + 1 != counts.size(); ++i) BOOST_TEST(counts[i] == 64U);
    BOOST_TEST(counts.back() == 5000U - 78 * 64);
}

BOOST_AUTO_TEST_CASE(merges_lines_of_different_widths) {
    time_line narrow, wide;
    for (int i = 0; i != 4; ++i) narrow.record(i * 10ms, 1ms);
    wide.record(0ms, 1ms);
    wide.record_error(2s);
    BOOST_TEST_REQUIRE((wide.slot_width() == 20ms));

    time_line one = narrow, other = wide;
    one.merge(wide);
    other.merge(narrow);
    for (time_line const* merged : {&one, &other}) {
        BOOST_TEST((merged->slot_width() == 20ms));
        BOOST_TEST_REQUIRE(merged->slots().size() == 101U);
        BOOST_TEST(merged->slots()[0].latency.count() == 3U);
        BOOST_TEST(merged->slots()[1].latency.count() == 2U);
        BOOST_TEST(merged->slots()[100].errors == 1U);
    }
}

BOOST_AUTO_TEST_SUITE_END()
