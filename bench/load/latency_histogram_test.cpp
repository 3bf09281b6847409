#include "latency_histogram.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

namespace {

using namespace std::chrono_literals;
using nodesieve::bench::latency_histogram;
using ns = std::chrono::nanoseconds;

constexpr double percents[] = {0, 1, 50, 90, 95, 99, 99.9, 99.99, 100};

// What percentile() promises, from a sorted list of everything.
ns nearest_rank(std::vector<ns> const& sorted, double percent) {
    auto const rank = static_cast<std::size_t>(
        std::ceil(percent / 100 * static_cast<double>(sorted.size()) - 1e-9));
    return sorted[std::max<std::size_t>(rank, 1) - 1];
}

bool within(ns seen, ns expected, double share) {
    auto const difference = static_cast<double>((seen - expected).count());
    return std::abs(difference) <= share * static_cast<double>(expected.count()) + 0.5;
}

// From under a microsecond to minutes, most of them short.
std::vector<ns> many_durations(std::size_t count, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    std::vector<ns> durations(count);
    for (ns& each : durations) each = ns(random() >> (24 + random() % 38));
    return durations;
}

latency_histogram histogram_of(std::vector<ns> const& durations) {
    latency_histogram histogram;
    for (ns const each : durations) histogram.record(each);
    return histogram;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(latency_histogram_)

BOOST_AUTO_TEST_CASE(is_all_zero_when_empty) {
    latency_histogram const empty;
    BOOST_TEST(empty.count() == 0U);
    for (double const percent : percents) BOOST_TEST((empty.percentile(percent) == 0ns));
    BOOST_TEST((empty.min() == 0ns && empty.max() == 0ns && empty.mean() == 0ns));
}

BOOST_AUTO_TEST_CASE(gives_a_single_value_back_exactly) {
    for (ns const value : {0ns, 1ns, 511ns, 512ns, 513ns, ns(123456789), ns(60min)}) {
        BOOST_TEST_CONTEXT(value.count() << " ns") {
            latency_histogram const histogram = histogram_of({value});
            for (double const percent : percents)
                BOOST_TEST((histogram.percentile(percent) == value));
            BOOST_TEST((histogram.mean() == value));
        }
    }
}

BOOST_AUTO_TEST_CASE(percentiles_are_within_a_fifth_of_a_percent) {
    std::vector<ns> durations = many_durations(100000, 3);
    latency_histogram const histogram = histogram_of(durations);
    std::sort(durations.begin(), durations.end());
    for (double const percent : percents) {
        BOOST_TEST_CONTEXT("p" << percent) {
            ns const expected = nearest_rank(durations, percent);
            ns const seen = histogram.percentile(percent);
            BOOST_TEST(within(seen, expected, 0.002), seen.count()
                                                          << " instead of " << expected.count());
        }
    }
    BOOST_TEST((histogram.min() == durations.front() && histogram.max() == durations.back()));
}

// Each value alone between two others, so that the answer cannot be clamped into place.
BOOST_AUTO_TEST_CASE(bucket_borders_are_within_a_fifth_of_a_percent) {
    for (unsigned bit = 1; bit != 42; ++bit) {
        for (std::int64_t const step : {-1, 0, 1}) {
            ns const value((std::int64_t{1} << bit) + step);
            BOOST_TEST_CONTEXT(value.count() << " ns") {
                latency_histogram const histogram =
                    histogram_of({0ns, value, latency_histogram::longest});
                BOOST_TEST(within(histogram.percentile(50), value, 0.002));
            }
        }
    }
}

BOOST_AUTO_TEST_CASE(percentile_is_the_nearest_rank) {
    std::vector<ns> durations;
    for (int i = 1; i <= 1000; ++i) durations.emplace_back(i);
    std::shuffle(durations.begin(), durations.end(), std::mt19937_64(1));
    latency_histogram const histogram = histogram_of(durations);
    BOOST_TEST((histogram.percentile(50) == 500ns));
    BOOST_TEST(within(histogram.percentile(99.9), 999ns, 0.002));
    BOOST_TEST((histogram.percentile(100) == 1000ns));
    BOOST_TEST((histogram_of({1ns, 2ns}).percentile(50) == 1ns));
}

BOOST_AUTO_TEST_CASE(clamps_what_is_out_of_range) {
    latency_histogram const histogram = histogram_of({-5ns, 24h});
    BOOST_TEST((histogram.min() == 0ns));
    BOOST_TEST((histogram.max() == latency_histogram::longest));
    BOOST_TEST(histogram.count() == 2U);
}

BOOST_AUTO_TEST_CASE(merging_is_the_same_as_recording_all) {
    std::vector<ns> const first = many_durations(1000, 1);
    std::vector<ns> const second = many_durations(3000, 2);
    std::vector<ns> all = first;
    all.insert(all.end(), second.begin(), second.end());

    latency_histogram merged = histogram_of(first);
    merged.merge(latency_histogram());
    merged.merge(histogram_of(second));
    latency_histogram const expected = histogram_of(all);
    BOOST_TEST(merged.count() == expected.count());
    for (double const percent : percents)
        BOOST_TEST((merged.percentile(percent) == expected.percentile(percent)));
    BOOST_TEST((merged.min() == expected.min() && merged.max() == expected.max()));
    BOOST_TEST(within(merged.mean(), expected.mean(), 1e-9));
}

BOOST_AUTO_TEST_SUITE_END()
