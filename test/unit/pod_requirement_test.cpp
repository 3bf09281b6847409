#include <nodesieve/pod_requirement.hpp>

#include <boost/test/unit_test.hpp>

using namespace nodesieve;

namespace {

std::optional<quantity> q(char const* text) {
    return quantity::parse(text);
}

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
