#include "log.hpp"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <cerrno>
#include <charconv>
#include <climits>
#include <cmath>
#include <cstdio>
#include <type_traits>
#include <utility>

namespace nodesieve::server {

namespace {

/// How long a reader that has begun to read a line may keep its writer waiting.
constexpr int patience_within_a_line_ms = 100;

/// The length of the well-formed UTF-8 sequence that `text` begins with (Unicode 15, table 3-7), or
/// 0 if it begins with none.
std::size_t sequence_length(std::string_view text) {
    const auto byte = [text](std::size_t at) {
        return at < text.size() ? static_cast<unsigned char>(text[at]) : 0U;
    };
    const auto within = [&byte](std::size_t at, unsigned low, unsigned high) {
        return byte(at) >= low && byte(at) <= high;
    };
    const auto trail = [&within](std::size_t at) { return within(at, 0x80, 0xBF); };

    if (within(0, 0x00, 0x7F)) return 1;
    if (within(0, 0xC2, 0xDF)) return trail(1) ? 2 : 0;
    if (within(0, 0xE0, 0xEF)) {
        const bool second = within(1, byte(0) == 0xE0 ? 0xA0 : 0x80, byte(0) == 0xED ? 0x9F : 0xBF);
        return second && trail(2) ? 3 : 0;
    }
    if (within(0, 0xF0, 0xF4)) {
        const bool second = within(1, byte(0) == 0xF0 ? 0x90 : 0x80, byte(0) == 0xF4 ? 0x8F : 0xBF);
        return second && trail(2) && trail(3) ? 4 : 0;
    }
    return 0;
}

void append_code_unit(std::string& out, unsigned unit) {
    std::array<char, 8> text{};
    std::snprintf(text.data(), text.size(), "\\u%04x", unit & 0xFFFFU);
    out += text.data();
}

void append_character(std::string& out, std::string_view sequence) {
    const auto byte = [sequence](std::size_t at) {
        return static_cast<unsigned char>(sequence[at]);
    };
    if (sequence == "\n")
        out += "\\n";
    else if (sequence == "\r")
        out += "\\r";
    else if (sequence == "\t")
        out += "\\t";
    else if (byte(0) < 0x20 || byte(0) == 0x7F)  // C0 and DEL
        append_code_unit(out, byte(0));
    else if (byte(0) == 0xC2 && byte(1) < 0xA0)  // C1
        append_code_unit(out, byte(1));
    else if (sequence == "\u2028" || sequence == "\u2029")  // line and paragraph separator
        append_code_unit(out, sequence == "\u2028" ? 0x2028 : 0x2029);
    else
        out += sequence;
}

enum class escape : std::uint8_t { control, control_and_quotes };

void append_escaped(std::string& out, std::string_view text, escape what) {
    while (!text.empty()) {
        const auto length = sequence_length(text);
        const auto sequence = text.substr(0, std::max<std::size_t>(length, 1));
        text.remove_prefix(sequence.size());
        if (length == 0) {
            out += "\uFFFD";
            continue;
        }
        if (what == escape::control_and_quotes && (sequence == "\"" || sequence == "\\"))
            out += '\\';
        append_character(out, sequence);
    }
}

void append_quoted(std::string& out, std::string_view text) {
    out += '"';
    append_escaped(out, text, escape::control_and_quotes);
    out += '"';
}

/// Whether a reader of the text format would not find the value's end, or its characters, as is.
bool needs_quotes(std::string_view text) {
    return text.empty() || std::any_of(text.begin(), text.end(), [](char c) {
               return c <= ' ' || c > '~' || c == '"' || c == '\\' || c == '=';
           });
}

/// `text`, or what of it may go into a line.
std::string shortened(std::string_view text) {
    if (text.size() <= log::max_value_bytes) return std::string(text);
    auto end = log::max_value_bytes;
    const auto continues = [text](std::size_t at) {
        return (static_cast<unsigned char>(text[at]) & 0xC0U) == 0x80U;
    };
    for (int i = 0; i < 3 && continues(end); ++i) --end;  // not within a character
    return std::string(text.substr(0, end)) + "...";
}

void append_value(std::string& out, std::string_view text, log_format format) {
    const auto shown = shortened(text);
    if (format == log_format::json || needs_quotes(shown))
        append_quoted(out, shown);
    else
        out += shown;
}

void append_value(std::string& out, bool flag, log_format /*format*/) {
    out += flag ? "true" : "false";
}

template <class Number>
requires std::is_arithmetic_v<Number>
void append_value(std::string& out, Number number, log_format format) {
    if constexpr (std::floating_point<Number>)
        if (!std::isfinite(number) && format == log_format::json) {  // JSON has no such numbers
            out += "null";
            return;
        }
    std::array<char, 32> text{};
    const auto result = std::to_chars(text.data(), text.data() + text.size(), number);
    out.append(text.data(), result.ptr);
}

void append_time(std::string& out, std::chrono::system_clock::time_point time) {
    using namespace std::chrono;
    const auto now = floor<milliseconds>(time);
    const auto day = floor<days>(now);
    const year_month_day date{day};
    const hh_mm_ss clock{now - day};
    std::array<char, 64> text{};
    std::snprintf(text.data(), text.size(), "%04d-%02u-%02uT%02d:%02d:%02d.%03dZ",
                  static_cast<int>(date.year()), static_cast<unsigned>(date.month()),
                  static_cast<unsigned>(date.day()), static_cast<int>(clock.hours().count()),
                  static_cast<int>(clock.minutes().count()),
                  static_cast<int>(clock.seconds().count()),
                  static_cast<int>(clock.subseconds().count()));
    out += text.data();
}

std::string_view name(log::level severity) {
    switch (severity) {
        case log::level::info: return "info";
        case log::level::warning: return "warning";
        case log::level::error: break;
    }
    return "error";
}

std::string text_line(std::chrono::system_clock::time_point time, log::level severity,
                      std::string_view message, std::initializer_list<log::field> fields) {
    std::string out;
    append_time(out, time);
    out += ' ';
    out += name(severity);
    out += ' ';
    append_escaped(out, message, escape::control);
    for (auto const& field : fields) {
        out += ' ';
        out += field.name;
        out += '=';
        std::visit([&out](auto v) { append_value(out, v, log_format::text); }, field.value);
    }
    out += '\n';
    return out;
}

std::string json_line(std::chrono::system_clock::time_point time, log::level severity,
                      std::string_view message, std::initializer_list<log::field> fields) {
    std::string out = R"({"time":")";
    append_time(out, time);
    out += R"(","level":")";
    out += name(severity);
    out += R"(","message":)";
    append_quoted(out, message);
    for (auto const& field : fields) {
        out += ',';
        append_quoted(out, field.name);
        out += ':';
        std::visit([&out](auto v) { append_value(out, v, log_format::json); }, field.value);
    }
    out += "}\n";
    return out;
}

}  // namespace

std::string in_quotes(std::string_view text) {
    std::string out;
    append_quoted(out, text);
    return out;
}

std::string log::line(log_format format, std::chrono::system_clock::time_point time, level severity,
                      std::string_view message, std::initializer_list<field> fields) {
    return format == log_format::json ? json_line(time, severity, message, fields)
                                      : text_line(time, severity, message, fields);
}

bool log::put(std::string_view text) noexcept {
    // A pipe that is ready takes PIPE_BUF bytes without blocking.
    for (std::string_view rest = text; !rest.empty();) {
        pollfd ready{.fd = descriptor_, .events = POLLOUT, .revents = 0};
        const bool begun = rest.size() < text.size();
        if (::poll(&ready, 1, begun ? patience_within_a_line_ms : 0) == 0) return false;
        const auto written =
            ::write(descriptor_, rest.data(), std::min<std::size_t>(rest.size(), PIPE_BUF));
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) return true;  // gone for good: not to be told later
        rest.remove_prefix(static_cast<std::size_t>(written));
    }
    return true;
}

void log::write(level severity, std::string_view message,
                std::initializer_list<field> fields) noexcept try {
    const auto text = line(format_, std::chrono::system_clock::now(), severity, message, fields);
    const std::lock_guard lock(mutex_);
    if (lost_ > 0) {
        const auto loss = line(format_, std::chrono::system_clock::now(), level::warning,
                               "log lines were lost: nobody read them", {{"lines", lost_}});
        if (put(loss)) lost_ = 0;
    }
    if (lost_ > 0 || !put(text)) ++lost_;
} catch (...) {  // no memory, so no line
}

log_throttle::log_throttle(std::size_t lines_per_second) : recent_(lines_per_second) {
    assert(lines_per_second >= 1);
}

std::optional<std::uint64_t> log_throttle::admit(time_point now) {
    const std::lock_guard lock(mutex_);
    auto& oldest = recent_[oldest_];
    if (oldest && now - *oldest < std::chrono::seconds(1)) {
        ++suppressed_;
        return std::nullopt;
    }
    oldest = now;
    oldest_ = (oldest_ + 1) % recent_.size();
    return std::exchange(suppressed_, 0);
}

}  // namespace nodesieve::server
