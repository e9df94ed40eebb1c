#include "expression/condition.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "expression/expression_values_for_tests.h"

namespace monotable::expression {
namespace {

using testing::ElementsAre;
using namespace test;  // NOLINT: short names for values

Substitutions::Names AllNames() {
  return {{"#s", "s"}, {"#status", "status"}, {"#dot", "a.b"}, {"#m", "m"}};
}

Substitutions::Values AllValues() {
  return {
      {":one", N("1")},
      {":two", N("2.0")},
      {":ten", N("10")},
      {":a", S("a")},
      {":b", S("b")},
      {":abc", S("abc")},
      {":empty", S("")},
      {":bin", B("\x01\x02")},
      {":true", Bool(true)},
      {":null", Null()},
      {":list", L({N("1"), S("x")})},
      {":map", M({{"k", N("1")}})},
      {":ss", SS({"b", "a"})},
      {":ns", NS({"1.0", "2"})},
      {":S", S("S")},
      {":N", S("N")},
      {":SS", S("SS")},
      {":NULL", S("NULL")},
  };
}

item::Item Sample() {
  return Item({
      {"s", S("abc")},
      {"n", N("1")},
      {"n2", N("2")},
      {"b", B("\x01\x02\x03")},
      {"t", Bool(true)},
      {"nil", Null()},
      {"l", L({N("1"), S("x"), M({{"deep", S("abc")}})})},
      {"m", M({{"k", N("1")}, {"nested", M({{"x", S("abc")}})}})},
      {"ss", SS({"a", "b"})},
      {"ns", NS({"1", "2"})},
      {"bs", BS({"\x01", "\x02"})},
      {"a.b", S("dotted")},
      {"status", S("open")},
      {"wide", S("\xC3\xA4\xF0\x9F\x98\x80")},  // one and two UTF-16 units
  });
}

// "true", "false" or the error's message.
std::string Evaluate(std::string_view text) {
  Substitutions substitutions(AllNames(), AllValues());
  const Result<BoundCondition> condition =
      ParseCondition(text, ConditionKind::kCondition, substitutions);
  if (!condition) return condition.error().message();
  return condition->Evaluate(Sample()) ? "true" : "false";
}

struct Case {
  std::string_view text;
  std::string_view expected;
};

TEST(Condition, Comparisons) {
  const Case cases[] = {
      {"n = :one", "true"},
      {"n2 = :two", "true"},
      {"n <> :two", "true"},
      {"n < :two", "true"},
      {"n2 < :ten", "true"},  // by value, not by digits
      {"n <= :one", "true"},
      {"n > :one", "false"},
      {"n >= :one", "true"},
      {":one = n", "true"},
      {":two > n", "true"},
      {"s = :abc", "true"},
      {"s > :a", "true"},
      {"s < :b", "true"},
      {"b >= :bin", "true"},
      {"t = :true", "true"},
      {"nil = :null", "true"},
      {"m.k = n", "true"},
      {"l[0] = n", "true"},
      {"l[2].deep = s", "true"},
      {"l[3] = s", "false"},
      {"m.nested.x = s", "true"},
      {"#m.nested.x = #s", "true"},
      {"#dot = :abc", "false"},
      {"attribute_exists(#dot)", "true"},
      {"ss = :ss", "true"},
      {"ns = :ns", "true"},
      {"n < n2", "true"},
      {"s < n", "false"},
      {"s > n", "false"},
      {"s = n", "false"},
      {"s <> n", "true"},
      {":one = :two", "false"},
      // A missing attribute.
      {"gone = :one", "false"},
      {"gone <> :one", "true"},
      {"gone < :one", "false"},
      {"gone >= :one", "false"},
      {"NOT gone = :one", "true"},
      {"gone BETWEEN :one AND :two", "false"},
      {"gone IN (:one, :two)", "false"},
      {"gone = absent", "false"},
      {"n.x = :one", "false"},
      {"n[0] = :one", "false"},
      {"m[0] = :one", "false"},
  };
  for (const Case& c : cases) EXPECT_EQ(Evaluate(c.text), c.expected) << c.text;
}

TEST(Condition, BetweenAndIn) {
  const Case cases[] = {
      {"n BETWEEN :one AND :ten", "true"},  {"n between :two and :ten", "false"},
      {"n2 BETWEEN n AND :two", "true"},    {":two BETWEEN n AND n2", "true"},
      {"s BETWEEN :one AND :ten", "false"}, {"s BETWEEN :a AND :b AND n = :one", "true"},
      {"NOT s BETWEEN :a AND :b", "false"}, {"n IN (:one)", "true"},
      {"n IN (:two, :abc, :one)", "true"},  {"n in(:two, n2)", "false"},
      {"l[1] IN (s, :ten)", "false"},       {"m IN (:map, :list)", "false"},
  };
  for (const Case& c : cases) EXPECT_EQ(Evaluate(c.text), c.expected) << c.text;
}

TEST(Condition, Functions) {
  const Case cases[] = {
      {"attribute_exists(s)", "true"},
      {"attribute_exists(m.nested.x)", "true"},
      {"attribute_exists(m.nested.y)", "false"},
      {"attribute_not_exists(gone)", "true"},
      {"attribute_not_exists(nil)", "false"},
      {"attribute_type(s, :S)", "true"},
      {"attribute_type(s, :N)", "false"},
      {"attribute_type(ss, :SS)", "true"},
      {"attribute_type(nil, :NULL)", "true"},
      {"attribute_type(gone, :S)", "false"},
      {"begins_with(s, :a)", "true"},
      {"begins_with(s, :empty)", "true"},
      {"begins_with(s, :b)", "false"},
      {"begins_with(b, :bin)", "true"},
      {"begins_with(n, :a)", "false"},
      {"begins_with(gone, :a)", "false"},
      {"contains(s, :b)", "true"},
      {"contains(s, :one)", "false"},
      {"contains(b, :bin)", "true"},
      {"contains(ss, :a)", "true"},
      {"contains(ss, :abc)", "false"},
      {"contains(ns, :two)", "true"},
      {"contains(bs, :bin)", "false"},
      {"contains(l, :one)", "true"},
      {"contains(l, :a)", "false"},
      {"contains(m, :one)", "false"},
      {"contains(:abc, s)", "true"},
      {"contains(:list, n)", "true"},
      {"size(s) > :two", "true"},
      {"size(gone) = :one", "false"},
      {"size(n) = :one", "false"},
      {"size(ss) = size(ns)", "true"},
      {"size(l) BETWEEN :two AND :ten", "true"},
      {"size(m) = :two", "true"},
      {"size(b) > size(bs)", "true"},
      {"size(wide) > :two AND size(wide) < :ten", "true"},
      {"size(wide) = size(s)", "true"},  // three units
      {"(size(s)) > (:two)", "true"},
      {"contains(ns, size(m))", "true"},
      {"size(:abc) = size(s)", "true"},
      {"attribute_exists (s)", "true"},
  };
  for (const Case& c : cases) EXPECT_EQ(Evaluate(c.text), c.expected) << c.text;
}

TEST(Condition, Logic) {
  // 1 stands for a true condition, 0 for a false one.
  const auto expand = [](std::string_view text) {
    std::string expanded;
    for (const char c : text) {
      if (c == '1') {
        expanded += "n = :one";
      } else if (c == '0') {
        expanded += "n = :two";
      } else {
        expanded += c;
      }
    }
    return expanded;
  };
  const Case cases[] = {
      {"1 OR 0 AND 0", "true"},
      {"(1 OR 0) AND 0", "false"},
      {"0 AND 0 OR 1", "true"},
      {"NOT 0 AND 0", "false"},
      {"NOT (0 AND 0)", "true"},
      {"NOT NOT 1", "true"},
      {"not 0 or 0", "true"},
      {"1 AND NOT 0", "true"},
      {"1 AND 1 AND 0", "false"},
      {"0 OR 0 OR 1", "true"},
      {"(1)", "true"},
      {"(1) AND (NOT (0))", "true"},
      {"NOT (NOT (NOT 1))", "false"},
  };
  for (const Case& c : cases) EXPECT_EQ(Evaluate(expand(c.text)), c.expected) << c.text;
}

TEST(Condition, EnumeratesPaths) {
  Substitutions substitutions(AllNames(), AllValues());
  const auto condition = ParseCondition("#m.nested[3] = :one AND size(l) > n OR contains(#dot, s)",
                                        ConditionKind::kFilter, substitutions);
  ASSERT_TRUE(condition);
  EXPECT_THAT(condition->TopLevelNames(), ElementsAre("m", "l", "n", "a.b", "s"));
  EXPECT_EQ(Describe(condition->Paths()[0]), "[m, nested, [3]]");
}

TEST(Condition, MarksWhatItUses) {
  Substitutions substitutions(Substitutions::Names{{"#a", "a"}, {"#b", "b"}},
                              Substitutions::Values{{":v", N("1")}});
  ASSERT_TRUE(ParseCondition("#a = :v", ConditionKind::kCondition, substitutions));
  EXPECT_FALSE(substitutions.CheckAllUsed());
  ASSERT_TRUE(ParseCondition("attribute_exists(#b)", ConditionKind::kFilter, substitutions));
  EXPECT_TRUE(substitutions.CheckAllUsed());
}

TEST(Condition, CopiesEvaluateAlike) {
  Substitutions substitutions(std::nullopt, AllValues());
  auto original = ParseCondition("n = :one", ConditionKind::kCondition, substitutions);
  ASSERT_TRUE(original);
  const BoundCondition copy = *original;
  const BoundCondition moved = *std::move(original);
  EXPECT_TRUE(copy.Evaluate(Sample()));
  EXPECT_TRUE(moved.Evaluate(Sample()));
}

}  // namespace
}  // namespace monotable::expression
