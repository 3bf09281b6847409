#include "comparison.hpp"

#include <boost/test/unit_test.hpp>
#include <chrono>
#include <cstddef>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace {

using namespace std::chrono_literals;
using namespace nodesieve::bench;

// Servers that take given times, turn by turn, and write down in which order they were called.
class fake_servers {
  public:
    contestant add(std::string const& url, std::vector<std::chrono::nanoseconds> turns) {
        return {url, [this, url, turns = std::move(turns), next = std::size_t{0}]() mutable {
                    calls_ += url;
                    load_result result;
                    auto const took = turns[next++ % turns.size()];
                    if (took == 0ns)
                        result.record_error(1s, {"timeout", "as told"});
                    else
                        result.record_answer(took, took, 1, 1, 1);
                    return result;
                }};
    }

    [[nodiscard]] std::string const& calls() const { return calls_; }

  private:
    std::string calls_;
};

}  // namespace

BOOST_TEST_DECORATOR(*boost::unit_test::tolerance(1e-6))
BOOST_AUTO_TEST_SUITE(comparison)

BOOST_AUTO_TEST_CASE(calls_in_turn_and_forms_the_ratios_of_the_first) {
    fake_servers servers;
    auto const result = compare({servers.add("A", {30ms, 33ms}), servers.add("B", {20ms, 22ms}),
                                 servers.add("C", {60ms, 66ms})},
                                4);
    BOOST_TEST(servers.calls() == "ABCABCABCABC");
    BOOST_TEST_REQUIRE(result.figures.size() == 2U);
    BOOST_TEST(result.figures[0].other_url == "B");
    BOOST_TEST(result.figures[0].figure.ratio == 1.5);
    BOOST_TEST(result.figures[1].figure.ratio == 0.5);
    BOOST_TEST(!result.figures[0].first_try);
    BOOST_TEST(result.servers[0].round_p50s.size() == 4U);
    BOOST_TEST(result.servers[2].result.latency.count() == 4U);
    BOOST_TEST((result.servers[0].result.elapsed == 126ms));
}

BOOST_AUTO_TEST_CASE(measures_an_unsteady_figure_once_more) {
    fake_servers servers;
    auto const result =
        compare({servers.add("A", {10ms, 20ms, 10ms, 10ms}), servers.add("B", {10ms})}, 2);
    BOOST_TEST(servers.calls() == "ABABABAB");
    BOOST_TEST_REQUIRE(result.figures.size() == 1U);
    BOOST_TEST(result.figures[0].figure.ratio == 1.0);
    BOOST_TEST(result.figures[0].figure.steady());
    BOOST_TEST_REQUIRE(result.figures[0].first_try.has_value());
    BOOST_TEST(result.figures[0].first_try->ratio == 1.5);
    BOOST_TEST(result.servers[0].result.latency.count() == 2U);
}

BOOST_AUTO_TEST_CASE(measures_no_third_time) {
    fake_servers servers;
    auto const result = compare({servers.add("A", {10ms, 20ms}), servers.add("B", {10ms})}, 2);
    BOOST_TEST(servers.calls() == "ABABABAB");
    BOOST_TEST(!result.figures[0].figure.steady());
}

BOOST_AUTO_TEST_CASE(stops_when_a_turn_has_no_right_answer) {
    fake_servers servers;
    auto const result = compare({servers.add("A", {10ms}), servers.add("B", {10ms, 0ms})}, 10);
    BOOST_TEST(servers.calls() == "ABAB");
    BOOST_TEST(result.figures.empty());
    BOOST_TEST(result.servers[1].result.errors.count() == 1U);
}

BOOST_AUTO_TEST_CASE(tells_how_far_it_is) {
    fake_servers servers;
    std::vector<std::size_t> done, all;
    auto const tell = [&](std::size_t turns, std::size_t of) {
        done.push_back(turns);
        all.push_back(of);
    };
    std::ignore = compare({servers.add("A", {10ms, 20ms}), servers.add("B", {10ms})}, 2, tell);
    BOOST_TEST(done == (std::vector<std::size_t>{1, 2, 3, 4, 5, 6, 7, 8}),
               boost::test_tools::per_element());
    BOOST_TEST(all == (std::vector<std::size_t>{4, 4, 4, 4, 8, 8, 8, 8}),
               boost::test_tools::per_element());
}

BOOST_AUTO_TEST_SUITE_END()
