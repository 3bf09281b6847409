#pragma once

#include <cstdint>
#include <string_view>

namespace nodesieve {

/// The largest amount of GPU memory that a label or an annotation can state, in MiB (1 TiB).
inline constexpr std::int32_t max_memory_mib = 1024 * 1024;

/// Reads an amount of memory in MiB from text that comes in pieces: an integer as Go's
/// strconv.ParseInt(text, 10, 64) takes it (an optional sign and digits, nothing else) between 1
/// and max_memory_mib. Keeps no text, so its cost does not depend on what a peer sends.
///
/// Call order: append() for each piece, then value().
class mib_text {
  public:
    void append(std::string_view piece) noexcept;

    /// The amount, or 0 for text that is no such integer, or is out of range.
    [[nodiscard]] std::int32_t value() const noexcept;

  private:
    enum class state : std::uint8_t { start, sign, digits, bad };
    state state_ = state::start;
    bool negative_ = false;
    std::int32_t magnitude_ = 0;  // saturates just above max_memory_mib
};

/// mib_text for text in one piece.
[[nodiscard]] std::int32_t parse_mib(std::string_view text) noexcept;

}  // namespace nodesieve
