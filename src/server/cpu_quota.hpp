#pragma once

#include <filesystem>
#include <optional>

namespace nodesieve::server {

/// How many CPUs' worth of time the cgroups of this process may use, rounded up; nullopt without a
/// quota. Reads `root`/proc/self/cgroup and, below `root`/sys/fs/cgroup, cpu.max (version 2) or
/// cpu.cfs_quota_us and cpu.cfs_period_us (version 1) of the process's cgroup and of every one
/// above it; the smallest wins. What cannot be read counts as no quota.
///
/// Rules: https://docs.kernel.org/admin-guide/cgroup-v2.html#cpu-interface-files and
/// https://docs.kernel.org/scheduler/sched-bwc.html
[[nodiscard]] std::optional<unsigned> cgroup_cpu_quota(std::filesystem::path const& root = "/");

/// How many threads can run at once: the CPUs that the calling thread may run on, or the cgroup's
/// quota if that is less; at least 1. `root` is where tests build their own tree.
[[nodiscard]] unsigned usable_cpus(std::filesystem::path const& root = "/");

}  // namespace nodesieve::server
