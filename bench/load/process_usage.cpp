#include "process_usage.hpp"

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>

namespace nodesieve::bench {

namespace {

std::string read_file(std::string const& path) {
    std::ifstream in(path);
    return {std::istreambuf_iterator<char>(in), {}};
}

// The number at the start of the text, behind spaces; 0 when there is none.
std::uint64_t leading_number(std::string_view text) {
    text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
    std::uint64_t number = 0;
    std::from_chars(text.data(), text.data() + text.size(), number);
    return number;
}

std::uint64_t kilobytes_of(std::string_view status, std::string_view key) {
    auto const at = status.find(key);
    return at == status.npos ? 0 : leading_number(status.substr(at + key.size())) * 1024;
}

// The field with this number, counted from 1 as proc(5) does. The second is the program's name in
// parentheses, which may hold spaces and parentheses.
std::uint64_t field_of(std::string_view stat, unsigned number) {
    auto at = stat.rfind(')');
    for (unsigned field = 2; field != number && at != stat.npos; ++field)
        at = stat.find(' ', at + 1);
    return at == stat.npos ? 0 : leading_number(stat.substr(at));
}

}  // namespace

process_usage process_usage::of(pid_t pid) {
    std::string const folder = "/proc/" + std::to_string(pid);
    std::string const status = read_file(folder + "/status");
    std::string const stat = read_file(folder + "/stat");
    if (status.empty() || stat.empty())
        throw std::runtime_error("process " + std::to_string(pid) + ": cannot be read in /proc");
    return from(status, stat, sysconf(_SC_CLK_TCK));
}

process_usage process_usage::from(std::string_view status, std::string_view stat,
                                  long ticks_per_second) {
    process_usage usage;
    usage.resident_bytes = kilobytes_of(status, "\nVmRSS:");
    usage.peak_resident_bytes = kilobytes_of(status, "\nVmHWM:");
    auto const ticks = field_of(stat, 14) + field_of(stat, 15);
    usage.cpu_seconds = static_cast<double>(ticks) / static_cast<double>(ticks_per_second);
    return usage;
}

}  // namespace nodesieve::bench
