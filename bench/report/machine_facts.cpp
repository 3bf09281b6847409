#include "machine_facts.hpp"

#include <openssl/crypto.h>
#include <sched.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <array>
#include <boost/version.hpp>
#include <ctime>
#include <fstream>

namespace nodesieve::bench {

namespace {

std::string processor_model() {
    std::ifstream in("/proc/cpuinfo");
    for (std::string line; std::getline(in, line);) {
        auto const colon = line.find(": ");
        if (line.starts_with("model name") && colon != line.npos) return line.substr(colon + 2);
    }
    return "unknown";
}

std::string usable_cores() {
    auto const there = static_cast<unsigned>(sysconf(_SC_NPROCESSORS_ONLN));
    cpu_set_t set;
    CPU_ZERO(&set);
    if (sched_getaffinity(0, sizeof set, &set) != 0) return std::to_string(there);
    auto const usable = static_cast<unsigned>(CPU_COUNT(&set));
    std::string text = std::to_string(usable);
    if (usable < there) text += " of " + std::to_string(there);
    return text;
}

std::string kernel_release() {
    utsname name{};
    if (uname(&name) != 0) return "unknown";
    return std::string(name.sysname) + ' ' + name.release + ' ' + name.machine;
}

std::string utc_now() {
    std::time_t const now = std::time(nullptr);
    std::tm parts{};
    gmtime_r(&now, &parts);
    std::array<char, 32> text{};
    std::strftime(text.data(), text.size(), "%Y-%m-%d %H:%M:%S UTC", &parts);
    return text.data();
}

}  // namespace

machine_facts machine_facts::of_this_one() {
    return {
        .processor = processor_model(),
        .cores = usable_cores(),
        .kernel = kernel_release(),
#ifdef __clang__
        .compiler = __VERSION__,
#else
        .compiler = "g++ " __VERSION__,
#endif
        .boost = std::to_string(BOOST_VERSION / 100000) + '.' +
                 std::to_string(BOOST_VERSION / 100 % 1000) + '.' +
                 std::to_string(BOOST_VERSION % 100),
        .openssl = OpenSSL_version(OPENSSL_VERSION),
        .time = utc_now(),
    };
}

}  // namespace nodesieve::bench
