#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <string_view>

namespace nodesieve {

/// A Kubernetes quantity ("1", "500m", "2Ki", "1e3", "-0.5"), exact.
///
/// Follows k8s.io/apimachinery/pkg/api/resource/quantity.go: amounts below one nano are rounded
/// away from zero to one nano, binary suffixes saturate at 2^63-1. Unlike there the cost is linear
/// in the length of the text whatever the exponent, and an exponent that does not fit 32 bits is
/// refused.
///
/// A quantity is a sum of limb * 10^9^index nano-units over a few limbs, lowest index first, so
/// that 1e2147483647 takes one limb. Limbs are signed and smaller than 10^9 in magnitude: the sign
/// of the highest one is the sign of the whole, and 1e1000000 - 1 needs two limbs, not a million
/// digits.
class quantity {
  public:
    /// Zero.
    quantity() = default;

    /// Reads the text of a quantity; white space around it (as Go's strings.TrimSpace knows it) is
    /// ignored, as Quantity.UnmarshalJSON does. Empty when the text is no quantity.
    [[nodiscard]] static std::optional<quantity> parse(std::string_view text);

    /// -1, 0 or 1.
    [[nodiscard]] int sign() const noexcept;

    quantity& operator+=(quantity const& other);
    quantity& operator-=(quantity const& other);

    friend quantity operator+(quantity left, quantity const& right) { return left += right; }
    friend quantity operator-(quantity left, quantity const& right) { return left -= right; }
    friend std::strong_ordering operator<=>(quantity const& left, quantity const& right) {
        return (left - right).sign() <=> 0;
    }
    friend bool operator==(quantity const& left, quantity const& right) {
        return (left - right).sign() == 0;
    }

  private:
    void add(quantity const& other, int factor);

    std::map<std::int64_t, std::int32_t> limbs_;  // by index; never 0, magnitude below 10^9
};

}  // namespace nodesieve
