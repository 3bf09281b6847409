#include "request_schedule.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <chrono>
#include <cstddef>
#include <functional>
#include <set>
#include <thread>
#include <vector>

namespace {

using namespace std::chrono_literals;
using nodesieve::bench::request_schedule;
using time_point = request_schedule::time_point;
using duration = request_schedule::clock::duration;

constexpr time_point start = time_point(1000s);

struct simulated_request {
    duration intended, started, latency;
};

// Runs `connections` against a server that takes service_time(start) for each request, in simulated
// time: the connection that is free first claims next.
std::vector<simulated_request> simulate(request_schedule schedule, std::size_t connections,
                                        std::function<duration(duration)> const& service_time) {
    std::vector<time_point> free_at(connections, start);
    std::vector<simulated_request> requests;
    for (;;) {
        auto const next = std::min_element(free_at.begin(), free_at.end());
        auto const intended = schedule.claim(*next);
        if (!intended) return requests;
        time_point const started = std::max(*next, *intended);
        *next = started + service_time(started - start);
        requests.push_back({*intended - start, started - start, *next - *intended});
    }
}

}  // namespace

BOOST_AUTO_TEST_SUITE(request_schedule_)

BOOST_AUTO_TEST_CASE(closed_loop_starts_when_claimed_until_time_is_over) {
    auto const requests = simulate(request_schedule::closed_loop(start, {.duration = 1s}), 2,
                                   [](duration) { return 100ms; });
    BOOST_TEST(requests.size() == 20U);
    for (simulated_request const& each : requests) {
        BOOST_TEST((each.intended == each.started));
        BOOST_TEST((each.latency == 100ms));
    }
}

BOOST_AUTO_TEST_CASE(closed_loop_ends_with_the_count) {
    auto const requests =
        simulate(request_schedule::closed_loop(start, {.duration = 1h, .count = 7}), 3,
                 [](duration) { return 1s; });
    BOOST_TEST(requests.size() == 7U);
}

BOOST_AUTO_TEST_CASE(open_loop_arrives_at_a_constant_rate) {
    auto const requests = simulate(request_schedule::open_loop(start, {.duration = 10s}, 100), 1,
                                   [](duration) { return 1ms; });
    BOOST_TEST_REQUIRE(requests.size() == 1000U);
    for (std::size_t i = 0; i != requests.size(); ++i) {
        duration const off = requests[i].intended - static_cast<int>(i) * 10ms;
        BOOST_TEST((off <= 1ns && off >= -1ns));
        BOOST_TEST((requests[i].latency == 1ms));
    }
}

BOOST_AUTO_TEST_CASE(open_loop_ends_with_the_count) {
    auto const requests =
        simulate(request_schedule::open_loop(start, {.duration = 1h, .count = 5}, 1000), 1,
                 [](duration) { return 1ms; });
    BOOST_TEST(requests.size() == 5U);
}

// One request of a second: those that should have started meanwhile wait, and their waiting counts.
// A closed loop would have shown a single slow request.
BOOST_AUTO_TEST_CASE(open_loop_does_not_hide_a_stall) {
    auto const service_time = [](duration at) -> duration {
        return at >= 5s && at < 5s + 10ms ? 1s : 1ms;
    };
    auto const open =
        simulate(request_schedule::open_loop(start, {.duration = 10s}, 100), 1, service_time);
    BOOST_TEST_REQUIRE(open.size() == 1000U);
    auto const slow = [](simulated_request const& each) { return each.latency > 100ms; };
    // 99 arrivals in the second of the stall; the queue shrinks by 9 in each 10 ms that follow.
    BOOST_TEST(std::count_if(open.begin(), open.end(), slow) == 100);
    auto const longest =
        std::max_element(open.begin(), open.end(),
                         [](auto const& a, auto const& b) { return a.latency < b.latency; });
    BOOST_TEST((longest->intended >= 5s && longest->latency == 1s));
    for (std::size_t i = 1; i != open.size(); ++i)  // in order of arrival
        BOOST_TEST((open[i].started >= open[i - 1].started));
    BOOST_TEST((open.back().latency == 1ms));  // recovered

    auto const closed =
        simulate(request_schedule::closed_loop(start, {.duration = 10s}), 1, service_time);
    BOOST_TEST(std::count_if(closed.begin(), closed.end(), slow) == 1);
}

BOOST_AUTO_TEST_CASE(open_loop_over_capacity_grows_without_bound) {
    auto const requests = simulate(request_schedule::open_loop(start, {.duration = 1s}, 100), 1,
                                   [](duration) { return 20ms; });
    BOOST_TEST_REQUIRE(requests.size() == 100U);
    BOOST_TEST((requests.back().latency > 1s && requests.back().latency < 1020ms));
}

BOOST_AUTO_TEST_CASE(threads_claim_each_arrival_once) {
    auto schedule = request_schedule::open_loop(start, {.duration = 1h, .count = 1000}, 1000);
    std::vector<std::vector<time_point>> claimed(4);
    {
        std::vector<std::jthread> threads;
        for (auto& mine : claimed)
            threads.emplace_back([&schedule, &mine] {
                while (auto const next = schedule.claim(start)) mine.push_back(*next);
            });
    }
    std::multiset<time_point> all;
    for (auto const& each : claimed) all.insert(each.begin(), each.end());
    BOOST_TEST(all.size() == 1000U);
    BOOST_TEST((std::set<time_point>(all.begin(), all.end()).size() == 1000U));
}

BOOST_AUTO_TEST_SUITE_END()
