#include <nodesieve/mib_text.hpp>

namespace nodesieve {

void mib_text::append(std::string_view piece) noexcept {
    for (const char c : piece) {
        if (c >= '0' && c <= '9') {
            if (state_ == state::bad) return;
            state_ = state::digits;
            if (magnitude_ <= max_memory_mib) magnitude_ = magnitude_ * 10 + (c - '0');
        } else if ((c == '+' || c == '-') && state_ == state::start) {
            state_ = state::sign;
            negative_ = c == '-';
        } else {
            state_ = state::bad;
            return;
        }
    }
}

std::int32_t mib_text::value() const noexcept {
    const bool valid = state_ == state::digits && !negative_ && magnitude_ <= max_memory_mib;
    return valid ? magnitude_ : 0;
}

std::int32_t parse_mib(std::string_view text) noexcept {
    mib_text reader;
    reader.append(text);
    return reader.value();
}

}  // namespace nodesieve
