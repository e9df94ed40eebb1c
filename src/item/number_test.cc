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
