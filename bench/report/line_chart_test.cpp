#include "line_chart.hpp"

#include <boost/test/unit_test.hpp>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace {

using namespace nodesieve::bench;

std::string ticks_up_to(double largest) {
    std::string text;
    for (auto const& each : line_chart::axis::up_to(largest, "").ticks) text += each.text + ' ';
    return text;
}

std::size_t occurrences(std::string_view text, std::string_view part) {
    std::size_t count = 0;
    for (auto at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++count;
    return count;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(line_chart_)

BOOST_AUTO_TEST_CASE(axes_have_round_ticks_and_reach_the_largest_value) {
    BOOST_TEST(ticks_up_to(10) == "0 2 4 6 8 10 ");
    BOOST_TEST(ticks_up_to(6) == "0 1 2 3 4 5 6 ");
    BOOST_TEST(ticks_up_to(173) == "0 50 100 150 200 ");
    BOOST_TEST(ticks_up_to(0.31) == "0 0.1 0.2 0.3 0.4 ");
    BOOST_TEST(ticks_up_to(0) == "0 0.2 0.4 0.6 0.8 1 ");
    for (double largest = 0.001; largest < 1e6; largest *= 1.07) {
        auto const axis = line_chart::axis::up_to(largest, "");
        BOOST_TEST(axis.end >= largest * 0.9999);
        BOOST_TEST(axis.end <= largest * 1.51);
        BOOST_TEST(axis.ticks.size() >= 4U);
        BOOST_TEST(axis.ticks.size() <= 11U);
    }
}

BOOST_AUTO_TEST_CASE(logarithmic_axes_end_at_the_ticks_around_the_values) {
    auto const ticks = [](double smallest, double largest) {
        std::string text;
        for (auto const& each : line_chart::axis::log_between(smallest, largest, "").ticks)
            text += each.text + ' ';
        return text;
    };
    BOOST_TEST(ticks(0.07, 1.1) == "0.05 0.1 0.2 0.5 1 2 ");
    BOOST_TEST(ticks(3, 3) == "2 5 ");
    BOOST_TEST(ticks(1, 10) == "1 2 5 10 ");
    BOOST_TEST(ticks(0.9, 999) == "0.5 1 2 5 10 20 50 100 200 500 1000 ");
}

BOOST_AUTO_TEST_CASE(logarithmic_axes_show_factors_as_distances) {
    line_chart chart;
    chart.y = line_chart::axis::log_between(1, 100, "");
    chart.lines = {{"one", {{0, 1}, {0.5, 10}, {1, 100}}}};
    std::ostringstream out;
    out << chart;
    BOOST_TEST(occurrences(out.str(), "points=\"62.0,256.0 342.0,134.0 622.0,12.0 \"") == 1U);
}

BOOST_AUTO_TEST_CASE(draws_each_line_with_its_points_and_a_legend) {
    line_chart chart;
    chart.description = "a \"<picture>\"";
    chart.x = line_chart::axis::up_to(10, "x & y");
    chart.y = line_chart::axis::up_to(10, "y");
    chart.lines = {{"one", {{0, 0, "tip <1>"}, {10, 10, "tip 2"}}},
                   {"two", {{5, 5, "tip 3"}, {6, 6}}}};
    std::ostringstream out;
    out << chart;
    std::string const svg = out.str();
    BOOST_TEST(occurrences(svg, "<circle") == 3U);
    BOOST_TEST(occurrences(svg, "points=\"62.0,256.0 622.0,12.0 \"") == 1U);
    BOOST_TEST(occurrences(svg, "aria-label=\"a &quot;&lt;picture&gt;&quot;\"") == 1U);
    BOOST_TEST(occurrences(svg, "<title>tip &lt;1&gt;</title>") == 1U);
    BOOST_TEST(occurrences(svg, "x &amp; y") == 1U);
    BOOST_TEST(occurrences(svg, "</svg>two</li>") == 1U);
}

BOOST_AUTO_TEST_CASE(leaves_gaps_open) {
    line_chart chart;
    chart.lines = {{"one", {{0, 0}, {0.5, 0}, {1, 1, "", true}}}};
    std::ostringstream out;
    out << chart;
    BOOST_TEST(occurrences(out.str(), "points=\"62.0,256.0 342.0,256.0 \"/>") == 1U);
    BOOST_TEST(occurrences(out.str(), "points=\"622.0,12.0 \"/>") == 1U);
}

BOOST_AUTO_TEST_CASE(needs_no_legend_for_a_single_line) {
    line_chart chart;
    chart.lines = {{"one", {}}};
    std::ostringstream out;
    out << chart;
    BOOST_TEST(occurrences(out.str(), "legend") == 0U);
}

BOOST_AUTO_TEST_SUITE_END()
