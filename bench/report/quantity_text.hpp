#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace nodesieve::bench {

/// Numbers for people: three significant digits and a unit.

/// Such as 850 ns, 12.3 µs, 4.56 ms, 7.00 s.
[[nodiscard]] std::string duration_text(std::chrono::nanoseconds duration);

/// Such as 12 B, 4.56 KB, 60.1 MB (of 1,000).
[[nodiscard]] std::string bytes_text(double bytes);

/// Such as 0.123, 4.56, 78.9, 1,234, 12.3 million.
[[nodiscard]] std::string number_text(double number);

/// With commas: 1,234,567.
[[nodiscard]] std::string count_text(std::uint64_t count);

/// With the digits behind the point that are asked for.
[[nodiscard]] std::string fixed_text(double number, int decimals);

}  // namespace nodesieve::bench
