#include <nodesieve/pod_requirement.hpp>

#include <boost/test/unit_test.hpp>

#include <random>
#include <string>

using namespace nodesieve;

namespace {

std::optional<quantity> q(char const* text) { return quantity::parse(text); }

}  // namespace

BOOST_AUTO_TEST_SUITE(pod_requirement_test)

BOOST_AUTO_TEST_CASE(sums_containers) {
    pod_requests pod;
    pod.add_container(q("1"));
    pod.add_container({});
    pod.add_container(q("500m"));
    BOOST_TEST((pod.total() == q("1500m")));
}

BOOST_AUTO_TEST_CASE(is_absent_when_nothing_names_the_resource) {
    pod_requests pod;
    pod.add_container({});
    pod.add_init_container({}, true);
    BOOST_TEST(!pod.total());
}

BOOST_AUTO_TEST_CASE(takes_the_largest_init_container) {
    pod_requests pod;
    pod.add_container(q("2"));
    pod.add_init_container(q("4"), false);
    pod.add_init_container(q("3"), false);
    BOOST_TEST((pod.total() == q("4")));
}

BOOST_AUTO_TEST_CASE(adds_the_sidecars_before_an_init_container_to_it) {
    pod_requests pod;
    pod.add_container(q("2"));
    pod.add_init_container(q("1"), true);
    pod.add_init_container(q("4"), false);
    pod.add_init_container(q("7"), true);
    BOOST_TEST((pod.total() == q("10")));  // 2 + 1 + 7, above 1 + 4 and 1 + 7
    pod.add_init_container(q("3"), false);
    BOOST_TEST((pod.total() == q("11")));  // 1 + 7 + 3
}

BOOST_AUTO_TEST_CASE(adds_overhead_last) {
    pod_requests pod;
    pod.add_container(q("2"));
    pod.add_init_container(q("4"), false);
    pod.set_overhead(q("1"));
    BOOST_TEST((pod.total() == q("5")));
}

BOOST_AUTO_TEST_CASE(agrees_with_the_plain_formula_on_random_pods) {
    std::mt19937_64 random(3);
    for (int round = 0; round < 3000; ++round) {
        pod_requests pod;
        std::optional<std::int64_t> sum, sidecars, largest;
        const auto add = [](std::optional<std::int64_t>& to, std::optional<std::int64_t> n) {
            if (n) to = to.value_or(0) + *n;
        };
        for (auto left = random() % 8; left > 0; --left) {
            std::optional<std::int64_t> amount;
            if (random() % 4 != 0) amount = static_cast<std::int64_t>(random() % 21) - 10;
            std::optional<quantity> request;
            if (amount) request = quantity::parse(std::to_string(*amount));
            if (random() % 2 == 0) {
                pod.add_container(request);
                add(sum, amount);
                continue;
            }
            const bool is_sidecar = random() % 2 == 0;
            pod.add_init_container(request, is_sidecar);
            auto running = amount;
            if (is_sidecar) {
                add(sum, amount);
                add(sidecars, amount);
                running = sidecars;
            } else {
                add(running, sidecars);
            }
            if (running && (!largest || *running > *largest)) largest = running;
        }
        if (largest && (!sum || *largest > *sum)) sum = largest;
        const auto total = pod.total();
        BOOST_REQUIRE_EQUAL(total.has_value(), sum.has_value());
        if (sum) BOOST_REQUIRE((*total == *quantity::parse(std::to_string(*sum))));
    }
}

BOOST_AUTO_TEST_CASE(tells_absent_from_zero) {
    pod_requests absent;
    absent.add_init_container(q("-1"), false);
    absent.set_overhead(q("1"));
    BOOST_TEST((absent.total() == q("0")));

    pod_requests zero;
    zero.add_container(q("0"));
    zero.add_init_container(q("-1"), false);
    zero.set_overhead(q("1"));
    BOOST_TEST((zero.total() == q("1")));
}

BOOST_AUTO_TEST_SUITE_END()
