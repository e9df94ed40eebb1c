#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "expression/expression_values_for_tests.h"
#include "expression/legacy.h"

namespace monotable::expression {
namespace {

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
