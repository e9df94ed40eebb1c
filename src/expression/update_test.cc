#include "expression/update.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "expression/expression_values_for_tests.h"

namespace monotable::expression {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using namespace test;  // NOLINT: short names for values

Substitutions::Values UpdateValues() {
  return {
      {":one", N("1")},
      {":big", N("9.9E125")},
      {":text", S("text")},
      {":map", M({{"k", N("1")}})},
      {":list", L({S("p"), S("q")})},
      {":empty", L({})},
      {":ss", SS({"b", "c"})},
      {":ab", SS({"a", "b"})},
      {":ns", NS({"2", "3"})},
      {":bs", BS({"x"})},
      {":true", Bool(true)},
  };
}

item::Item UpdateSample() {
  return Item({
      {"n", N("5")},
      {"n2", N("7")},
      {"s", S("abc")},
      {"l", L({S("0"), S("1"), S("2"), S("3")})},
      {"m", M({{"n", N("1")}, {"l", L({N("0"), M({{"x", S("y")}})})}})},
      {"ss", SS({"a", "b"})},
      {"ns", NS({"1", "2"})},
  });
}

Result<item::Item> Apply(std::string_view text, const item::Item& old) {
  Substitutions substitutions(Substitutions::Names{{"#n", "n"}, {"#new", "new"}}, UpdateValues());
  TRY_ASSIGN(const BoundUpdate update, ParseUpdate(text, substitutions));
  return update.Apply(old);
}

std::string UpdateErrorOf(std::string_view text) {
  const Result<item::Item> result = Apply(text, UpdateSample());
  return result ? "none" : result.error().message();
}

// The sample with one top-level attribute changed.
item::Item With(std::string_view name, item::Value value) {
  item::Item item = UpdateSample();
  item.Set(name, std::move(value));
  return item;
}

void ExpectResult(std::string_view text, const item::Item& expected) {
  const Result<item::Item> result = Apply(text, UpdateSample());
  ASSERT_TRUE(result) << text << ": " << result.error().message();
  EXPECT_EQ(*result, expected) << text;
}

TEST(Update, Set) {
  ExpectResult("SET a = :one", With("a", N("1")));
  ExpectResult("set #new = :text", With("new", S("text")));
  ExpectResult("SET n = n + :one", With("n", N("6")));
  ExpectResult("SET n = :one - n", With("n", N("-4")));
  ExpectResult("SET n = (n + n2)", With("n", N("12")));
  ExpectResult("SET n = (n) - (n2)", With("n", N("-2")));
}

TEST(Update, SetReadsTheOldItem) {
  item::Item swapped = UpdateSample();
  swapped.Set("n", N("7"));
  swapped.Set("n2", N("5"));
  ExpectResult("SET n = n2, n2 = n", swapped);

  item::Item moved = UpdateSample();
  moved.Remove("s");
  moved.Set("a", S("abc"));
  ExpectResult("REMOVE s SET a = s", moved);
}

TEST(Update, IfNotExists) {
  ExpectResult("SET n = if_not_exists(n, :one)", UpdateSample());
  ExpectResult("SET a = if_not_exists(a, :one)", With("a", N("1")));
  ExpectResult("SET a = if_not_exists(a, :one) + :one", With("a", N("2")));
  ExpectResult("SET a = if_not_exists(b, if_not_exists(m.n, n))", With("a", N("1")));
  ExpectResult("SET a = list_append(if_not_exists(a, :empty), :list)",
               With("a", L({S("p"), S("q")})));
}

TEST(Update, ListAppend) {
  ExpectResult("SET l = list_append(l, :list)",
               With("l", L({S("0"), S("1"), S("2"), S("3"), S("p"), S("q")})));
  ExpectResult("SET l = list_append(:list, l)",
               With("l", L({S("p"), S("q"), S("0"), S("1"), S("2"), S("3")})));
}

TEST(Update, NestedPaths) {
  ExpectResult("SET m.n = m.n + :one",
               With("m", M({{"n", N("2")}, {"l", L({N("0"), M({{"x", S("y")}})})}})));
  ExpectResult("SET m.l[1].x = :text, m.z = :one REMOVE m.n",
               With("m", M({{"z", N("1")}, {"l", L({N("0"), M({{"x", S("text")}})})}})));
  ExpectResult(
      "ADD m.n :one, m.c :one",
      With("m", M({{"n", N("2")}, {"c", N("1")}, {"l", L({N("0"), M({{"x", S("y")}})})}})));
}

TEST(Update, ListElements) {
  ExpectResult("SET l[1] = :text", With("l", L({S("0"), S("text"), S("2"), S("3")})));
  // Behind the end is appended, in the order of the indexes.
  ExpectResult("SET l[99] = :one, l[7] = :text",
               With("l", L({S("0"), S("1"), S("2"), S("3"), S("text"), N("1")})));
  // All indexes are those of the old list.
  ExpectResult("REMOVE l[0], l[1], l[3]", With("l", L({S("2")})));
  ExpectResult("REMOVE l[0] SET l[1] = :text, l[4] = :one",
               With("l", L({S("text"), S("2"), S("3"), N("1")})));
  // An element that the update appends is not one that it removes.
  ExpectResult("REMOVE l[4] SET l[9] = :one",
               With("l", L({S("0"), S("1"), S("2"), S("3"), N("1")})));
  ExpectResult("REMOVE l[2], l[10]", With("l", L({S("0"), S("1"), S("3")})));
  ExpectResult("SET l[0] = l[3], l[3] = l[0]", With("l", L({S("3"), S("1"), S("2"), S("0")})));
}

TEST(Update, Remove) {
  item::Item expected = UpdateSample();
  expected.Remove("n");
  expected.Remove("s");
  ExpectResult("REMOVE n, s, gone", expected);
  ExpectResult("REMOVE m.gone", UpdateSample());
}

TEST(Update, Add) {
  ExpectResult("ADD n :one", With("n", N("6")));
  ExpectResult("ADD a :one", With("a", N("1")));
  ExpectResult("ADD ss :ss", With("ss", SS({"a", "b", "c"})));
  ExpectResult("ADD ns :ns", With("ns", NS({"1", "2", "3"})));
  ExpectResult("ADD a :bs", With("a", BS({"x"})));
}

TEST(Update, Delete) {
  ExpectResult("DELETE ss :ss", With("ss", SS({"a"})));
  ExpectResult("DELETE ns :ns", With("ns", NS({"1"})));
  ExpectResult("DELETE gone :ss", UpdateSample());
  item::Item emptied = UpdateSample();
  emptied.Remove("ss");
  ExpectResult("DELETE ss :ab", emptied);
}

TEST(Update, SectionsInAnyOrder) {
  item::Item expected = UpdateSample();
  expected.Remove("s");
  expected.Set("n", N("6"));
  expected.Set("ss", SS({"a"}));
  expected.Set("a", N("1"));
  ExpectResult("delete ss :ss add n :one remove s set a = :one", expected);
}

struct UpdateCase {
  std::string_view text;
  std::string_view message;
};

TEST(Update, ErrorsWithTheItem) {
  constexpr std::string_view kInvalidPath =
      "The document path provided in the update expression is invalid for update";
  constexpr std::string_view kMissing =
      "The provided expression refers to an attribute that does not exist in the item";
  constexpr std::string_view kWrongType =
      "An operand in the update expression has an incorrect data type";
  const UpdateCase cases[] = {
      {"SET gone.x = :one", kInvalidPath},
      {"SET s.x = :one", kInvalidPath},
      {"SET m[0] = :one", kInvalidPath},
      {"SET l.x = :one", kInvalidPath},
      {"SET l[4].x = :one, l[5] = :map", kInvalidPath},
      {"SET m.gone.x = :one", kInvalidPath},
      {"REMOVE gone.x", kInvalidPath},
      {"REMOVE l[9].x", kInvalidPath},
      {"ADD gone.x :one", kInvalidPath},
      {"SET a = gone", kMissing},
      {"SET a = gone + :one", kMissing},
      {"SET a = list_append(gone, :list)", kMissing},
      {"SET a = if_not_exists(b, gone)", kMissing},
      {"SET a = l[9]", kMissing},
      {"SET a = s + :one", kWrongType},
      {"SET a = list_append(s, :list)", kWrongType},
      {"ADD s :one", kWrongType},
      {"ADD ss :ns", kWrongType},
      {"ADD l :one", kWrongType},
      {"DELETE s :ss", kWrongType},
      {"DELETE ns :ss", kWrongType},
  };
  for (const UpdateCase& c : cases) EXPECT_EQ(UpdateErrorOf(c.text), c.message) << c.text;
}

TEST(Update, NumbersOverflow) {
  EXPECT_THAT(UpdateErrorOf("SET a = :big + :big"), HasSubstr("Number overflow"));
}

TEST(Update, ErrorsInTheText) {
  const UpdateCase cases[] = {
      {"", "The expression can not be empty;"},
      {"INVALID SYNTAX HERE", R"~(Syntax error; token: "INVALID", near: "INVALID SYNTAX")~"},
      {"SET", R"~(Syntax error; token: "<EOF>", near: "SET")~"},
      {"SET a", R"~(Syntax error; token: "<EOF>", near: "a")~"},
      {"SET a =", R"~(Syntax error; token: "<EOF>", near: "=")~"},
      {"SET a = :one,", R"~(Syntax error; token: "<EOF>", near: ",")~"},
      {"SET a = :one, SET b = :one", R"~(Syntax error; token: "SET", near: ", SET b")~"},
      {"SET a = :one + :one + :one", R"~(Syntax error; token: "+", near: ":one + :one")~"},
      {"SET a = (n + n2) + :one", R"~(Syntax error; token: "+", near: ") + :one")~"},
      {"SET a = :one * n", R"~(Syntax error; token: "*", near: ":one * n")~"},
      {"SET a = 5", R"~(Syntax error; token: "5", near: "= 5")~"},
      {"ADD hits : incr", R"~(Syntax error; token: ":", near: "hits : incr")~"},
      {"ADD a b", R"~(Syntax error; token: "b", near: "a b")~"},
      {"ADD a = :one", R"~(Syntax error; token: "=", near: "a = :one")~"},
      {"REMOVE a :one", R"~(Syntax error; token: ":one", near: "a :one")~"},
      {"SET delete = :one", R"~(Syntax error; token: "delete", near: "SET delete =")~"},
      {"SET a = if_not_exists(n, n + n2)", R"~(Syntax error; token: "+", near: "n + n2")~"},
      {"SET a = :one SET b = :one",
       R"(The "SET" section can only be used once in an update expression;)"},
      {"remove n remove s",
       R"(The "REMOVE" section can only be used once in an update expression;)"},
      {"SET status = :one", "Attribute name is a reserved keyword; reserved keyword: status"},
      {"SET a = foo(n)", "Invalid function name; function: foo"},
      {"SET a = size(n)", "The function is not allowed in an update expression; function: size"},
      {"SET a = list_append(l)",
       "Incorrect number of operands for operator or function; operator "
       "or function: list_append, number of operands: 1"},
      {"SET a = if_not_exists(:one, n)",
       "Operator or function requires a document path; operator or function: if_not_exists"},
      {"SET a = ((n))", "The expression has redundant parentheses;"},
      {"SET a = :gone",
       "An expression attribute value used in expression is not defined; attribute value: :gone"},
      {"REMOVE #gone",
       "An expression attribute name used in the document path is not defined; "
       "attribute name: #gone"},
      {"SET a = n + :text",
       "Incorrect operand type for operator or function; operator or "
       "function: +, operand type: S"},
      {"SET a = :true - n",
       "Incorrect operand type for operator or function; operator or "
       "function: -, operand type: BOOL"},
      {"SET a = list_append(l, :map)",
       "Incorrect operand type for operator or function; operator "
       "or function: list_append, operand type: M"},
      {"SET a = list_append(l, :list) + :one",
       "Incorrect operand type for operator or function; "
       "operator or function: +, operand type: L"},
      {"ADD a :text",
       "Incorrect operand type for operator or function; operator: ADD, operand "
       "type: STRING, typeSet: ALLOWED_FOR_ADD_OPERAND"},
      {"DELETE a :one",
       "Incorrect operand type for operator or function; operator: DELETE, "
       "operand type: NUMBER, typeSet: ALLOWED_FOR_DELETE_OPERAND"},
      {"DELETE a :list",
       "Incorrect operand type for operator or function; operator: DELETE, "
       "operand type: LIST, typeSet: ALLOWED_FOR_DELETE_OPERAND"},
      {"SET a = :one, a = n",
       "Two document paths overlap with each other; must remove or rewrite "
       "one of these paths; path one: [a], path two: [a]"},
      {"SET n = :one REMOVE #n",
       "Two document paths overlap with each other; must remove or "
       "rewrite one of these paths; path one: [n], path two: [n]"},
      {"SET a = :one, a.b = n",
       "Two document paths overlap with each other; must remove or "
       "rewrite one of these paths; path one: [a], path two: [a, b]"},
      {"SET a.b[1] = :one, c = :one REMOVE a",
       "Two document paths overlap with each other; must remove or rewrite one of these paths; "
       "path one: [a, b, [1]], path two: [a]"},
      {"SET a.b = :one, a[0] = n",
       "Two document paths conflict with each other; must remove or rewrite one of these paths; "
       "path one: [a, b], path two: [a, [0]]"},
  };
  for (const UpdateCase& c : cases) {
    EXPECT_EQ(UpdateErrorOf(c.text), "Invalid UpdateExpression: " + std::string(c.message))
        << c.text;
  }
}

TEST(Update, NestingIsBounded) {
  std::string functions = "SET a = ";
  for (int i = 0; i < 200; ++i) functions += "if_not_exists(a,";
  EXPECT_THAT(UpdateErrorOf(functions), HasSubstr("Syntax error"));
  EXPECT_THAT(UpdateErrorOf("SET a = " + std::string(4000, '(')),
              HasSubstr("Invalid UpdateExpression"));
}

TEST(Update, TellsWhatItTouches) {
  Substitutions substitutions(Substitutions::Names{{"#n", "n"}}, UpdateValues());
  const auto update = ParseUpdate(
      "SET #n = :one, m.x = :one, m.y = :one ADD c :one REMOVE l[1], l[3] DELETE ss :ss",
      substitutions);
  ASSERT_TRUE(update);
  EXPECT_THAT(update->TopLevelNames(), ElementsAre("n", "m", "m", "c", "l", "l", "ss"));
  EXPECT_EQ(update->write_actions(), 4u);
  EXPECT_EQ(update->clear_actions(), 3u);
}

TEST(Update, ProjectsUpdatedPaths) {
  Substitutions substitutions(std::nullopt, UpdateValues());
  const auto update =
      ParseUpdate("SET m.n = :one, a = :one, l[1] = :text REMOVE s, m.l[1].x", substitutions);
  ASSERT_TRUE(update);
  EXPECT_EQ(update->ProjectUpdated(UpdateSample()),
            Item({{"m", M({{"n", N("1")}, {"l", L({M({{"x", S("y")}})})}})},
                  {"l", L({S("1")})},
                  {"s", S("abc")}}));
  const auto updated = update->Apply(UpdateSample());
  ASSERT_TRUE(updated);
  EXPECT_EQ(update->ProjectUpdated(*updated),
            Item({{"m", M({{"n", N("1")}})}, {"a", N("1")}, {"l", L({S("text")})}}));
}

}  // namespace
}  // namespace monotable::expression
