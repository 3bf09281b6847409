#include "ratio_figure.hpp"

#include <boost/test/unit_test.hpp>
#include <vector>

using nodesieve::bench::median;
using nodesieve::bench::ratio_figure;

BOOST_TEST_DECORATOR(*boost::unit_test::tolerance(1e-12))
BOOST_AUTO_TEST_SUITE(ratio_figure_)

BOOST_AUTO_TEST_CASE(median_is_the_middle_or_between_the_middle_two) {
    BOOST_TEST(median({3}) == 3.0);
    BOOST_TEST(median({9, 1, 2}) == 2.0);
    BOOST_TEST(median({4, 1, 100, 2}) == 3.0);
}

// Not the ratio of the medians: a slow phase of the machine hits both sides of a round.
BOOST_AUTO_TEST_CASE(is_the_median_of_the_rounds_ratios) {
    ratio_figure const figure = ratio_figure::of({2, 20, 3, 2.2, 2}, {1, 10, 2, 1, 1});
    BOOST_TEST(figure.rounds == (std::vector<double>{2, 2, 1.5, 2.2, 2}),
               boost::test_tools::per_element());
    BOOST_TEST(figure.ratio == 2.0);
    BOOST_TEST(figure.spread_percent == 35.0);
    BOOST_TEST(!figure.steady());
}

BOOST_AUTO_TEST_CASE(is_steady_up_to_twenty_percent) {
    BOOST_TEST(ratio_figure::of({1, 1.09, 0.9}, {1, 1, 1}).steady());
    BOOST_TEST(!ratio_figure::of({1, 1.11, 0.9}, {1, 1, 1}).steady());
    BOOST_TEST(ratio_figure::of({1}, {4}).spread_percent == 0.0);
}

BOOST_AUTO_TEST_SUITE_END()
