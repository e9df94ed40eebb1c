// Two numbers, a line each: parsing and printing are inverse, sums are exact, order is an order.

#include "item/number.h"

#include <string>

#include "fuzz/fuzz_target.h"

using monotable::fuzz::Check;
using monotable::fuzz::TakeUntil;
using monotable::item::Number;

namespace {

void CheckOne(const Number& number) {
  const std::string text = number.ToString();
  const auto again = Number::Parse(text);
  Check(again.has_value() && *again == number, "a printed number parses back");
  Check(again->ToString() == text, "printing is stable");
  Check(Number::FromDigits(number.negative(), number.Digits(), number.magnitude()) == number,
        "a number is its sign, digits and magnitude");
  Check(number.StoredSize() >= 1 && number.StoredSize() <= 22, "the size is between 1 and 22");
  int64_t integer = 0;
  if (number.ToInt64(&integer)) {
    Check(Number::FromInt(integer) == number, "an integer is itself");
  }
  const auto zero = Number::Subtract(number, number);
  Check(zero.has_value() && zero->is_zero(), "a number less itself is zero");
}

}  // namespace

FUZZ_TARGET(number) {
  const auto a = Number::Parse(TakeUntil(&input, '\n'));
  const auto b = Number::Parse(input);
  if (a) CheckOne(*a);
  if (!a || !b) return;
  const auto order = *a <=> *b;
  Check((order == 0) == (*a == *b), "order agrees with equality");
  Check((*b <=> *a) == (0 <=> order), "order is antisymmetric");
  const auto sum = Number::Add(*a, *b);
  const auto reverse = Number::Add(*b, *a);
  Check(sum.has_value() == reverse.has_value() && (!sum || *sum == *reverse), "sums commute");
  if (!sum) return;
  CheckOne(*sum);
  const auto back = Number::Subtract(*sum, *b);
  Check(!back || *back == *a, "a sum less one part is the other");
  const Number zero;
  if (*b > zero) Check(*sum > *a, "adding what is positive makes larger");
}
