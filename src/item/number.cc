#include "item/number.h"

#include <algorithm>
#include <array>
#include <utility>

#include "text/characters.h"

namespace monotable::item {
namespace {

__extension__ using Wide = unsigned __int128;

constexpr int kPowers = 39;

constexpr std::array<Wide, kPowers> MakePowers() {
  std::array<Wide, kPowers> powers{};
  Wide power = 1;
  for (int i = 0; i < kPowers; ++i) {
    powers[static_cast<size_t>(i)] = power;
    power *= 10;
  }
  return powers;
}

constexpr std::array<Wide, kPowers> kPowersOfTen = MakePowers();

int DigitCount(Wide value) {
  int count = 0;
  while (count < kPowers && value >= kPowersOfTen[static_cast<size_t>(count)]) ++count;
  return count;
}

// Writes the digits of value into the end of buffer and returns where they start.
char* WriteDigits(Wide value, char* end) {
  while (value > 0xFFFFFFFFFFFFFFFFULL) {
    *--end = static_cast<char>('0' + static_cast<int>(value % 10));
    value /= 10;
  }
  auto small = static_cast<uint64_t>(value);
  while (small != 0) {
    *--end = static_cast<char>('0' + small % 10);
    small /= 10;
  }
  return end;
}

// The service quotes the text. For an empty text it leaves out the colon as well.
Error NotANumber(std::string_view text) {
  std::string message = "The parameter cannot be converted to a numeric value";
  if (!text.empty()) message.append(": ").append(text);
  return Error::Validation(std::move(message));
}

Error TooManyDigits() {
  return Error::Validation("Attempting to store more than 38 significant digits in a Number");
}

// Rounds a coefficient up or leaves it, depending on how the part that was cut off compares with
// half a unit of the last digit.
Wide RoundHalfEven(Wide coefficient, std::strong_ordering rest_to_half) {
  const bool up = rest_to_half > 0 || (rest_to_half == 0 && coefficient % 2 == 1);
  return up ? coefficient + 1 : coefficient;
}

// A product of two coefficients: upper × 10^38 + lower.
struct Product {
  Wide upper;
  Wide lower;
};

// Multiplies halves of 19 digits, whose products fit 128 bits.
Product MultiplyCoefficients(Wide a, Wide b) {
  const Wide half = kPowersOfTen[19];
  const Wide a_high = a / half;
  const Wide a_low = a % half;
  const Wide b_high = b / half;
  const Wide b_low = b % half;
  const Wide low = a_low * b_low;
  const Wide middle = a_high * b_low + a_low * b_high + low / half;
  return {a_high * b_high + middle / half, middle % half * half + low % half};
}

}  // namespace

Number::Number(bool negative, Coefficient coefficient, int exponent) {
  if (coefficient == 0) return;
  while (coefficient % 10 == 0) {
    coefficient /= 10;
    ++exponent;
  }
  high_ = static_cast<uint64_t>(coefficient >> 64);
  low_ = static_cast<uint64_t>(coefficient);
  exponent_ = static_cast<int16_t>(exponent);
  negative_ = negative;
}

Number Number::FromInt(int64_t value) {
  const bool negative = value < 0;
  const auto magnitude = negative ? 0 - static_cast<uint64_t>(value) : static_cast<uint64_t>(value);
  return Number(negative, magnitude, 0);
}

Result<Number> Number::Checked(bool negative, Coefficient coefficient, int exponent) {
  if (coefficient == 0) return Number();
  const int magnitude = exponent + DigitCount(coefficient) - 1;
  if (magnitude > kMaxMagnitude) {
    return Error::Validation(
        "Number overflow. Attempting to store a number with magnitude larger than supported range");
  }
  if (magnitude < kMinMagnitude) {
    return Error::Validation(
        "Number underflow. Attempting to store a number with magnitude smaller than supported "
        "range");
  }
  return Number(negative, coefficient, exponent);
}

Result<Number> Number::Parse(std::string_view text) {
  const char* p = text.data();
  const char* const end = p + text.size();
  bool negative = false;
  if (p != end && (*p == '+' || *p == '-')) negative = *p++ == '-';

  Coefficient coefficient = 0;
  int digits = 0;          // significant digits taken into the coefficient
  long exponent = 0;       // of the last digit taken
  long pending_zeros = 0;  // zeros that count only if another digit follows
  bool any_digit = false;
  bool in_fraction = false;
  for (; p != end; ++p) {
    if (*p == '.') {
      if (in_fraction) return NotANumber(text);
      in_fraction = true;
      continue;
    }
    if (!text::IsDigit(*p)) break;
    any_digit = true;
    if (in_fraction) --exponent;
    if (*p == '0') {
      if (digits > 0) ++pending_zeros;
      continue;
    }
    if (digits + pending_zeros + 1 > kMaxDigits) return TooManyDigits();
    coefficient *= kPowersOfTen[static_cast<size_t>(pending_zeros + 1)];
    coefficient += static_cast<unsigned>(*p - '0');
    digits += static_cast<int>(pending_zeros) + 1;
    pending_zeros = 0;
  }
  if (!any_digit) return NotANumber(text);
  exponent += pending_zeros;
  if (p != end && (*p == 'e' || *p == 'E')) {
    ++p;
    bool negative_exponent = false;
    if (p != end && (*p == '+' || *p == '-')) negative_exponent = *p++ == '-';
    if (p == end) return NotANumber(text);
    long written = 0;
    for (; p != end && text::IsDigit(*p); ++p)
      written = std::min(written * 10 + (*p - '0'), 100000000L);
    exponent += negative_exponent ? -written : written;
  }
  if (p != end) return NotANumber(text);
  if (coefficient == 0) return Number();
  exponent = std::clamp(exponent, -1000000L, 1000000L);
  return Checked(negative, coefficient, static_cast<int>(exponent));
}

Result<Number> Number::Add(const Number& a, const Number& b) {
  if (a.is_zero()) return b;
  if (b.is_zero()) return a;
  const Number& upper = a.exponent_ >= b.exponent_ ? a : b;
  const Number& lower = a.exponent_ >= b.exponent_ ? b : a;
  const int shift = upper.exponent_ - lower.exponent_;
  // Aligned to the lower exponent, the upper coefficient has shift more digits. Coefficients end
  // in a digit other than zero, so past 38 digits the sum cannot be held exactly either, except
  // that opposite signs may bring 39 digits back to 38.
  if (DigitCount(upper.coefficient()) + shift > kMaxDigits) {
    const bool may_cancel = upper.negative_ != lower.negative_ &&
                            DigitCount(upper.coefficient()) + shift == kMaxDigits + 1 &&
                            upper.coefficient() == 1 && shift == kMaxDigits;
    if (!may_cancel) return TooManyDigits();
  }
  const Coefficient left = upper.coefficient() * kPowersOfTen[static_cast<size_t>(shift)];
  const Coefficient right = lower.coefficient();
  bool negative = upper.negative_;
  Coefficient sum = 0;
  if (upper.negative_ == lower.negative_) {
    sum = left + right;
  } else if (left >= right) {
    sum = left - right;
  } else {
    sum = right - left;
    negative = lower.negative_;
  }
  if (sum == 0) return Number();
  int exponent = lower.exponent_;
  while (sum % 10 == 0) {
    sum /= 10;
    ++exponent;
  }
  if (DigitCount(sum) > kMaxDigits) return TooManyDigits();
  return Checked(negative, sum, exponent);
}

Result<Number> Number::Subtract(const Number& a, const Number& b) {
  Number negated = b;
  if (!b.is_zero()) negated.negative_ = !b.negative_;
  return Add(a, negated);
}

Result<Number> Number::Multiply(const Number& a, const Number& b) {
  const bool negative = a.negative_ != b.negative_;
  const int exponent = a.exponent_ + b.exponent_;
  const Product product = MultiplyCoefficients(a.coefficient(), b.coefficient());
  const int excess = DigitCount(product.upper);
  if (excess == 0) return Checked(negative, product.lower, exponent);
  const Coefficient cut = kPowersOfTen[static_cast<size_t>(excess)];
  const Coefficient kept =
      product.upper * kPowersOfTen[static_cast<size_t>(kMaxDigits - excess)] + product.lower / cut;
  return Checked(negative, RoundHalfEven(kept, product.lower % cut <=> cut / 2), exponent + excess);
}

Result<Number> Number::Divide(const Number& a, const Number& b) {
  if (b.is_zero()) return Error::Validation("A number cannot be divided by zero");
  if (a.is_zero()) return Number();
  const Coefficient divisor = b.coefficient();
  Coefficient quotient = a.coefficient() / divisor;
  Coefficient rest = a.coefficient() % divisor;
  int exponent = a.exponent_ - b.exponent_;
  while (rest != 0 && quotient < kPowersOfTen[kMaxDigits - 1]) {
    // The next digit of the long division. Ten times the remainder may not fit 128 bits, so the
    // remainder is added ten times and the divisor is subtracted whenever the sum reaches it.
    unsigned digit = 0;
    Coefficient sum = 0;
    for (int i = 0; i < 10; ++i) {
      sum += rest;
      if (sum >= divisor) {
        sum -= divisor;
        ++digit;
      }
    }
    quotient = quotient * 10 + digit;
    rest = sum;
    --exponent;
  }
  return Checked(a.negative_ != b.negative_, RoundHalfEven(quotient, rest <=> divisor - rest),
                 exponent);
}

Number Number::RoundToScale(int scale) const {
  const int cut_digits = -exponent_ - scale;
  if (cut_digits <= 0) return *this;
  if (cut_digits > DigitCount(coefficient())) return Number();  // less than a tenth of the last
  const Coefficient cut = kPowersOfTen[static_cast<size_t>(cut_digits)];
  return Number(negative_, RoundHalfEven(coefficient() / cut, coefficient() % cut <=> cut / 2),
                -scale);
}

int Number::magnitude() const {
  return is_zero() ? 0 : exponent_ + DigitCount(coefficient()) - 1;
}

std::string Number::Digits() const {
  char buffer[40];
  char* const end = buffer + sizeof(buffer);
  return std::string(WriteDigits(coefficient(), end), end);
}

Number Number::FromDigits(bool negative, std::string_view digits, int magnitude) {
  Coefficient coefficient = 0;
  for (const char c : digits) coefficient = coefficient * 10 + static_cast<unsigned>(c - '0');
  return Number(negative, coefficient, magnitude - static_cast<int>(digits.size()) + 1);
}

void Number::AppendTo(std::string* out) const {
  if (is_zero()) {
    out->push_back('0');
    return;
  }
  char buffer[40];
  const char* const end = buffer + sizeof(buffer);
  const char* const begin = WriteDigits(coefficient(), buffer + sizeof(buffer));
  const auto count = static_cast<int>(end - begin);
  if (negative_) out->push_back('-');
  if (exponent_ >= 0) {
    out->append(begin, end);
    out->append(static_cast<size_t>(exponent_), '0');
  } else if (count + exponent_ > 0) {
    out->append(begin, end + exponent_);
    out->push_back('.');
    out->append(end + exponent_, end);
  } else {
    out->append("0.");
    out->append(static_cast<size_t>(-exponent_ - count), '0');
    out->append(begin, end);
  }
}

std::string Number::ToString() const {
  std::string out;
  AppendTo(&out);
  return out;
}

size_t Number::StoredSize() const {
  if (is_zero()) return 1;
  const int digits = DigitCount(coefficient());
  // The number of significant digits before the point, without zeros at either end; the other
  // digits are after the point. Digits of 1200 are two (12), those of 0.0012 are two (12).
  const int before = std::clamp(digits + exponent_, 0, digits);
  const int after = digits - before;
  return static_cast<size_t>(1 + (before + 1) / 2 + (after + 1) / 2 + (negative_ ? 1 : 0));
}

bool Number::ToInt64(int64_t* out) const {
  if (exponent_ < 0 || exponent_ > 18) return false;
  if (high_ != 0) return false;
  Coefficient value = coefficient() * kPowersOfTen[static_cast<size_t>(exponent_)];
  const Coefficient limit = static_cast<Coefficient>(INT64_MAX) + (negative_ ? 1 : 0);
  if (value > limit) return false;
  *out = negative_ ? static_cast<int64_t>(0 - static_cast<uint64_t>(value))
                   : static_cast<int64_t>(value);
  return true;
}

std::strong_ordering operator<=>(const Number& a, const Number& b) {
  const int sign_a = a.is_zero() ? 0 : (a.negative_ ? -1 : 1);
  const int sign_b = b.is_zero() ? 0 : (b.negative_ ? -1 : 1);
  if (sign_a != sign_b || sign_a == 0) return sign_a <=> sign_b;
  const Number& small = sign_a > 0 ? a : b;  // compare magnitudes; swap for negatives
  const Number& large = sign_a > 0 ? b : a;
  if (const auto order = small.magnitude() <=> large.magnitude(); order != 0) return order;
  const int shift = small.exponent_ - large.exponent_;
  Wide left = small.coefficient();
  Wide right = large.coefficient();
  // Equal magnitudes, so aligning never needs more than 38 digits.
  if (shift > 0) left *= kPowersOfTen[static_cast<size_t>(shift)];
  if (shift < 0) right *= kPowersOfTen[static_cast<size_t>(-shift)];
  return left <=> right;
}

}  // namespace monotable::item
