#include "item/number.h"

#include <random>
#include <string>

#include <gtest/gtest.h>

namespace monotable::item {
namespace {

std::string Normal(std::string_view text) {
  const auto number = Number::Parse(text);
  return number ? number->ToString() : number.error().message();
}

Number N(std::string_view text) {
  return *Number::Parse(text);
}

TEST(NumberTest, PrintsPlainDecimalsWithoutTrailingZeros) {
  EXPECT_EQ(Normal("45000.00"), "45000");
  EXPECT_EQ(Normal("-0"), "0");
  EXPECT_EQ(Normal("0.0E5"), "0");
  EXPECT_EQ(Normal("+5"), "5");
  EXPECT_EQ(Normal("007"), "7");
  EXPECT_EQ(Normal("1e3"), "1000");
  EXPECT_EQ(Normal("1.5E-3"), "0.0015");
  EXPECT_EQ(Normal("-12.340"), "-12.34");
  EXPECT_EQ(Normal(".5"), "0.5");
  EXPECT_EQ(Normal("5."), "5");
  EXPECT_EQ(Normal("100"), "100");
}

TEST(NumberTest, KeepsThirtyEightDigitsExactly) {
  const std::string longest = "12345678901234567890123456789012345678";
  EXPECT_EQ(Normal(longest), longest);
  EXPECT_EQ(Normal("0." + longest), "0." + longest);
  EXPECT_EQ(Normal(longest + "000"), longest + "000");
  EXPECT_EQ(Normal("99999999999999999999999999999999999999"),
            "99999999999999999999999999999999999999");
  EXPECT_EQ(Normal(longest + "9"),
            "Attempting to store more than 38 significant digits in a Number");
  EXPECT_EQ(Normal("1.00000000000000000000000000000000000001"),
            "Attempting to store more than 38 significant digits in a Number");
}

TEST(NumberTest, HasTheRangeOfTheService) {
  EXPECT_EQ(Normal("1E125"), "1" + std::string(125, '0'));
  EXPECT_EQ(Normal("9.9999999999999999999999999999999999999E+125").substr(0, 38),
            std::string(38, '9'));
  EXPECT_EQ(Normal("1E-130"), "0." + std::string(129, '0') + "1");
  const std::string overflow =
      "Number overflow. Attempting to store a number with magnitude larger than supported range";
  const std::string underflow =
      "Number underflow. Attempting to store a number with magnitude smaller than supported range";
  EXPECT_EQ(Normal("1E126"), overflow);
  EXPECT_EQ(Normal("-1E126"), overflow);
  EXPECT_EQ(Normal("1E-131"), underflow);
  EXPECT_EQ(Normal("1E999999999999999999999"), overflow);
  EXPECT_EQ(Normal("0E999999999999999999999"), "0");
}

TEST(NumberTest, RefusesWhatIsNoNumber) {
  for (const std::string_view text :
       {" 1", "1 ", "1+2", "1.2.3", "abc", "1e", "e5", ".", "-", "+", "--1", "0x10", "1_000", "NaN",
        "Infinity", "1e+", "1,5", "١"}) {
    EXPECT_EQ(Normal(text),
              "The parameter cannot be converted to a numeric value: " + std::string(text));
  }
  EXPECT_EQ(Normal(""), "The parameter cannot be converted to a numeric value");
}

TEST(NumberTest, AddsExactly) {
  EXPECT_EQ(Number::Add(N("0.1"), N("0.2"))->ToString(), "0.3");
  EXPECT_EQ(Number::Add(N("5"), N("-5"))->ToString(), "0");
  EXPECT_EQ(Number::Subtract(N("1"), N("1.5"))->ToString(), "-0.5");
  EXPECT_EQ(Number::Subtract(N("0"), N("3"))->ToString(), "-3");
  EXPECT_EQ(Number::Add(N("99999999999999999999999999999999999999"), N("1"))->ToString(),
            "1" + std::string(38, '0'));
  EXPECT_EQ(Number::Subtract(N("1" + std::string(38, '0')), N("1"))->ToString(),
            std::string(38, '9'));
}

TEST(NumberTest, NeverRounds) {
  EXPECT_FALSE(Number::Add(N("1E50"), N("1")));
  EXPECT_FALSE(Number::Add(N("1E125"), N("1E-130")));
  EXPECT_FALSE(Number::Add(N("9E125"), N("9E125")));
  EXPECT_FALSE(Number::Add(N("99999999999999999999999999999999999999"), N("0.1")));
}

std::string Times(std::string_view a, std::string_view b) {
  const auto product = Number::Multiply(N(a), N(b));
  return product ? product->ToString() : product.error().message();
}

std::string Over(std::string_view a, std::string_view b) {
  const auto quotient = Number::Divide(N(a), N(b));
  return quotient ? quotient->ToString() : quotient.error().message();
}

TEST(NumberTest, MultipliesExactlyWhereThirtyEightDigitsSuffice) {
  EXPECT_EQ(Times("0", "-5"), "0");
  EXPECT_EQ(Times("100", "55.10"), "5510");
  EXPECT_EQ(Times("-0.5", "0.5"), "-0.25");
  EXPECT_EQ(Times("-3", "-3"), "9");
  EXPECT_EQ(Times("9999999999999999999", "9999999999999999999"),
            "99999999999999999980000000000000000001");
  EXPECT_EQ(Times("1E100", "1E-100"), "1");
  EXPECT_EQ(Times("99999999999999999999999999999999999999", "10"), std::string(38, '9') + "0");
}

TEST(NumberTest, RoundsLongProductsHalfEven) {
  const std::string zeros(30, '0');
  EXPECT_EQ(Times("3000000" + zeros + "1", "5"), "15000000" + zeros + "0");  // …00|5 stays even
  EXPECT_EQ(Times("3000000" + zeros + "3", "5"), "1500000" + zeros + "20");  // …01|5 goes to even
  EXPECT_EQ(Times("3000000" + zeros + "1", "-7"), "-2100000" + zeros + "10");  // …0|7 goes up
  EXPECT_EQ(Times(std::string(38, '9'), std::string(38, '9')),
            std::string(37, '9') + "8" + std::string(38, '0'));
  EXPECT_EQ(Times(std::string(38, '9'), "1.1"), "11" + std::string(37, '0'));
  EXPECT_NE(Times("1E100", "1E26").find("overflow"), std::string::npos);
  EXPECT_NE(Times("1E-100", "1E-31").find("underflow"), std::string::npos);
}

TEST(NumberTest, DividesToThirtyEightDigits) {
  EXPECT_EQ(Over("0", "7"), "0");
  EXPECT_EQ(Over("1", "4"), "0.25");
  EXPECT_EQ(Over("-10", "4"), "-2.5");
  EXPECT_EQ(Over("1", "3"), "0." + std::string(38, '3'));
  EXPECT_EQ(Over("2", "-3"), "-0." + std::string(37, '6') + "7");
  EXPECT_EQ(Over("200", "3"), std::string(2, '6') + "." + std::string(35, '6') + "7");
  EXPECT_EQ(Over("1E-130", "1E-130"), "1");
  EXPECT_EQ(Over("1", std::string(38, '9')), "0." + std::string(37, '0') + "1");
  // One digit too many, and that a five: to the even neighbour.
  EXPECT_EQ(Over(std::string(38, '9'), "2"), "5" + std::string(37, '0'));
  EXPECT_EQ(Over(std::string(37, '9') + "7", "2"), "4" + std::string(36, '9') + "8");
  EXPECT_EQ(Over("1", "0"), "A number cannot be divided by zero");
  EXPECT_NE(Over("1E100", "1E-100").find("overflow"), std::string::npos);
  EXPECT_NE(Over("1E-100", "1E100").find("underflow"), std::string::npos);
}

TEST(NumberTest, RoundsToAScaleHalfEven) {
  const auto rounded = [](std::string_view text, int scale) {
    return N(text).RoundToScale(scale).ToString();
  };
  EXPECT_EQ(rounded("2.345", 2), "2.34");
  EXPECT_EQ(rounded("2.355", 2), "2.36");
  EXPECT_EQ(rounded("2.3450001", 2), "2.35");
  EXPECT_EQ(rounded("-2.5", 0), "-2");
  EXPECT_EQ(rounded("-3.5", 0), "-4");
  EXPECT_EQ(rounded("0.5", 0), "0");
  EXPECT_EQ(rounded("0.51", 0), "1");
  EXPECT_EQ(rounded("0.05", 0), "0");
  EXPECT_EQ(rounded("-0.001", 2), "0");
  EXPECT_EQ(rounded("9.999", 2), "10");
  EXPECT_EQ(rounded("1200", 2), "1200");
  EXPECT_EQ(rounded("1.2", 40), "1.2");
  EXPECT_EQ(rounded("0." + std::string(38, '9'), 0), "1");
  EXPECT_EQ(rounded("1E-130", 5), "0");
  EXPECT_FALSE(N("-0.001").RoundToScale(2).negative());
}

TEST(NumberTest, OrdersByValue) {
  const std::string_view ascending[] = {"-1E125",  "-100", "-99.5",  "-1",   "-0.5",
                                        "-1E-130", "0",    "1E-130", "0.5",  "1",
                                        "9.9",     "10",   "100",    "1E125"};
  for (size_t i = 0; i < std::size(ascending); ++i) {
    for (size_t j = 0; j < std::size(ascending); ++j) {
      EXPECT_EQ(N(ascending[i]) <=> N(ascending[j]), i <=> j) << ascending[i] << ascending[j];
    }
  }
  EXPECT_EQ(N("1.0"), N("1"));
}

TEST(NumberTest, ChargesForPairsOfDigits) {
  EXPECT_EQ(N("0").StoredSize(), 1);
  EXPECT_EQ(N("1").StoredSize(), 2);
  EXPECT_EQ(N("12").StoredSize(), 2);
  EXPECT_EQ(N("123").StoredSize(), 3);
  EXPECT_EQ(N("1200").StoredSize(), 2);
  EXPECT_EQ(N("-12").StoredSize(), 3);
  EXPECT_EQ(N("1.5").StoredSize(), 3);
  EXPECT_EQ(N("12345678901234567890123456789012345678").StoredSize(), 20);
}

TEST(NumberTest, GivesIntegersWhereTheyFit) {
  int64_t value = 0;
  ASSERT_TRUE(N("-9223372036854775808").ToInt64(&value));
  EXPECT_EQ(value, INT64_MIN);
  ASSERT_TRUE(N("1E18").ToInt64(&value));
  EXPECT_EQ(value, 1'000'000'000'000'000'000);
  EXPECT_FALSE(N("9223372036854775808").ToInt64(&value));
  EXPECT_FALSE(N("1.5").ToInt64(&value));
  EXPECT_FALSE(N("1E19").ToInt64(&value));
}

// For random numbers of all lengths: products of short ones are those of the machine, and what was
// multiplied can be divided again.
TEST(NumberTest, ProductsAndQuotientsBelongTogether) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  std::mt19937_64 random(seed);
  for (int i = 0; i < 20000; ++i) {
    const auto a = static_cast<int64_t>(random()) >> (random() % 30 + 33);
    const auto b = static_cast<int64_t>(random()) >> (random() % 30 + 33);
    const auto product = Number::Multiply(Number::FromInt(a), Number::FromInt(b));
    EXPECT_EQ(product->ToString(), std::to_string(a * b));
    if (b != 0) {
      EXPECT_EQ(*Number::Divide(*product, Number::FromInt(b)), Number::FromInt(a));
    }
    const Number wide = Number::FromInt(static_cast<int64_t>(random()));
    const Number divisor = Number::FromInt(static_cast<int64_t>(random() | 1));
    const auto there_and_back = Number::Divide(*Number::Multiply(wide, divisor), divisor);
    EXPECT_EQ(there_and_back->RoundToScale(15), wide)
        << wide.ToString() << " " << divisor.ToString();
  }
}

// Integers that fit 64 bits obey the machine's own arithmetic and order.
TEST(NumberTest, AgreesWithIntegerArithmetic) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  std::mt19937_64 random(seed);
  for (int i = 0; i < 20000; ++i) {
    const auto a = static_cast<int64_t>(random()) >> (random() % 62 + 1);
    const auto b = static_cast<int64_t>(random()) >> (random() % 62 + 1);
    EXPECT_EQ(Number::FromInt(a).ToString(), std::to_string(a));
    EXPECT_EQ(Number::Add(Number::FromInt(a), Number::FromInt(b))->ToString(),
              std::to_string(a + b));
    EXPECT_EQ(Number::Subtract(Number::FromInt(a), Number::FromInt(b))->ToString(),
              std::to_string(a - b));
    EXPECT_EQ(Number::FromInt(a) <=> Number::FromInt(b), a <=> b);
    const Number n = Number::FromInt(a);
    EXPECT_EQ(Number::FromDigits(n.negative(), n.Digits(), n.magnitude()), n);
  }
}

}  // namespace
}  // namespace monotable::item
