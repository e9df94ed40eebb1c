#include "expression/key_condition.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "expression/expression_values_for_tests.h"
#include "expression/legacy.h"

namespace monotable::expression {
namespace {

using item::Type;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::StartsWith;
using namespace test;  // NOLINT: short names for values
using Op = RangeBound::Op;

const table::KeySchema kHashOnly{{{"pk", Type::kString}}, {}};
const table::KeySchema kComposite{{{"pk", Type::kString}}, {{"sk", Type::kString}}};
const table::KeySchema kNumeric{{{"pk", Type::kString}}, {{"sk", Type::kNumber}}};
const table::KeySchema kMulti{
    {{"h1", Type::kString}, {"h2", Type::kNumber}},
    {{"r1", Type::kString}, {"r2", Type::kNumber}, {"r3", Type::kString}}};

Substitutions::Values KeyValues() {
  return {
      {":a", S("a")},
      {":b", S("b")},
      {":empty", S("")},
      {":one", N("1")},
      {":two", N("2")},
      {":bin", B("x")},
      {":true", Bool(true)},
      {":long1024", S(std::string(1024, 'x'))},
      {":long1025", S(std::string(1025, 'x'))},
      {":long2048", S(std::string(2048, 'x'))},
      {":long2049", S(std::string(2049, 'x'))},
  };
}

Result<KeyCondition> ParseKey(std::string_view text, const table::KeySchema& schema = kComposite,
                              const KeyConditionOptions& options = {}) {
  Substitutions substitutions(Substitutions::Names{{"#pk", "pk"}, {"#sk", "sk"}, {"#dot", "sk.x"}},
                              KeyValues());
  return ParseKeyCondition(text, substitutions, schema, options);
}

std::string KeyErrorOf(std::string_view text, const table::KeySchema& schema = kComposite) {
  const Result<KeyCondition> condition = ParseKey(text, schema);
  return condition ? "none" : condition.error().message();
}

TEST(KeyCondition, HashOnly) {
  const auto condition = ParseKey("pk = :a");
  ASSERT_TRUE(condition);
  EXPECT_THAT(condition->hash, ElementsAre(S("a")));
  EXPECT_THAT(condition->range_equal, IsEmpty());
  EXPECT_FALSE(condition->range);
}

TEST(KeyCondition, RangeEquality) {
  for (const std::string_view text :
       {"pk = :a AND sk = :b", "sk = :b and pk = :a", ":b = #sk AND :a = #pk",
        "(pk = :a) AND (sk = :b)", "(pk = :a AND sk = :b)", "(pk) = (:a) AND sk = :b"}) {
    const auto condition = ParseKey(text);
    ASSERT_TRUE(condition) << text << ": " << condition.error().message();
    EXPECT_THAT(condition->hash, ElementsAre(S("a"))) << text;
    EXPECT_THAT(condition->range_equal, ElementsAre(S("b"))) << text;
    EXPECT_FALSE(condition->range) << text;
  }
}

TEST(KeyCondition, RangeInequalities) {
  const struct {
    std::string_view text;
    Op op;
  } cases[] = {
      {"sk < :b", Op::kLess},
      {"sk <= :b", Op::kLessEqual},
      {"sk > :b", Op::kGreater},
      {"sk >= :b", Op::kGreaterEqual},
      {":b < sk", Op::kGreater},
      {":b <= sk", Op::kGreaterEqual},
      {":b > sk", Op::kLess},
      {":b >= sk", Op::kLessEqual},
      {"begins_with(sk, :b)", Op::kBeginsWith},
  };
  for (const auto& c : cases) {
    const auto condition = ParseKey("pk = :a AND " + std::string(c.text));
    ASSERT_TRUE(condition) << c.text;
    EXPECT_THAT(condition->range_equal, IsEmpty());
    ASSERT_TRUE(condition->range) << c.text;
    EXPECT_EQ(condition->range->op, c.op) << c.text;
    EXPECT_EQ(condition->range->first, S("b"));
    EXPECT_FALSE(condition->range->second);
  }
}

TEST(KeyCondition, Between) {
  const auto condition = ParseKey("pk = :a AND sk BETWEEN :one AND :two", kNumeric);
  ASSERT_TRUE(condition);
  EXPECT_EQ(condition->range->op, Op::kBetween);
  EXPECT_EQ(condition->range->first, N("1"));
  EXPECT_EQ(condition->range->second, N("2"));
}

TEST(KeyCondition, EmptyPrefix) {
  const auto condition = ParseKey("pk = :a AND begins_with(sk, :empty)");
  ASSERT_TRUE(condition);
  EXPECT_EQ(condition->range->op, Op::kBeginsWith);
  EXPECT_EQ(condition->range->first, S(""));

  const auto strict = ParseKey("pk = :a AND begins_with(sk, :empty)", kComposite,
                               {.accept_empty_begins_with = false});
  ASSERT_FALSE(strict);
  EXPECT_EQ(strict.error().message(),
            "One or more parameter values are not valid. The AttributeValue for a key attribute "
            "cannot contain an empty string value. Key: sk");
}

TEST(KeyCondition, Errors) {
  const struct {
    std::string_view text;
    std::string_view message;
  } cases[] = {
      {"", "Invalid KeyConditionExpression: The expression can not be empty;"},
      {"pk = :a AND",
       R"~(Invalid KeyConditionExpression: Syntax error; token: "<EOF>", near: "AND")~"},
      {"pk = :gone",
       "Invalid KeyConditionExpression: An expression attribute value used in "
       "expression is not defined; attribute value: :gone"},
      {"key = :a",
       "Invalid KeyConditionExpression: Attribute name is a reserved keyword; reserved keyword: "
       "key"},
      {"pk = :a OR sk = :b", "Invalid operator used in KeyConditionExpression: OR"},
      {"NOT pk = :a", "Invalid operator used in KeyConditionExpression: NOT"},
      {"pk <> :a", "Invalid operator used in KeyConditionExpression: <>"},
      {"pk = :a AND sk IN (:b)", "Invalid operator used in KeyConditionExpression: IN"},
      {"pk = :a AND contains(sk, :b)", "Invalid operator used in KeyConditionExpression: contains"},
      {"pk = :a AND attribute_exists(sk)",
       "Invalid operator used in KeyConditionExpression: attribute_exists"},
      {"pk = :a AND size(sk) = :one", "Invalid operator used in KeyConditionExpression: size"},
      {"pk = :a AND pk = :b",
       "Invalid KeyConditionExpression: KeyConditionExpressions must only "
       "contain one condition per key"},
      {"pk = :a AND sk > :a AND #sk < :b",
       "Invalid KeyConditionExpression: KeyConditionExpressions must only contain one condition "
       "per key"},
      {"pk.x = :a",
       "Invalid KeyConditionExpression: KeyConditionExpressions cannot have "
       "conditions on nested attributes"},
      {"pk = :a AND sk[0] = :b",
       "Invalid KeyConditionExpression: KeyConditionExpressions cannot "
       "have conditions on nested attributes"},
      {"pk = sk",
       "Invalid condition in KeyConditionExpression: Multiple attribute names used in one "
       "condition"},
      {"pk = :a AND :a = :b",
       "Invalid condition in KeyConditionExpression: No key attribute specified"},
      {"pk = :a AND begins_with(:b, sk)",
       "Invalid condition in KeyConditionExpression: begins_with operator must have the key "
       "attribute as its first operand"},
      {"pk = :a AND :b BETWEEN sk AND :b",
       "Invalid condition in KeyConditionExpression: BETWEEN operator must have the key attribute "
       "as its first operand"},
      {"pk = :a AND sk BETWEEN :b AND :a",
       "Invalid KeyConditionExpression: The BETWEEN operator requires upper bound to be greater "
       "than or equal to lower bound; lower bound operand: AttributeValue: {S:b}, upper bound "
       "operand: AttributeValue: {S:a}"},
      {"sk = :b", "Query condition missed key schema element: pk"},
      {"pk = :a AND extra = :b", "Query condition missed key schema element: sk"},
      {"pk = :a AND #dot = :b", "Query condition missed key schema element: sk"},
      {"pk > :a", "Query key condition not supported"},
      {"begins_with(pk, :a)", "Query key condition not supported"},
      {"pk = :a AND sk = :b AND extra = :b", "Conditions can be of length 1 or 2 only"},
      {"pk = :one",
       "One or more parameter values were invalid: Condition parameter type does not "
       "match schema type"},
      {"pk = :a AND sk > :one",
       "One or more parameter values were invalid: Condition parameter "
       "type does not match schema type"},
      {"pk = :a AND sk = :bin",
       "One or more parameter values were invalid: Condition parameter "
       "type does not match schema type"},
      {"pk = :true",
       "One or more parameter values were invalid: Condition parameter type does "
       "not match schema type"},
      {"pk = :empty",
       "One or more parameter values are not valid. The AttributeValue for a key "
       "attribute cannot contain an empty string value. Key: pk"},
      {"pk = :a AND sk >= :empty",
       "One or more parameter values are not valid. The "
       "AttributeValue for a key attribute cannot contain an empty "
       "string value. Key: sk"},
      {"pk = :long2049",
       "One or more parameter values were invalid: Size of hashkey has exceeded "
       "the maximum size limit of2048 bytes"},
      {"pk = :a AND sk = :long1025",
       "One or more parameter values were invalid: Aggregated size "
       "of all range keys has exceeded the size limit of 1024 "
       "bytes"},
  };
  for (const auto& c : cases) EXPECT_EQ(KeyErrorOf(c.text), c.message) << c.text;
  EXPECT_EQ(KeyErrorOf("pk = :long2048 AND sk = :long1024"), "none");
}

TEST(KeyCondition, SecondConditionOnAHashOnlyTable) {
  EXPECT_EQ(KeyErrorOf("pk = :a AND sk = :b", kHashOnly), "Query key condition not supported");
}

TEST(KeyCondition, SeveralKeyAttributes) {
  const auto all = ParseKey("r2 = :one AND h2 = :two AND r1 = :a AND h1 = :b AND r3 > :a", kMulti);
  ASSERT_TRUE(all) << all.error().message();
  EXPECT_THAT(all->hash, ElementsAre(S("b"), N("2")));
  EXPECT_THAT(all->range_equal, ElementsAre(S("a"), N("1")));
  EXPECT_EQ(all->range->op, Op::kGreater);

  const auto hash = ParseKey("h1 = :a AND h2 = :one", kMulti);
  ASSERT_TRUE(hash);
  EXPECT_THAT(hash->range_equal, IsEmpty());

  const auto first = ParseKey("h1 = :a AND h2 = :one AND begins_with(r1, :a)", kMulti);
  ASSERT_TRUE(first);
  EXPECT_THAT(first->range_equal, IsEmpty());
  EXPECT_EQ(first->range->op, Op::kBeginsWith);
}

TEST(KeyCondition, SeveralKeyAttributesMustFollowTheirOrder) {
  const struct {
    std::string_view text;
    std::string_view message;
  } cases[] = {
      {"h1 = :a", "Query condition missed key schema element: h2"},
      {"h1 = :a AND h2 > :one", "Query key condition not supported"},
      {"h1 = :a AND h2 = :one AND r2 = :two", "Query condition missed key schema element: r1"},
      {"h1 = :a AND h2 = :one AND r1 = :a AND r3 = :b",
       "Query condition missed key schema element: r2"},
      {"h1 = :a AND h2 = :one AND r1 > :a AND r2 = :two", "Query key condition not supported"},
      {"h1 = :a AND h2 = :one AND r1 = :a AND r2 = :two AND r3 = :a AND x = :a",
       "Query key condition not supported"},
  };
  for (const auto& c : cases) EXPECT_EQ(KeyErrorOf(c.text, kMulti), c.message) << c.text;
}

TEST(KeyCondition, MarksWhatItUses) {
  Substitutions substitutions(Substitutions::Names{{"#pk", "pk"}},
                              Substitutions::Values{{":a", S("a")}});
  ASSERT_TRUE(ParseKeyCondition("#pk = :a", substitutions, kComposite));
  EXPECT_TRUE(substitutions.CheckAllUsed());
}

std::string LegacyError(const LegacyConditions& conditions) {
  const auto condition = KeyConditionFromLegacy(conditions, kComposite);
  return condition ? "none" : condition.error().message();
}

TEST(LegacyKeyCondition, Reads) {
  const auto condition =
      KeyConditionFromLegacy({{"pk", {ComparisonOperator::kEq, {S("a")}}},
                              {"sk", {ComparisonOperator::kBetween, {S("b"), S("c")}}}},
                             kComposite);
  ASSERT_TRUE(condition);
  EXPECT_THAT(condition->hash, ElementsAre(S("a")));
  EXPECT_EQ(condition->range->op, Op::kBetween);
  EXPECT_EQ(condition->range->second, S("c"));
}

TEST(LegacyKeyCondition, Errors) {
  const LegacyCondition equal{ComparisonOperator::kEq, {S("a")}};
  EXPECT_EQ(LegacyError({}), "Conditions can be of length 1 or 2 only");
  EXPECT_EQ(LegacyError({{"a", equal}, {"pk", equal}, {"sk", equal}}),
            "Conditions can be of length 1 or 2 only");
  EXPECT_EQ(LegacyError({{"sk", equal}}), "Query condition missed key schema element: pk");
  EXPECT_EQ(LegacyError({{"pk", {ComparisonOperator::kNe, {S("a")}}}}),
            "Attempted conditional constraint is not an indexable operation");
  EXPECT_EQ(LegacyError({{"pk", {ComparisonOperator::kLt, {S("a")}}}}),
            "Query key condition not supported");
  EXPECT_EQ(LegacyError({{"pk", {ComparisonOperator::kEq, {}}}}),
            "One or more parameter values were invalid: Invalid number of argument(s) for the EQ "
            "ComparisonOperator");
  EXPECT_EQ(LegacyError({{"pk", equal}, {"sk", {ComparisonOperator::kBetween, {S("b"), S("a")}}}}),
            "The BETWEEN condition was provided a range where the lower bound is greater than the "
            "upper bound");
  EXPECT_THAT(LegacyError({{"pk", {ComparisonOperator::kEq, {N("1")}}}}),
              StartsWith("One or more parameter values were invalid: Condition parameter type"));
}

}  // namespace
}  // namespace monotable::expression
