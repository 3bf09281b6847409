#pragma once

#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace nodesieve::server {

enum class log_format : std::uint8_t {
    text,  ///< 2026-12-01T13:47:44.123Z info listening address=127.0.0.1:8443
    json,  ///< {"time":"2026-12-01T13:47:44.123Z","level":"info","message":"listening",...}
};

/// Writes structured lines to a file descriptor, which it does not own. Any number of threads may
/// write at once: lines do not mix.
///
/// Messages and values may come from the network: whatever they hold, a line stays one line, valid
/// UTF-8 and, as JSON, one valid object. Numbers do not follow the locale.
class log {
  public:
    enum class level : std::uint8_t { info, warning, error };

    using value = std::variant<std::string_view, std::int64_t, std::uint64_t, double, bool>;

    /// A name, which the code chooses, [a-z_]+ and none of time, level and message; and a value,
    /// whose text is not copied: it must live until the line is written.
    struct field {
        template <class Value>
        field(std::string_view field_name, Value const& field_value)
            : name(field_name), value(as_value(field_value)) {}

        std::string_view name;
        log::value value;
    };

    /// Text in a value beyond this is cut off, and "..." says so: a peer must not fill the disk.
    static constexpr std::size_t max_value_bytes = 1024;

    explicit log(log_format format, int descriptor = 2) noexcept
        : format_(format), descriptor_(descriptor) {}

    /// Writes one line with the time of the call. A line that cannot be written (closed descriptor,
    /// full disk, no memory) is lost without a word; lines that a reader is too slow for are lost
    /// too, and counted in a line of their own when it reads again: nothing waits for the log. The
    /// process must ignore SIGPIPE.
    void write(level severity, std::string_view message,
               std::initializer_list<field> fields = {}) noexcept;

    /// The line that write() writes, with its newline.
    [[nodiscard]] static std::string line(log_format format,
                                          std::chrono::system_clock::time_point time,
                                          level severity, std::string_view message,
                                          std::initializer_list<field> fields);

  private:
    template <class Value>
    static value as_value(Value const& from) {
        if constexpr (std::same_as<Value, bool>)
            return from;
        else if constexpr (std::unsigned_integral<Value>)
            return static_cast<std::uint64_t>(from);
        else if constexpr (std::signed_integral<Value>)
            return static_cast<std::int64_t>(from);
        else if constexpr (std::floating_point<Value>)
            return static_cast<double>(from);
        else
            return std::string_view(from);
    }

    /// False when the descriptor takes nothing at the moment.
    bool put(std::string_view text) noexcept;

    log_format format_;
    int descriptor_;
    std::mutex mutex_;
    std::uint64_t lost_ = 0;
};

/// `text` as a JSON string literal: one line of valid UTF-8, with what a terminal would obey or a
/// reader would take for the end of a line escaped, and each byte that is no UTF-8 replaced by
/// U+FFFD. Also the way to show what an operator wrote.
[[nodiscard]] std::string in_quotes(std::string_view text);

/// Keeps the log readable, and the disk free, when a peer can cause a kind of line at will: a
/// failed handshake, a refused connection. One object for each kind; any number of threads may ask
/// it.
class log_throttle {
  public:
    using time_point = std::chrono::steady_clock::time_point;

    /// At most `lines_per_second`, at least 1, in any second.
    explicit log_throttle(std::size_t lines_per_second);

    /// nullopt if the line that is due at `now` must not be written; otherwise write it, and say
    /// with it how many were not since the last one that was. Does not allocate.
    [[nodiscard]] std::optional<std::uint64_t> admit(time_point now);

  private:
    std::mutex mutex_;
    std::vector<std::optional<time_point>> recent_;  // a ring of the last lines' times
    std::size_t oldest_ = 0;
    std::uint64_t suppressed_ = 0;
};

}  // namespace nodesieve::server
