#include "quantity_text.hpp"

#include <array>
#include <cmath>
#include <cstdio>

namespace nodesieve::bench {

namespace {

// Three digits, but never fewer than the whole number has.
std::string three_digits(double number) {
    double const size = std::abs(number);
    // What would be rounded up to another digit counts as having it.
    int const decimals = size < 0.9995 ? 3 : size < 9.995 ? 2 : size < 99.95 ? 1 : 0;
    return fixed_text(number, decimals);
}

// The number in the largest unit of which it is at least one; each unit is 1,000 of the one before.
template <std::size_t N>
std::string in_units(double number, std::array<char const*, N> const& units) {
    std::size_t unit = 0;
    while (unit + 1 != N && std::abs(number) >= 999.5) {
        number /= 1000;
        ++unit;
    }
    bool const whole = unit == 0 && number == std::floor(number);
    return (whole ? fixed_text(number, 0) : three_digits(number)) + ' ' + units[unit];
}

}  // namespace

std::string duration_text(std::chrono::nanoseconds duration) {
    constexpr std::array units = {"ns", "µs", "ms", "s"};
    return in_units(static_cast<double>(duration.count()), units);
}

std::string bytes_text(double bytes) {
    constexpr std::array units = {"B", "KB", "MB", "GB", "TB"};
    return in_units(bytes, units);
}

std::string number_text(double number) {
    if (number == 0) return "0";
    if (std::abs(number) >= 999'500) return three_digits(number / 1e6) + " million";
    if (number >= 999.5) return count_text(static_cast<std::uint64_t>(std::llround(number)));
    return three_digits(number);
}

std::string count_text(std::uint64_t count) {
    std::string text = std::to_string(count);
    for (std::size_t at = text.size(); at > 3;) {
        at -= 3;
        text.insert(at, 1, ',');
    }
    return text;
}

std::string fixed_text(double number, int decimals) {
    std::array<char, 64> text{};
    std::snprintf(text.data(), text.size(), "%.*f", decimals, number);
    return text.data();
}

}  // namespace nodesieve::bench
