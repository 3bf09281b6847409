#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>

namespace nodesieve {

/// Whether text is the same with and without JSON's escapes: ASCII without control characters,
/// quotes and backslashes, as nearly all names are. Eight bytes at a time: a name costs a few
/// nanoseconds.
[[nodiscard]] inline bool is_plain(std::string_view text) noexcept {
    constexpr std::uint64_t each = 0x0101'0101'0101'0101;
    constexpr std::uint64_t high = 0x80 * each;
    // The high bits tell which bytes are, lower ones being exact
    // (https://graphics.stanford.edu/~seander/bithacks.html#HasLessInWord).
    const auto special = [](std::uint64_t word) {
        const auto quote = word ^ ('"' * each);
        const auto backslash = word ^ ('\\' * each);
        return ((word | ((word - 0x20 * each) & ~word) | ((quote - each) & ~quote) |
                 ((backslash - each) & ~backslash)) &
                high) != 0;
    };
    const auto word_at = [&text](std::size_t at) {
        std::uint64_t word = 0;
        std::memcpy(&word, text.data() + at, sizeof word);
        return word;
    };
    if (text.size() < sizeof(std::uint64_t)) {
        std::uint64_t word = each * 'x';
        std::memcpy(&word, text.data(), text.size());
        return !special(word);
    }
    const auto last = text.size() - sizeof(std::uint64_t);
    for (std::size_t at = 0; at < last; at += sizeof(std::uint64_t))
        if (special(word_at(at))) return false;
    return !special(word_at(last));
}

}  // namespace nodesieve
