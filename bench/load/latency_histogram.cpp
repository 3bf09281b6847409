#include "latency_histogram.hpp"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>

namespace nodesieve::bench {

namespace {

constexpr unsigned precision_bits = 8;  // 2^8 buckets for each power of two
constexpr std::uint64_t buckets_a_power = std::uint64_t{1} << precision_bits;

}  // namespace

latency_histogram::latency_histogram()
    : counts_(bucket_of(static_cast<std::uint64_t>(longest.count())) + 1) {}

void latency_histogram::record(duration latency) noexcept {
    latency = std::clamp(latency, duration{}, longest);
    ++counts_[bucket_of(static_cast<std::uint64_t>(latency.count()))];
    ++count_;
    min_ = std::min(min_, latency);
    max_ = std::max(max_, latency);
    sum_ += static_cast<double>(latency.count());
}

void latency_histogram::merge(latency_histogram const& other) noexcept {
    for (std::size_t i = 0; i != counts_.size(); ++i) counts_[i] += other.counts_[i];
    count_ += other.count_;
    min_ = std::min(min_, other.min_);
    max_ = std::max(max_, other.max_);
    sum_ += other.sum_;
}

latency_histogram::duration latency_histogram::mean() const noexcept {
    if (count_ == 0) return {};
    return duration(std::llround(sum_ / static_cast<double>(count_)));
}

latency_histogram::duration latency_histogram::percentile(double percent) const noexcept {
    assert(percent >= 0 && percent <= 100);
    if (count_ == 0) return {};
    // Of 1,000 the 99.9th percentile is the 999th, not, by the error of 99.9 / 100 × 1000, the
    // last.
    double const exact = percent / 100 * static_cast<double>(count_);
    auto const rank = static_cast<std::uint64_t>(std::ceil(exact - exact * 1e-12));
    if (rank >= count_) return max_;
    std::uint64_t seen = 0;
    for (std::size_t i = 0; i != counts_.size(); ++i) {
        seen += counts_[i];
        if (seen != 0 && seen >= rank) return std::clamp(duration(middle_of(i)), min_, max_);
    }
    return max_;
}

// Above 2^9 the bucket is the value's leading nine bits, behind those of the smaller powers.
std::size_t latency_histogram::bucket_of(std::uint64_t value) noexcept {
    auto const bits = static_cast<unsigned>(std::bit_width(value));
    unsigned const dropped = bits > precision_bits + 1 ? bits - precision_bits - 1 : 0;
    return dropped * buckets_a_power + (value >> dropped);
}

std::uint64_t latency_histogram::middle_of(std::size_t bucket) noexcept {
    if (bucket < 2 * buckets_a_power) return bucket;
    std::uint64_t const dropped = bucket / buckets_a_power - 1;
    std::uint64_t const lowest = (bucket - dropped * buckets_a_power) << dropped;
    return lowest + (std::uint64_t{1} << dropped) / 2;
}

}  // namespace nodesieve::bench
