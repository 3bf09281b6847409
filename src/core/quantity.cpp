#include <nodesieve/quantity.hpp>

#include <algorithm>
#include <array>
#include <limits>
#include <string>

namespace nodesieve {
namespace {

constexpr int limb_digits = 9;
constexpr std::int32_t limb_base = 1'000'000'000;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// As Go's strings.TrimSpace: ASCII white space and the code points of Unicode's White_Space.
std::string_view trim_space(std::string_view text) {
    static constexpr std::array<std::string_view, 25> spaces{
        "\t",           "\n",           "\v",
        "\f",           "\r",           " ",
        "\xC2\x85",     "\xC2\xA0",     "\xE1\x9A\x80",
        "\xE2\x80\x80", "\xE2\x80\x81", "\xE2\x80\x82",
        "\xE2\x80\x83", "\xE2\x80\x84", "\xE2\x80\x85",
        "\xE2\x80\x86", "\xE2\x80\x87", "\xE2\x80\x88",
        "\xE2\x80\x89", "\xE2\x80\x8A", "\xE2\x80\xA8",
        "\xE2\x80\xA9", "\xE2\x80\xAF", "\xE2\x81\x9F",
        "\xE3\x80\x80"};
    const auto at_start = [&](auto s) { return text.starts_with(s); };
    const auto at_end = [&](auto s) { return text.ends_with(s); };
    for (auto s = spaces.begin(); (s = std::ranges::find_if(spaces, at_start)) != spaces.end();)
        text.remove_prefix(s->size());
    for (auto s = spaces.begin(); (s = std::ranges::find_if(spaces, at_end)) != spaces.end();)
        text.remove_suffix(s->size());
    return text;
}

struct unit {
    int base;  // 10 or 2
    std::int64_t exponent;
};

/// The suffix of a quantity: a unit, or a decimal exponent.
std::optional<unit> parse_suffix(std::string_view suffix) {
    struct entry {
        std::string_view name;
        unit value;
    };
    static constexpr std::array<entry, 16> units{{{"", {10, 0}},
                                                  {"n", {10, -9}},
                                                  {"u", {10, -6}},
                                                  {"m", {10, -3}},
                                                  {"k", {10, 3}},
                                                  {"M", {10, 6}},
                                                  {"G", {10, 9}},
                                                  {"T", {10, 12}},
                                                  {"P", {10, 15}},
                                                  {"E", {10, 18}},
                                                  {"Ki", {2, 10}},
                                                  {"Mi", {2, 20}},
                                                  {"Gi", {2, 30}},
                                                  {"Ti", {2, 40}},
                                                  {"Pi", {2, 50}},
                                                  {"Ei", {2, 60}}}};
    const auto* found = std::ranges::find(units, suffix, &entry::name);
    if (found != units.end()) return found->value;
    if (suffix.front() != 'e' && suffix.front() != 'E') return std::nullopt;

    suffix.remove_prefix(1);
    const bool negative = suffix.starts_with('-');
    if (negative || suffix.starts_with('+')) suffix.remove_prefix(1);
    if (suffix.empty() || !std::ranges::all_of(suffix, is_digit)) return std::nullopt;
    constexpr std::int64_t beyond = std::int64_t{1} << 32;
    std::int64_t exponent = 0;
    for (const char c : suffix) exponent = std::min(exponent * 10 + (c - '0'), beyond);
    if (negative) exponent = -exponent;
    if (exponent < std::numeric_limits<std::int32_t>::min() ||
        exponent > std::numeric_limits<std::int32_t>::max())
        return std::nullopt;
    return unit{10, exponent};
}

/// digits * 2^exponent in decimal. Linear, because the exponent is at most 60.
std::string multiply_by_power_of_two(std::string digits, std::int64_t exponent) {
    std::ranges::reverse(digits);
    for (; exponent > 0; exponent -= 10) {
        std::int32_t carry = 0;
        for (char& c : digits) {
            const std::int32_t product = (c - '0') * 1024 + carry;
            c = static_cast<char>('0' + product % 10);
            carry = product / 10;
        }
        for (; carry > 0; carry /= 10) digits.push_back(static_cast<char>('0' + carry % 10));
    }
    std::ranges::reverse(digits);
    return digits;
}

/// A magnitude: digits * 10^exponent nano-units, exponent >= 0, no leading zeros.
struct nano_units {
    std::string digits;
    std::int64_t exponent;
};

/// digits * 10^exponent as whole nano-units, rounded up.
nano_units round_up_to_nano(std::string digits, std::int64_t exponent) {
    exponent += 9;
    digits.erase(0, digits.find_first_not_of('0'));  // all of it when there is no other digit
    if (exponent >= 0 || digits.empty())
        return {std::move(digits), std::max<std::int64_t>(0, exponent)};

    const auto cut = static_cast<std::uint64_t>(-exponent);
    if (cut >= digits.size()) return {"1", 0};
    const auto kept = digits.size() - static_cast<std::size_t>(cut);
    const bool exact = digits.find_first_not_of('0', kept) == std::string::npos;
    digits.erase(kept);
    if (!exact) {
        auto place = digits.rbegin();
        for (; place != digits.rend() && *place == '9'; ++place) *place = '0';
        if (place == digits.rend())
            digits.insert(digits.begin(), '1');
        else
            ++*place;
    }
    return {std::move(digits), 0};
}

/// Quantities with a binary suffix stop at 2^63-1, quantity.go's maxAllowed.
void saturate(nano_units& amount) {
    static constexpr std::string_view max_allowed = "9223372036854775807000000000";
    const auto size = amount.digits.size() + static_cast<std::size_t>(amount.exponent);
    if (size < max_allowed.size()) return;
    if (size > max_allowed.size() || std::string_view(amount.digits) > max_allowed)
        amount = {std::string(max_allowed), 0};
}

/// What stands in a quantity's text: [sign] digits [. digits] suffix.
struct number_text {
    bool negative = false;
    std::string_view whole;
    std::string_view fraction;
    std::string_view suffix;
};

std::string_view take_digits(std::string_view& text) {
    const auto* end = std::ranges::find_if_not(text, is_digit);
    const std::string_view digits(text.begin(), end);
    text.remove_prefix(digits.size());
    return digits;
}

number_text split(std::string_view text) {
    number_text number;
    number.negative = text.starts_with('-');
    if (number.negative || text.starts_with('+')) text.remove_prefix(1);
    number.whole = take_digits(text);
    if (text.starts_with('.')) {
        text.remove_prefix(1);
        number.fraction = take_digits(text);
    }
    number.suffix = text;
    return number;
}

}  // namespace

std::optional<quantity> quantity::parse(std::string_view text) {
    text = trim_space(text);
    if (text.empty()) return std::nullopt;
    const auto number = split(text);
    const auto unit = parse_suffix(number.suffix);
    if (!unit) return std::nullopt;
    if (number.whole.empty() && number.fraction.empty()) {
        // quantity.go reads a missing number as 0 on its fast path only, which ends where the
        // suffix is smaller than nano or larger than Ti. A bare sign or point is 0 too.
        const bool fast = unit->base == 10 ? unit->exponent >= -9 : unit->exponent <= 40;
        if (!fast) return std::nullopt;
        return quantity{};
    }

    std::string digits;
    digits.reserve(number.whole.size() + number.fraction.size() + 20);
    digits.append(number.whole).append(number.fraction);
    std::int64_t exponent = -static_cast<std::int64_t>(number.fraction.size());
    if (unit->base == 2)
        digits = multiply_by_power_of_two(std::move(digits), unit->exponent);
    else
        exponent += unit->exponent;
    auto amount = round_up_to_nano(std::move(digits), exponent);
    if (unit->base == 2) saturate(amount);

    quantity result;
    // Cuts the digits, last first, at the multiples of nine places.
    std::int64_t place = amount.exponent;
    for (auto end = amount.digits.size(); end > 0;) {
        const auto offset = static_cast<std::size_t>(place % limb_digits);
        const auto count = std::min(end, limb_digits - offset);
        std::int32_t value = 0;
        for (auto i = end - count; i < end; ++i) value = value * 10 + (amount.digits[i] - '0');
        for (std::size_t i = 0; i < offset; ++i) value *= 10;
        if (value != 0)
            result.limbs_.emplace_hint(result.limbs_.end(), place / limb_digits,
                                       number.negative ? -value : value);
        place += static_cast<std::int64_t>(count);
        end -= count;
    }
    return result;
}

int quantity::sign() const noexcept {
    if (limbs_.empty()) return 0;
    return limbs_.rbegin()->second > 0 ? 1 : -1;
}

quantity& quantity::operator+=(quantity const& other) {
    add(other, 1);
    return *this;
}

quantity& quantity::operator-=(quantity const& other) {
    add(other, -1);
    return *this;
}

void quantity::add(quantity const& other, int factor) {
    for (auto const& [first, value_to_add] : other.limbs_) {
        auto carry = factor * value_to_add;
        for (auto index = first; carry != 0; ++index) {
            const auto place = limbs_.try_emplace(index, 0).first;
            std::int32_t value = place->second + carry;  // below 2 * 10^9 in magnitude: fits
            carry = value >= limb_base ? 1 : value <= -limb_base ? -1 : 0;
            value -= carry * limb_base;
            if (value != 0)
                place->second = value;
            else
                limbs_.erase(place);
        }
    }
}

}  // namespace nodesieve
