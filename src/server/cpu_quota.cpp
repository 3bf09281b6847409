#include "cpu_quota.hpp"

#include <sched.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <fstream>
#include <limits>
#include <string>
#include <string_view>

namespace nodesieve::server {

namespace {

using std::filesystem::path;
using cpu_count = std::optional<unsigned>;

std::string first_line(path const& file) {
    std::ifstream in(file);
    std::string line;
    std::getline(in, line);
    return line;
}

std::optional<std::uint64_t> to_number(std::string_view text) {
    std::uint64_t number = 0;
    const auto* const end = text.data() + text.size();
    const auto result = std::from_chars(text.data(), end, number);
    if (result.ec != std::errc{} || result.ptr != end) return std::nullopt;
    return number;
}

/// "max" and "-1" are no numbers, so they are no quota.
cpu_count cpus(std::string_view quota_us, std::string_view period_us) {
    const auto quota = to_number(quota_us);
    const auto period = to_number(period_us);
    if (!quota || !period || *period == 0) return std::nullopt;
    const std::uint64_t count = *quota / *period + (*quota % *period != 0 ? 1 : 0);
    return static_cast<unsigned>(
        std::min<std::uint64_t>(count, std::numeric_limits<unsigned>::max()));
}

cpu_count smaller(cpu_count a, cpu_count b) {
    if (!a || !b) return a ? a : b;
    return std::min(*a, *b);
}

cpu_count quota_v2(path const& cgroup) {
    const auto line = first_line(cgroup / "cpu.max");
    const auto blank = line.find(' ');
    if (blank == std::string::npos) return std::nullopt;
    return cpus(std::string_view(line).substr(0, blank), std::string_view(line).substr(blank + 1));
}

cpu_count quota_v1(path const& cgroup) {
    return cpus(first_line(cgroup / "cpu.cfs_quota_us"), first_line(cgroup / "cpu.cfs_period_us"));
}

/// The smallest quota from `cgroup`, which begins with '/', up to `mount`. A path that is not there
/// is skipped: a container may see the host's path but only its own cgroup, mounted at `mount`.
cpu_count smallest(path const& mount, std::string_view cgroup, cpu_count (*read)(path const&)) {
    auto directory = mount;
    auto result = read(directory);
    for (auto const& name : path(cgroup).relative_path()) {
        if (name == "..") continue;  // a cgroup outside the process's namespace
        directory /= name;
        result = smaller(result, read(directory));
    }
    return result;
}

bool has_cpu(std::string_view controllers) {
    return (',' + std::string(controllers) + ',').find(",cpu,") != std::string::npos;
}

}  // namespace

std::optional<unsigned> cgroup_cpu_quota(path const& root) {
    const auto mounts = root / "sys/fs/cgroup";
    cpu_count result;
    std::ifstream lines(root / "proc/self/cgroup");
    for (std::string line; std::getline(lines, line);) {
        // HIERARCHY:CONTROLLERS:PATH, where version 2 has no controllers.
        const auto first = line.find(':');
        const auto second = line.find(':', first + 1);
        if (first == std::string::npos || second == std::string::npos) continue;
        const auto controllers = line.substr(first + 1, second - first - 1);
        const auto cgroup = std::string_view(line).substr(second + 1);
        if (controllers.empty()) {
            result = smaller(result, smallest(mounts, cgroup, quota_v2));
            result = smaller(result, smallest(mounts / "unified", cgroup, quota_v2));
        } else if (has_cpu(controllers)) {
            result = smaller(result, smallest(mounts / "cpu", cgroup, quota_v1));
            result = smaller(result, smallest(mounts / controllers, cgroup, quota_v1));
        }
    }
    return result;
}

unsigned usable_cpus(path const& root) {
    std::array<cpu_set_t, 16>
        allowed{};  // 16,384 CPUs; the kernel refuses a set smaller than its own
    int count = 1;
    if (sched_getaffinity(0, sizeof allowed, allowed.data()) == 0)
        count = CPU_COUNT_S(sizeof allowed, allowed.data());
    const auto cpus = static_cast<unsigned>(count);
    return std::max(1U, std::min(cpus, cgroup_cpu_quota(root).value_or(cpus)));
}

}  // namespace nodesieve::server
