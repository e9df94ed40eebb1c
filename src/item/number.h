#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

#include "error/result.h"

namespace monotable::item {

// A DynamoDB number: exact decimal with up to 38 significant digits and a magnitude between
// 1E-130 and 9.99…E+125, or zero. Held as ±coefficient × 10^exponent with a coefficient that does
// not end in zero, so that equal numbers have equal members. Immutable and thread-safe.
class Number {
 public:
  static constexpr int kMaxDigits = 38;
  static constexpr int kMaxMagnitude = 125;   // exponent of the leading digit
  static constexpr int kMinMagnitude = -130;  // likewise

  Number() = default;  // zero
  static Number FromInt(int64_t value);

  // Accepts what the service accepts: an optional sign, digits with an optional point, an optional
  // exponent. White space, empty text and anything else is a ValidationException, as are more than
  // 38 significant digits and magnitudes outside the range.
  static Result<Number> Parse(std::string_view text);

  // Exact sum and difference; a result that 38 digits cannot hold is an error, never rounded.
  static Result<Number> Add(const Number& a, const Number& b);
  static Result<Number> Subtract(const Number& a, const Number& b);
  // Product and quotient, exact if 38 digits can hold them and otherwise rounded half to even to 38
  // digits. An error if the magnitude is outside the range, or the divisor is zero.
  static Result<Number> Multiply(const Number& a, const Number& b);
  static Result<Number> Divide(const Number& a, const Number& b);
  // The number with at most this many digits after the point (zero or more), rounded half to even.
  Number RoundToScale(int scale) const;

  // Plain decimal notation without exponent or trailing zeros, as the service answers.
  std::string ToString() const;
  void AppendTo(std::string* out) const;

  // The bytes the service charges for: one, plus one for every two significant digits before and
  // after the point, plus one for a minus sign.
  size_t StoredSize() const;

  bool is_zero() const { return high_ == 0 && low_ == 0; }
  bool negative() const { return negative_; }
  // Decimal exponent of the leading digit: 0 for 1…9.99, 2 for 100. Zero for zero.
  int magnitude() const;
  // The significant digits, most significant first, without leading or trailing zeros ("" for 0).
  std::string Digits() const;
  // Builds a number back from sign, digits and magnitude; the inverse of the three above.
  static Number FromDigits(bool negative, std::string_view digits, int magnitude);

  // The value as an integer, if it is an integer that fits.
  bool ToInt64(int64_t* out) const;

  friend bool operator==(const Number&, const Number&) = default;
  friend std::strong_ordering operator<=>(const Number& a, const Number& b);

 private:
  __extension__ using Coefficient = unsigned __int128;
  Number(bool negative, Coefficient coefficient, int exponent);
  Coefficient coefficient() const { return (static_cast<Coefficient>(high_) << 64) | low_; }
  static Result<Number> Checked(bool negative, Coefficient coefficient, int exponent);

  uint64_t high_ = 0;
  uint64_t low_ = 0;
  int16_t exponent_ = 0;
  bool negative_ = false;
};

}  // namespace monotable::item
