#pragma once

#include <string>

namespace nodesieve::bench {

/// What numbers were measured on and with, as text.
struct machine_facts {
    std::string processor;  ///< model name
    std::string cores;      ///< that this process may use, and that are there when they are more
    std::string kernel;
    std::string compiler;  ///< that built this program
    std::string boost;
    std::string openssl;  ///< that it runs with
    std::string time;     ///< now, in UTC

    /// What cannot be found out is "unknown".
    [[nodiscard]] static machine_facts of_this_one();
};

}  // namespace nodesieve::bench
