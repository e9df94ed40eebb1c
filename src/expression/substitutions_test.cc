#include "expression/substitutions.h"

#include <utility>

#include <gtest/gtest.h>

#include "expression/expression_values_for_tests.h"

namespace monotable::expression {
namespace {

using test::N;
using test::S;
using Names = Substitutions::Names;
using Values = Substitutions::Values;

constexpr ExpressionParameter kCondition[] = {{"ConditionExpression", true}};

std::string Message(const Status& status) {
  return status ? "ok" : status.error().message();
}

TEST(Substitutions, FindsAndRemembersUse) {
  Substitutions substitutions(Names{{"#a", "x"}, {"#b", "y"}}, Values{{":v", N("1")}});
  EXPECT_EQ(*substitutions.UseName("#b"), "y");
  EXPECT_EQ(substitutions.UseName("#c"), nullptr);
  EXPECT_EQ(substitutions.UseValue(":w"), nullptr);
  EXPECT_EQ(Message(substitutions.CheckAllUsed()),
            "Value provided in ExpressionAttributeNames unused in expressions: keys: {#a}");
  substitutions.UseName("#a");
  EXPECT_EQ(Message(substitutions.CheckAllUsed()),
            "Value provided in ExpressionAttributeValues unused in expressions: keys: {:v}");
  EXPECT_EQ(*substitutions.UseValue(":v"), N("1"));
  EXPECT_EQ(Message(substitutions.CheckAllUsed()), "ok");
}

TEST(Substitutions, ListsAllUnused) {
  const Substitutions substitutions(std::nullopt,
                                    Values{{":b", S("")}, {":a", S("")}, {":c", S("")}});
  EXPECT_EQ(Message(substitutions.CheckAllUsed()),
            "Value provided in ExpressionAttributeValues unused in expressions: keys: "
            "{:a, :b, :c}");
}

TEST(Substitutions, PointersSurviveMoves) {
  Substitutions first(Names{{"#a", "x"}}, Values{{":v", S("y")}});
  const std::string* name = first.UseName("#a");
  const item::Value* value = first.UseValue(":v");
  Substitutions second(std::move(first));
  EXPECT_EQ(second.UseName("#a"), name);
  EXPECT_EQ(second.UseValue(":v"), value);
}

TEST(Substitutions, ChecksKeys) {
  const auto check = [](std::optional<Names> names, std::optional<Values> values) {
    return Message(Substitutions(std::move(names), std::move(values)).Check(kCondition));
  };
  EXPECT_EQ(check(std::nullopt, std::nullopt), "ok");
  EXPECT_EQ(check(Names{{"#a_1", "x"}}, Values{{":0", S("")}}), "ok");
  EXPECT_EQ(check(Names{}, std::nullopt), "ExpressionAttributeNames must not be empty");
  EXPECT_EQ(check(std::nullopt, Values{}), "ExpressionAttributeValues must not be empty");
  EXPECT_EQ(check(Names{{"x", "x"}}, std::nullopt),
            "ExpressionAttributeNames contains invalid key: Syntax error; key: \"x\"");
  EXPECT_EQ(check(Names{{"#", "x"}}, std::nullopt),
            "ExpressionAttributeNames contains invalid key: Syntax error; key: \"#\"");
  EXPECT_EQ(check(Names{{"#a-b", "x"}}, std::nullopt),
            "ExpressionAttributeNames contains invalid key: Syntax error; key: \"#a-b\"");
  EXPECT_EQ(check(std::nullopt, Values{{"v", S("")}}),
            "ExpressionAttributeValues contains invalid key: Syntax error; key: \"v\"");
}

TEST(Substitutions, ChecksNames) {
  const auto check = [](std::string name) {
    return Message(Substitutions(Names{{"#a", std::move(name)}}, std::nullopt).Check(kCondition));
  };
  EXPECT_EQ(check(std::string(65535, 'n')), "ok");
  EXPECT_EQ(check(std::string(65536, 'n')),
            "ExpressionAttributeNames contains invalid value: One or more parameter values were "
            "invalid: Attribute name is too large, must be less than 65536 bytes for key #a");
  EXPECT_EQ(check(""),
            "ExpressionAttributeNames contains invalid value: One or more parameter values were "
            "invalid: Empty attribute name for key #a");
}

TEST(Substitutions, ChecksSizes) {
  const std::string longest = "#" + std::string(254, 'n');
  EXPECT_TRUE(Substitutions(Names{{longest, "x"}}, std::nullopt).Check(kCondition));
  EXPECT_FALSE(Substitutions(Names{{longest + "n", "x"}}, std::nullopt).Check(kCondition));

  const std::string big(size_t{2} * 1024 * 1024 - 2, 'v');
  EXPECT_TRUE(Substitutions(std::nullopt, Values{{":v", S(big)}}).Check(kCondition));
  EXPECT_FALSE(Substitutions(std::nullopt, Values{{":v", S(big + "v")}}).Check(kCondition));
}

TEST(Substitutions, NeedAnExpression) {
  const Substitutions names(Names{{"#a", "x"}}, std::nullopt);
  const Substitutions values(std::nullopt, Values{{":v", S("x")}});
  const ExpressionParameter put[] = {{"ConditionExpression"}};
  const ExpressionParameter update[] = {{"UpdateExpression"}, {"ConditionExpression"}};
  const ExpressionParameter query[] = {
      {"ProjectionExpression", true, false}, {"FilterExpression"}, {"KeyConditionExpression"}};
  EXPECT_EQ(Message(names.Check(put)),
            "ExpressionAttributeNames can only be specified when using expressions");
  EXPECT_EQ(Message(names.Check(query)), "ok");
  EXPECT_EQ(Message(values.Check(put)),
            "ExpressionAttributeValues can only be specified when using expressions: "
            "ConditionExpression is null");
  EXPECT_EQ(Message(values.Check(update)),
            "ExpressionAttributeValues can only be specified when using expressions: "
            "UpdateExpression and ConditionExpression are null");
  EXPECT_EQ(Message(values.Check(query)),
            "ExpressionAttributeValues can only be specified when using expressions: "
            "FilterExpression and KeyConditionExpression are null");
}

}  // namespace
}  // namespace monotable::expression
