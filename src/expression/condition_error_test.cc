#include <string>
#include <string_view>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "expression/condition.h"
#include "expression/expression_values_for_tests.h"

// What is refused before any item is read, and how it is worded.
namespace monotable::expression {
namespace {

using testing::HasSubstr;
using namespace test;  // NOLINT: short names for values

// "true", "false" or the error's message.
std::string EvaluateOrError(std::string_view text, ConditionKind kind = ConditionKind::kCondition) {
  Substitutions substitutions(Substitutions::Names{{"#m", "m"}}, Substitutions::Values{
                                                                     {":one", N("1")},
                                                                     {":two", N("2")},
                                                                     {":a", S("a")},
                                                                     {":b", S("b")},
                                                                     {":true", Bool(true)},
                                                                     {":list", L({N("1")})},
                                                                     {":map", M({{"k", N("1")}})},
                                                                     {":ss", SS({"a"})},
                                                                     {":bad", S("X")},
                                                                 });
  const Result<BoundCondition> condition = ParseCondition(text, kind, substitutions);
  if (!condition) return condition.error().message();
  return condition->Evaluate(Item({{"n", N("1")}, {"s", S("abc")}})) ? "true" : "false";
}

struct ErrorCase {
  std::string_view text;
  std::string_view expected;
};

TEST(ConditionError, SyntaxErrors) {
  const ErrorCase cases[] = {
      {"", "The expression can not be empty;"},
      {" \n ", "The expression can not be empty;"},
      {"n", R"~(Syntax error; token: "<EOF>", near: "n")~"},
      {"n =", R"~(Syntax error; token: "<EOF>", near: "=")~"},
      {"n = :one AND", R"~(Syntax error; token: "<EOF>", near: "AND")~"},
      {"= :one", R"~(Syntax error; token: "=", near: "= :one")~"},
      {"n s = :one", R"~(Syntax error; token: "s", near: "n s =")~"},
      {"n = :one s", R"~(Syntax error; token: "s", near: ":one s")~"},
      {"n AND s = :one", R"~(Syntax error; token: "AND", near: "n AND s")~"},
      {"(n = :one", R"~(Syntax error; token: "<EOF>", near: ":one")~"},
      {"n = :one)", R"~(Syntax error; token: ")", near: ":one)")~"},
      {"n = :one = :two", R"~(Syntax error; token: "=", near: ":one = :two")~"},
      {"(n = :one) = :two", R"~(Syntax error; token: "=", near: ") = :two")~"},
      {"n == :one", R"~(Syntax error; token: "=", near: "== :one")~"},
      {"n = 5", R"~(Syntax error; token: "5", near: "= 5")~"},
      {"a-b = :one", R"~(Syntax error; token: "-", near: "a-b")~"},
      {"_id = :one", R"~(Syntax error; token: "_", near: "_id")~"},
      {"n = # AND", R"~(Syntax error; token: "#", near: "= # AND")~"},
      {"n = 'x'", R"~(Syntax error; token: "'", near: "= 'x")~"},
      {"n. = :one", R"~(Syntax error; token: "=", near: ". = :one")~"},
      {"n[x] = :one", R"~(Syntax error; token: "x", near: "[x]")~"},
      {"n[-1] = :one", R"~(Syntax error; token: "-", near: "[-1")~"},
      {"n[0 = :one", R"~(Syntax error; token: "=", near: "0 = :one")~"},
      {"n IN :one", R"~(Syntax error; token: ":one", near: "IN :one")~"},
      {"n IN ()", R"~(Syntax error; token: ")", near: "()")~"},
      {"n BETWEEN :one", R"~(Syntax error; token: "<EOF>", near: ":one")~"},
      {"n BETWEEN :one OR :two", R"~(Syntax error; token: "OR", near: ":one OR :two")~"},
      {"contains()", R"~(Syntax error; token: ")", near: "()")~"},
      {"and = :one", R"~(Syntax error; token: "and", near: "and =")~"},
      {"n = \xC3\xA4", "Syntax error; token: \"\xC3\xA4\", near: \"= \xC3\xA4\""},
      // A syntax error anywhere comes before everything else that is wrong.
      {"status = :gone AND foo(a) n", R"~(Syntax error; token: "n", near: ") n")~"},
  };
  for (const ErrorCase& c : cases) {
    EXPECT_EQ(EvaluateOrError(c.text), "Invalid ConditionExpression: " + std::string(c.expected))
        << c.text;
  }
}

TEST(ConditionError, Complaints) {
  const ErrorCase cases[] = {
      {"status = :one", "Attribute name is a reserved keyword; reserved keyword: status"},
      {"n.Size = :one", "Attribute name is a reserved keyword; reserved keyword: Size"},
      {"n = :gone",
       "An expression attribute value used in expression is not defined; attribute value: :gone"},
      {"#gone = :one",
       "An expression attribute name used in the document path is not defined; attribute name: "
       "#gone"},
      {"foo(n)", "Invalid function name; function: foo"},
      {"SIZE(n) = :one", "Invalid function name; function: SIZE"},
      {"if_not_exists(n, :one)",
       "The function is not allowed in a condition expression; function: if_not_exists"},
      {"size(n)",
       "The function is not allowed to be used this way in an expression; function: "
       "size"},
      {"NOT size(n)",
       "The function is not allowed to be used this way in an expression; "
       "function: size"},
      {"attribute_exists(n) = :true",
       "The function is not allowed to be used this way in an expression; function: "
       "attribute_exists"},
      {"contains(s, begins_with(s, :a))",
       "The function is not allowed to be used this way in an expression; function: begins_with"},
      {"size(s, n) = :one",
       "Incorrect number of operands for operator or function; operator or "
       "function: size, number of operands: 2"},
      {"attribute_exists(s, n)",
       "Incorrect number of operands for operator or function; operator "
       "or function: attribute_exists, number of operands: 2"},
      {"begins_with(s)",
       "Incorrect number of operands for operator or function; operator or "
       "function: begins_with, number of operands: 1"},
      {"attribute_exists(:one)",
       "Operator or function requires a document path; operator or "
       "function: attribute_exists"},
      {"attribute_not_exists(size(s))",
       "Operator or function requires a document path; operator "
       "or function: attribute_not_exists"},
      {"begins_with(s, :one)",
       "Incorrect operand type for operator or function; operator or "
       "function: begins_with, operand type: N"},
      {"begins_with(size(s), :a)",
       "Incorrect operand type for operator or function; operator or "
       "function: begins_with, operand type: N"},
      {"contains(:one, s)",
       "Incorrect operand type for operator or function; operator or "
       "function: contains, operand type: N"},
      {"size(:one) = n",
       "Incorrect operand type for operator or function; operator or function: "
       "size, operand type: N"},
      {"size(size(s)) = n",
       "Incorrect operand type for operator or function; operator or "
       "function: size, operand type: N"},
      {"n < :true",
       "Incorrect operand type for operator or function; operator or function: <, "
       "operand type: BOOL"},
      {":ss >= n",
       "Incorrect operand type for operator or function; operator or function: >=, "
       "operand type: SS"},
      {"n BETWEEN :map AND :list",
       "Incorrect operand type for operator or function; operator or "
       "function: BETWEEN, operand type: M"},
      {"n BETWEEN :one AND :a",
       "The BETWEEN operator requires same data type for lower and upper bounds; lower bound "
       "operand: AttributeValue: {N:1}, upper bound operand: AttributeValue: {S:a}"},
      {"s BETWEEN :b AND :a",
       "The BETWEEN operator requires upper bound to be greater than or equal to lower bound; "
       "lower bound operand: AttributeValue: {S:b}, upper bound operand: AttributeValue: {S:a}"},
      {"attribute_type(s, :one)",
       "Incorrect operand type for operator or function; operator or "
       "function: attribute_type, operand type: N"},
      {"attribute_type(s, :bad)",
       "Invalid attribute type name found; type: X, valid types: "
       "{B,NULL,SS,BOOL,L,BS,N,NS,S,M}"},
      {"n = n",
       "The first operand must be distinct from the remaining operands for this operator "
       "or function; operator: =, first operand: [n]"},
      {"contains(m.k[1], #m.k[1])",
       "The first operand must be distinct from the remaining operands for this operator or "
       "function; operator: contains, first operand: [m, k, [1]]"},
      {"n IN (:one, n)",
       "The first operand must be distinct from the remaining operands for this "
       "operator or function; operator: IN, first operand: [n]"},
      {"((n = :one))", "The expression has redundant parentheses;"},
      {"NOT ((n = :one) AND ((n = :two)))", "The expression has redundant parentheses;"},
      {"((n)) = :one", "The expression has redundant parentheses;"},
      {"l[4294967296] = :one", "List index is not within the allowable range; index: [4294967296]"},
  };
  for (const ErrorCase& c : cases) {
    EXPECT_EQ(EvaluateOrError(c.text), "Invalid ConditionExpression: " + std::string(c.expected))
        << c.text;
  }
}

TEST(ConditionError, NamesItsParameter) {
  EXPECT_EQ(EvaluateOrError("n", ConditionKind::kFilter),
            R"(Invalid FilterExpression: Syntax error; token: "<EOF>", near: "n")");
  // A tree from the cache complains in the name of the parameter it is used for now.
  EXPECT_EQ(EvaluateOrError("begins_with(s, :one)", ConditionKind::kCondition).substr(0, 28),
            "Invalid ConditionExpression:");
  EXPECT_EQ(EvaluateOrError("begins_with(s, :one)", ConditionKind::kFilter).substr(0, 25),
            "Invalid FilterExpression:");
}

std::string Repeat(std::string_view text, size_t times, std::string_view separator = "") {
  std::string repeated;
  for (size_t i = 0; i < times; ++i) {
    if (i > 0) repeated += separator;
    repeated += text;
  }
  return repeated;
}

TEST(ConditionError, Limits) {
  std::string text = "n = :one";
  text.append(4096 - text.size(), ' ');
  EXPECT_EQ(EvaluateOrError(text), "true");
  EXPECT_EQ(EvaluateOrError(text + " "),
            "Invalid ConditionExpression: Expression size has exceeded the maximum allowed size; "
            "expression size: 4097");

  EXPECT_EQ(EvaluateOrError("n IN (" + Repeat(":two", 100, ",") + ")"), "false");
  EXPECT_EQ(EvaluateOrError("n IN (" + Repeat(":two", 101, ",") + ")"),
            "Invalid ConditionExpression: The IN operator is provided with too many operands; "
            "number of operands: 101");

  // 150 comparisons and 149 ANDs.
  EXPECT_EQ(EvaluateOrError(Repeat("n=:one", 150, " AND ")), "true");
  EXPECT_EQ(EvaluateOrError(Repeat("n=:one", 151, " AND ")),
            "Invalid ConditionExpression: The expression contains too many operators; operator "
            "count: 301");

  EXPECT_EQ(EvaluateOrError("attribute_exists(a" + Repeat(".a", 31) + ")"), "false");
  EXPECT_EQ(EvaluateOrError("attribute_exists(a" + Repeat(".a", 32) + ")"),
            "Invalid ConditionExpression: The document path has too many nesting elements; "
            "nesting levels: 33");
}

TEST(ConditionError, NestingIsBounded) {
  EXPECT_EQ(EvaluateOrError(Repeat("NOT(", 298) + "n=:one" + Repeat(")", 298)), "true");
  EXPECT_THAT(EvaluateOrError(Repeat("(", 4096)), HasSubstr("Invalid ConditionExpression: "));
  EXPECT_THAT(EvaluateOrError(Repeat("NOT ", 1024)), HasSubstr("too many operators"));
  EXPECT_THAT(EvaluateOrError(Repeat("f(", 2048)), HasSubstr("too many operators"));
  EXPECT_THAT(EvaluateOrError(Repeat("a IN(", 800)), HasSubstr("Syntax error"));
  EXPECT_THAT(EvaluateOrError(Repeat("n[0]", 1024)), HasSubstr("Syntax error"));
}

}  // namespace
}  // namespace monotable::expression
