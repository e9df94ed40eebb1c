#include "expression/legacy.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "expression/expression_values_for_tests.h"

namespace monotable::expression {
namespace {

using testing::ElementsAre;
using namespace test;  // NOLINT: short names for values
using Operator = ComparisonOperator;

item::Item LegacySample() {
  return Item({
      {"s", S("abc")},
      {"n", N("5")},
      {"b", B("xyz")},
      {"ss", SS({"a", "b"})},
      {"ns", NS({"1", "2"})},
      {"l", L({S("a"), N("1")})},
      {"m", M({{"k", S("v")}})},
      {"nil", Null()},
      {"a.b", S("dotted")},
  });
}

std::string Outcome(const Result<BoundCondition>& condition) {
  if (!condition) return condition.error().message();
  return condition->Evaluate(LegacySample()) ? "true" : "false";
}

std::string Filter(const std::string& attribute, Operator comparison,
                   std::vector<item::Value> values) {
  return Outcome(ConditionFromFilter({{attribute, {comparison, std::move(values)}}}, std::nullopt));
}

std::string Expect(LegacyExpected expected) {
  return Outcome(ConditionFromExpected({{"s", std::move(expected)}}, std::nullopt));
}

TEST(LegacyCondition, Operators) {
  const struct {
    std::string attribute;
    Operator comparison;
    std::vector<item::Value> values;
    std::string_view expected;
  } cases[] = {
      {"s", Operator::kEq, {S("abc")}, "true"},
      {"m", Operator::kEq, {M({{"k", S("v")}})}, "true"},
      {"ns", Operator::kEq, {NS({"2", "1.0"})}, "true"},
      {"s", Operator::kEq, {N("5")}, "false"},
      {"gone", Operator::kEq, {S("abc")}, "false"},
      {"s", Operator::kNe, {S("abc")}, "false"},
      {"s", Operator::kNe, {N("5")}, "true"},
      {"gone", Operator::kNe, {S("abc")}, "true"},
      {"n", Operator::kLt, {N("10")}, "true"},
      {"n", Operator::kLe, {N("5.0")}, "true"},
      {"n", Operator::kGt, {N("5")}, "false"},
      {"n", Operator::kGe, {N("5")}, "true"},
      {"n", Operator::kGe, {S("5")}, "false"},
      {"gone", Operator::kGe, {S("5")}, "false"},
      {"s", Operator::kNotNull, {}, "true"},
      {"nil", Operator::kNotNull, {}, "true"},
      {"gone", Operator::kNotNull, {}, "false"},
      {"gone", Operator::kNull, {}, "true"},
      {"nil", Operator::kNull, {}, "false"},
      {"s", Operator::kContains, {S("bc")}, "true"},
      {"b", Operator::kContains, {B("y")}, "true"},
      {"ss", Operator::kContains, {S("b")}, "true"},
      {"ns", Operator::kContains, {N("2")}, "true"},
      {"l", Operator::kContains, {N("1")}, "true"},
      {"gone", Operator::kContains, {N("1")}, "false"},
      {"s", Operator::kNotContains, {S("bc")}, "false"},
      {"ss", Operator::kNotContains, {S("c")}, "true"},
      {"gone", Operator::kNotContains, {S("c")}, "true"},
      {"s", Operator::kBeginsWith, {S("ab")}, "true"},
      {"b", Operator::kBeginsWith, {B("y")}, "false"},
      {"n", Operator::kIn, {N("1"), N("5")}, "true"},
      {"n", Operator::kIn, {N("1")}, "false"},
      {"n", Operator::kBetween, {N("5"), N("6")}, "true"},
      {"n", Operator::kBetween, {N("6"), N("7")}, "false"},
      // Names are taken literally.
      {"a.b", Operator::kEq, {S("dotted")}, "true"},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(Filter(c.attribute, c.comparison, c.values), c.expected)
        << c.attribute << " " << OperatorName(c.comparison);
  }
}

TEST(LegacyCondition, ArgumentErrors) {
  const struct {
    Operator comparison;
    std::vector<item::Value> values;
    std::string_view what;
  } cases[] = {
      {Operator::kEq, {}, "Invalid number of argument(s) for the EQ ComparisonOperator"},
      {Operator::kEq,
       {S("a"), S("b")},
       "Invalid number of argument(s) for the EQ ComparisonOperator"},
      {Operator::kNull, {S("a")}, "Invalid number of argument(s) for the NULL ComparisonOperator"},
      {Operator::kIn, {}, "Invalid number of argument(s) for the IN ComparisonOperator"},
      {Operator::kBetween,
       {S("a")},
       "Invalid number of argument(s) for the BETWEEN ComparisonOperator"},
      {Operator::kGt, {M({})}, "ComparisonOperator GT is not valid for M AttributeValue type"},
      {Operator::kBeginsWith,
       {N("1")},
       "ComparisonOperator BEGINS_WITH is not valid for N AttributeValue type"},
      {Operator::kContains,
       {SS({"a"})},
       "ComparisonOperator CONTAINS is not valid for SS AttributeValue type"},
      {Operator::kNotContains,
       {L({})},
       "ComparisonOperator NOT_CONTAINS is not valid for L AttributeValue type"},
      {Operator::kIn,
       {Bool(true)},
       "ComparisonOperator IN is not valid for BOOL AttributeValue type"},
      {Operator::kIn,
       {S("a"), N("1")},
       "AttributeValues inside AttributeValueList must be of same type"},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(Filter("s", c.comparison, c.values),
              "One or more parameter values were invalid: " + std::string(c.what));
  }
  EXPECT_EQ(Filter("n", Operator::kBetween, {N("2"), N("1")}),
            "The BETWEEN condition was provided a range where the lower bound is greater than the "
            "upper bound");
}

TEST(LegacyCondition, Expected) {
  EXPECT_EQ(Expect({.value = S("abc"), .exists = {}, .comparison = {}, .values = {}}), "true");
  EXPECT_EQ(Expect({.value = S("x"), .exists = true, .comparison = {}, .values = {}}), "false");
  EXPECT_EQ(Expect({.value = {}, .exists = false, .comparison = {}, .values = {}}), "false");
  EXPECT_EQ(
      Expect({.value = S("ab"), .exists = {}, .comparison = Operator::kBeginsWith, .values = {}}),
      "true");
  EXPECT_EQ(Expect({.value = {},
                    .exists = {},
                    .comparison = Operator::kIn,
                    .values = std::vector{S("x"), S("abc")}}),
            "true");
  EXPECT_EQ(Expect({.value = {}, .exists = {}, .comparison = Operator::kNotNull, .values = {}}),
            "true");
}

TEST(LegacyCondition, ExpectedErrors) {
  const struct {
    LegacyExpected expected;
    std::string_view what;
  } cases[] = {
      {{S("a"), {}, Operator::kEq, std::vector{S("a")}},
       "Value and AttributeValueList cannot be used together for Attribute: s"},
      {{S("a"), true, Operator::kEq, {}},
       "Exists and ComparisonOperator cannot be used together for Attribute: s"},
      {{{}, {}, Operator::kGt, {}},
       "Value or AttributeValueList must be used with ComparisonOperator: GT for Attribute: s"},
      {{{}, {}, {}, std::vector{S("a")}},
       "AttributeValueList can only be used with a ComparisonOperator for Attribute: s"},
      {{S("a"), false, {}, {}}, "Value cannot be used when Exists is false for Attribute: s"},
      {{{}, true, {}, {}}, "Value must be provided when Exists is true for Attribute: s"},
      {{{}, {}, {}, {}}, "Value must be provided when Exists is null for Attribute: s"},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(Expect(c.expected),
              "One or more parameter values were invalid: " + std::string(c.what));
  }
}

TEST(LegacyCondition, ConditionalOperators) {
  const LegacyConditions both = {{"s", {Operator::kEq, {S("abc")}}},
                                 {"n", {Operator::kEq, {N("6")}}}};
  EXPECT_EQ(Outcome(ConditionFromFilter(both, std::nullopt)), "false");
  EXPECT_EQ(Outcome(ConditionFromFilter(both, ConditionalOperator::kAnd)), "false");
  EXPECT_EQ(Outcome(ConditionFromFilter(both, ConditionalOperator::kOr)), "true");
  EXPECT_EQ(Outcome(ConditionFromFilter({}, std::nullopt)), "true");
  EXPECT_EQ(Outcome(ConditionFromFilter({}, ConditionalOperator::kOr)),
            "ConditionalOperator cannot be used without Filter or Expected");
  EXPECT_EQ(Outcome(ConditionFromFilter({*both.begin()}, ConditionalOperator::kOr)),
            "ConditionalOperator can only be used when Filter or Expected has two or more "
            "elements");
}

TEST(LegacyCondition, OwnsItsNamesAndValues) {
  std::optional<BoundCondition> kept;
  {
    LegacyConditions filter = {{std::string(100, 'n'), {Operator::kEq, {S("x")}}}};
    kept = *ConditionFromFilter(std::move(filter), std::nullopt);
  }
  EXPECT_TRUE(kept->Evaluate(Item({{std::string(100, 'n'), S("x")}})));
  EXPECT_THAT(kept->TopLevelNames(), ElementsAre(std::string(100, 'n')));
}

using testing::ElementsAre;
using namespace test;  // NOLINT: short names for values

item::Item LegacyItem() {
  return Item({{"n", N("5")}, {"s", S("abc")}, {"ss", SS({"a", "b"})}, {"l", L({N("1")})}});
}

Result<item::Item> Apply(const std::string& attribute, LegacyUpdate change) {
  TRY_ASSIGN(const BoundUpdate update, UpdateFromLegacy({{attribute, std::move(change)}}));
  return update.Apply(LegacyItem());
}

TEST(LegacyUpdate, Actions) {
  const struct {
    std::string attribute;
    LegacyUpdate change;
    std::optional<item::Value> expected;
  } cases[] = {
      {"n", {N("1"), LegacyAction::kPut}, N("1")},
      {"a.b", {S("x"), LegacyAction::kPut}, S("x")},
      {"n", {N("1"), LegacyAction::kAdd}, N("6")},
      {"new", {N("1"), LegacyAction::kAdd}, N("1")},
      {"ss", {SS({"b", "c"}), LegacyAction::kAdd}, SS({"a", "b", "c"})},
      {"new", {SS({"b"}), LegacyAction::kAdd}, SS({"b"})},
      {"l", {L({N("2")}), LegacyAction::kAdd}, L({N("1"), N("2")})},
      {"new", {L({N("2")}), LegacyAction::kAdd}, L({N("2")})},
      {"ss", {SS({"b", "c"}), LegacyAction::kDelete}, SS({"a"})},
      {"ss", {SS({"a", "b"}), LegacyAction::kDelete}, std::nullopt},
      {"n", {std::nullopt, LegacyAction::kDelete}, std::nullopt},
      {"new", {std::nullopt, LegacyAction::kDelete}, std::nullopt},
      {"new", {SS({"a"}), LegacyAction::kDelete}, std::nullopt},
  };
  for (const auto& c : cases) {
    const Result<item::Item> result = Apply(c.attribute, c.change);
    ASSERT_TRUE(result) << result.error().message();
    item::Item expected = LegacyItem();
    expected.Remove(c.attribute);
    if (c.expected) expected.Set(c.attribute, *c.expected);
    EXPECT_EQ(*result, expected) << c.attribute;
  }
}

TEST(LegacyUpdate, Errors) {
  const struct {
    std::string attribute;
    LegacyUpdate change;
    std::string_view message;
  } cases[] = {
      {"a",
       {std::nullopt, LegacyAction::kPut},
       "One or more parameter values were invalid: Only DELETE action is allowed when no "
       "attribute value is specified"},
      {"a",
       {std::nullopt, LegacyAction::kAdd},
       "One or more parameter values were invalid: Only DELETE action is allowed when no "
       "attribute value is specified"},
      {"a",
       {S("x"), LegacyAction::kAdd},
       "One or more parameter values were invalid: ADD action is not supported for the type S"},
      {"a",
       {N("1"), LegacyAction::kDelete},
       "One or more parameter values were invalid: DELETE action with value is not supported for "
       "the type N"},
      {"",
       {N("1"), LegacyAction::kPut},
       "One or more parameter values were invalid: Empty attribute name"},
      {"s", {N("1"), LegacyAction::kAdd}, "Type mismatch for attribute to update"},
      {"ss", {NS({"1"}), LegacyAction::kDelete}, "Type mismatch for attribute to update"},
  };
  for (const auto& c : cases) {
    const Result<item::Item> result = Apply(c.attribute, c.change);
    ASSERT_FALSE(result) << c.attribute;
    EXPECT_EQ(result.error().message(), c.message);
  }
}

TEST(LegacyUpdate, TellsWhatItTouches) {
  const auto update = UpdateFromLegacy({{"a", {N("1"), LegacyAction::kPut}},
                                        {"n", {N("1"), LegacyAction::kAdd}},
                                        {"s", {std::nullopt, LegacyAction::kDelete}}});
  ASSERT_TRUE(update);
  EXPECT_THAT(update->TopLevelNames(), ElementsAre("a", "n", "s"));
  EXPECT_EQ(update->write_actions(), 2u);
  EXPECT_EQ(update->clear_actions(), 1u);
  EXPECT_EQ(update->ProjectUpdated(LegacyItem()), Item({{"n", N("5")}, {"s", S("abc")}}));
}

TEST(LegacyUpdate, NothingToDo) {
  const auto update = UpdateFromLegacy({});
  ASSERT_TRUE(update);
  EXPECT_EQ(*update->Apply(LegacyItem()), LegacyItem());
}

}  // namespace

}  // namespace monotable::expression
