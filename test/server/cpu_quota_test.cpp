#include "cpu_quota.hpp"

#include "temporary_directory.hpp"

#include <boost/test/unit_test.hpp>

#include <sched.h>

#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace nodesieve::server {
namespace {

using files = std::vector<std::pair<std::string, std::string>>;

std::optional<unsigned> quota_in(files const& tree) {
    const test::temporary_directory root;
    for (auto const& [name, contents] : tree) root.write(name, contents);
    return cgroup_cpu_quota(root.path());
}

/// 0 for none.
void check(std::string const& name, files const& tree, unsigned expected) {
    BOOST_TEST_CONTEXT(name) { BOOST_TEST(quota_in(tree).value_or(0) == expected); }
}

/// Lets this thread run on one CPU only.
class on_one_cpu {
  public:
    on_one_cpu() {
        BOOST_REQUIRE(sched_getaffinity(0, sizeof before_, before_.data()) == 0);
        std::array<cpu_set_t, 16> one{};
        for (std::size_t cpu = 0; CPU_COUNT_S(sizeof one, one.data()) == 0; ++cpu)
            if (CPU_ISSET_S(cpu, sizeof before_, before_.data()))
                CPU_SET_S(cpu, sizeof one, one.data());
        BOOST_REQUIRE(sched_setaffinity(0, sizeof one, one.data()) == 0);
    }
    ~on_one_cpu() { sched_setaffinity(0, sizeof before_, before_.data()); }
    on_one_cpu(on_one_cpu const&) = delete;
    on_one_cpu& operator=(on_one_cpu const&) = delete;

  private:
    std::array<cpu_set_t, 16> before_{};
};

BOOST_AUTO_TEST_SUITE(cpu_quota_test)

BOOST_AUTO_TEST_CASE(rounds_the_quota_of_version_2_up) {
    const std::pair<char const*, unsigned> cases[] = {
        {"max 100000\n", 0},
        {"50000 100000\n", 1},
        {"100000 100000\n", 1},
        {"100001 100000\n", 2},
        {"200000 100000\n", 2},
        {"250000 100000\n", 3},
        {"1000 1000000", 1},
        {"18446744073709551615 1\n", 4294967295U},
        {"18446744073709551616 1\n", 0},
        {"100000 0\n", 0},
        {"100000\n", 0},
        {"-1 100000\n", 0},
        {"", 0},
        {"nonsense here\n", 0},
    };
    for (auto const& [text, expected] : cases)
        check(text, {{"proc/self/cgroup", "0::/\n"}, {"sys/fs/cgroup/cpu.max", text}}, expected);
}

BOOST_AUTO_TEST_CASE(takes_the_smallest_quota_up_to_the_root_of_version_2) {
    const std::string self = "proc/self/cgroup";
    const std::string top = "sys/fs/cgroup/";
    check("own", {{self, "0::/a/b\n"}, {top + "a/b/cpu.max", "300000 100000"}}, 3);
    check("parent",
          {{self, "0::/a/b\n"},
           {top + "a/cpu.max", "200000 100000"},
           {top + "a/b/cpu.max", "300000 100000"}},
          2);
    check("own below a larger one",
          {{self, "0::/a/b\n"},
           {top + "a/cpu.max", "400000 100000"},
           {top + "a/b/cpu.max", "300000 100000"}},
          3);
    check("root of a container that sees the host's path",
          {{self, "0::/kubepods/pod1/c1\n"}, {top + "cpu.max", "200000 100000"}}, 2);
    check("outside the namespace", {{self, "0::/../../b\n"}, {top + "b/cpu.max", "200000 100000"}},
          2);
    check("another's", {{self, "0::/a\n"}, {top + "b/cpu.max", "200000 100000"}}, 0);
    check("path with a colon", {{self, "0::/a:b\n"}, {top + "a:b/cpu.max", "200000 100000"}}, 2);
    check("mounted beside version 1",
          {{self, "1:name=systemd:/\n0::/a\n"}, {top + "unified/a/cpu.max", "200000 100000"}}, 2);
}

BOOST_AUTO_TEST_CASE(takes_the_smallest_quota_up_to_the_root_of_version_1) {
    const std::string self = "proc/self/cgroup";
    const std::string groups = "5:cpuset:/x\n4:cpu,cpuacct:/a/b\n3:memory:/y\n0::/\n";
    const std::string top = "sys/fs/cgroup/cpu/";
    const auto quota = [](std::string const& where, std::string const& quota_us) {
        return files{{where + "cpu.cfs_quota_us", quota_us + '\n'},
                     {where + "cpu.cfs_period_us", "100000\n"}};
    };
    const auto tree = [&](std::initializer_list<files> parts) {
        files all{{self, groups}};
        for (auto const& part : parts) all.insert(all.end(), part.begin(), part.end());
        return all;
    };
    check("none", tree({quota(top + "a/b/", "-1")}), 0);
    check("own", tree({quota(top + "a/b/", "150000")}), 2);
    check("parent", tree({quota(top + "a/b/", "350000"), quota(top + "a/", "250000")}), 3);
    check("root of a container", tree({quota(top, "50000")}), 1);
    check("without the link to cpu", tree({quota("sys/fs/cgroup/cpu,cpuacct/a/", "150000")}), 2);
    check("another controller's path", tree({quota(top + "x/", "50000")}), 0);
    check("no period", {{self, groups}, {top + "a/b/cpu.cfs_quota_us", "50000\n"}}, 0);
}

BOOST_AUTO_TEST_CASE(finds_no_quota_without_cgroups) {
    check("no file", {}, 0);
    check("empty", {{"proc/self/cgroup", ""}}, 0);
    check("no colons", {{"proc/self/cgroup", "0\n"}, {"sys/fs/cgroup/cpu.max", "1 1"}}, 0);
    check("one colon", {{"proc/self/cgroup", "0:/\n"}, {"sys/fs/cgroup/cpu.max", "1 1"}}, 0);
}

BOOST_AUTO_TEST_CASE(uses_no_more_than_the_quota_and_the_affinity_allow) {
    const test::temporary_directory root;
    const auto all = usable_cpus(root.path());
    BOOST_TEST(all >= 1U);
    root.write("proc/self/cgroup", "0::/\n");
    root.write("sys/fs/cgroup/cpu.max", "50000 100000");
    BOOST_TEST(usable_cpus(root.path()) == 1U);
    root.write("sys/fs/cgroup/cpu.max", "0 100000");
    BOOST_TEST(usable_cpus(root.path()) == 1U);
    root.write("sys/fs/cgroup/cpu.max", "99999900000 100000");
    BOOST_TEST(usable_cpus(root.path()) == all);
    const on_one_cpu here;
    BOOST_TEST(usable_cpus(root.path()) == 1U);
}

BOOST_AUTO_TEST_CASE(reads_this_machine) { BOOST_TEST(usable_cpus() >= 1U); }

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace nodesieve::server
