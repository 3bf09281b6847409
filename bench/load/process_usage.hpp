#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string_view>

namespace nodesieve::bench {

/// What a process of this machine has used so far.
struct process_usage {
    std::uint64_t resident_bytes = 0;       ///< now
    std::uint64_t peak_resident_bytes = 0;  ///< since it started
    double cpu_seconds = 0;                 ///< of all its threads, in user and system mode

    /// Throws std::runtime_error, naming the process, when there is none that can be read.
    [[nodiscard]] static process_usage of(pid_t pid);

    /// From the text of /proc/PID/status and /proc/PID/stat. What is not there is 0.
    [[nodiscard]] static process_usage from(std::string_view status, std::string_view stat,
                                            long ticks_per_second);
};

}  // namespace nodesieve::bench
