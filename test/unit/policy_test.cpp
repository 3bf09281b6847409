#include <nodesieve/policy.hpp>

#include <boost/test/unit_test.hpp>

using namespace nodesieve;

namespace {

constexpr pod_requirement gpu_pod{.has_gpu = true, .min_memory_mib = 0};
constexpr pod_requirement cpu_pod{};

policy with(score_preference prefer, std::int32_t ceiling = 81920) {
    policy_config config;
    config.prefer = prefer;
    config.score_ceiling_mib = ceiling;
    return policy(config);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(policy_test)

BOOST_AUTO_TEST_CASE(reads_a_requirement) {
    pod_requirement seen;
    pod_facts pod{.has_gpu = true, .minimum_mib = 16384};
    BOOST_TEST((policy::requirement_of(&pod, seen) == errc::success));
    BOOST_TEST((seen == pod_requirement{true, 16384}));
    pod.minimum_mib.reset();
    BOOST_TEST((policy::requirement_of(&pod, seen) == errc::success));
    BOOST_TEST((seen == pod_requirement{true, 0}));
}

BOOST_AUTO_TEST_CASE(names_a_pods_fault_and_leaves_the_requirement_alone) {
    pod_requirement seen{true, 7};
    BOOST_TEST((policy::requirement_of(nullptr, seen) == errc::missing_pod));
    pod_facts pod{.has_gpu = false, .minimum_mib = 0};
    BOOST_TEST((policy::requirement_of(&pod, seen) == errc::invalid_minimum));
    pod.minimum_mib = 1;
    BOOST_TEST((policy::requirement_of(&pod, seen) == errc::minimum_without_gpu));
    BOOST_TEST((seen == pod_requirement{true, 7}));
    BOOST_TEST(sentence(errc::missing_pod) == "missing pod");
}

BOOST_AUTO_TEST_CASE(every_node_fits_without_a_minimum) {
    BOOST_TEST((policy::judge(gpu_pod, 0) == verdict::fits));
    BOOST_TEST((policy::judge(cpu_pod, 0) == verdict::fits));
}

BOOST_AUTO_TEST_CASE(compares_the_label_with_the_minimum) {
    constexpr pod_requirement pod{true, 40960};
    BOOST_TEST((policy::judge(pod, 0) == verdict::invalid_label));
    BOOST_TEST((policy::judge(pod, 40959) == verdict::below_minimum));
    BOOST_TEST((policy::judge(pod, 40960) == verdict::fits));
}

BOOST_AUTO_TEST_CASE(tells_whether_there_is_anything_to_decide) {
    BOOST_TEST(!policy::filters(cpu_pod));
    BOOST_TEST(!policy::filters(gpu_pod));
    BOOST_TEST(policy::filters({.has_gpu = true, .min_memory_mib = 1}));
    BOOST_TEST(!policy::scores(cpu_pod));
    BOOST_TEST(policy::scores(gpu_pod));
}

BOOST_AUTO_TEST_CASE(scores_by_memory) {
    const auto most = with(score_preference::most);
    const auto least = with(score_preference::least);
    struct row {
        std::int32_t memory, score, extender_score;
    };
    static constexpr row rows[] = {{0, 0, 0},        {1, 0, 0},         {8191, 9, 0},
                                   {8192, 10, 1},    {40960, 50, 5},    {81919, 99, 9},
                                   {81920, 100, 10}, {1048576, 100, 10}};
    for (auto const& r : rows) {
        BOOST_TEST_CONTEXT(r.memory) {
            BOOST_TEST(most.score(gpu_pod, r.memory) == r.score);
            BOOST_TEST(most.extender_score(gpu_pod, r.memory) == r.extender_score);
            BOOST_TEST(least.score(gpu_pod, r.memory) == (r.memory == 0 ? 0 : 100 - r.score));
            BOOST_TEST(most.score(cpu_pod, r.memory) == 0);
            BOOST_TEST(least.score(cpu_pod, r.memory) == 0);
        }
    }
    BOOST_TEST(with(score_preference::most, 1).score(gpu_pod, max_memory_mib) == 100);
    BOOST_TEST(with(score_preference::most, max_memory_mib).score(gpu_pod, max_memory_mib / 2) ==
               50);
}

BOOST_AUTO_TEST_SUITE_END()
