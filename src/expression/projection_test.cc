#include "expression/projection.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "expression/expression_values_for_tests.h"

namespace monotable::expression {
namespace {

using testing::ElementsAre;
using namespace test;  // NOLINT: short names for values

item::Item ProjectedSample() {
  return Item({
      {"a", S("x")},
      {"b", N("1")},
      {"l", L({S("0"), S("1"), M({{"x", N("1")}, {"y", N("2")}, {"z", N("3")}})})},
      {"m", M({{"p", N("1")}, {"q", M({{"r", S("s")}, {"t", S("u")}})}})},
      {"a.b", S("dotted")},
  });
}

Result<item::Item> Project(std::string_view text) {
  Substitutions substitutions(Substitutions::Names{{"#a", "a"}, {"#dot", "a.b"}}, std::nullopt);
  TRY_ASSIGN(const BoundProjection projection, ParseProjection(text, substitutions));
  return projection.Apply(ProjectedSample());
}

TEST(Projection, Projects) {
  const struct {
    std::string_view text;
    item::Item expected;
  } cases[] = {
      {"a", Item({{"a", S("x")}})},
      {"b, #a", Item({{"a", S("x")}, {"b", N("1")}})},
      {"gone", Item({})},
      {"#dot", Item({{"a.b", S("dotted")}})},
      {"m.q.r", Item({{"m", M({{"q", M({{"r", S("s")}})}})}})},
      {"m.p, m.q.t", Item({{"m", M({{"p", N("1")}, {"q", M({{"t", S("u")}})}})}})},
      // Elements close up in ascending order.
      {"l[2], l[0]", Item({{"l", L({S("0"), M({{"x", N("1")}, {"y", N("2")}, {"z", N("3")}})})}})},
      {"l[1]", Item({{"l", L({S("1")})}})},
      {"l[9]", Item({})},
      // Two parts of one element merge.
      {"l[2].z, l[1], l[2].x", Item({{"l", L({S("1"), M({{"x", N("1")}, {"z", N("3")}})})}})},
      // Nothing found means nothing answered.
      {"m.gone, l[0].x, a.x, b[0]", Item({})},
      {"m.q.gone, b", Item({{"b", N("1")}})},
  };
  for (const auto& c : cases) {
    const Result<item::Item> result = Project(c.text);
    ASSERT_TRUE(result) << c.text << ": " << result.error().message();
    EXPECT_EQ(*result, c.expected) << c.text;
  }
}

TEST(Projection, Errors) {
  const struct {
    std::string_view text;
    std::string_view message;
  } cases[] = {
      {"", "The expression can not be empty;"},
      {"a,", R"~(Syntax error; token: "<EOF>", near: ",")~"},
      {"a b", R"~(Syntax error; token: "b", near: "a b")~"},
      {",a", R"~(Syntax error; token: ",", near: ",a")~"},
      {":a", R"~(Syntax error; token: ":a", near: ":a")~"},
      {"(a)", R"~(Syntax error; token: "(", near: "(a")~"},
      {"a[0", R"~(Syntax error; token: "<EOF>", near: "0")~"},
      {"name", "Attribute name is a reserved keyword; reserved keyword: name"},
      {"a.and", "Attribute name is a reserved keyword; reserved keyword: and"},
      {"#gone",
       "An expression attribute name used in the document path is not defined; attribute "
       "name: #gone"},
      {"a, #a",
       "Two document paths overlap with each other; must remove or rewrite one of these "
       "paths; path one: [a], path two: [a]"},
      {"m.p, b, m",
       "Two document paths overlap with each other; must remove or rewrite one of "
       "these paths; path one: [m, p], path two: [m]"},
      {"l, l[1].x",
       "Two document paths overlap with each other; must remove or rewrite one of "
       "these paths; path one: [l], path two: [l, [1], x]"},
      {"m.p, m[1]",
       "Two document paths conflict with each other; must remove or rewrite one of "
       "these paths; path one: [m, p], path two: [m, [1]]"},
  };
  for (const auto& c : cases) {
    const Result<item::Item> result = Project(c.text);
    ASSERT_FALSE(result) << c.text;
    EXPECT_EQ(result.error().message(), "Invalid ProjectionExpression: " + std::string(c.message));
  }
}

TEST(Projection, TopLevelNames) {
  Substitutions substitutions(Substitutions::Names{{"#dot", "a.b"}}, std::nullopt);
  const auto projection = ParseProjection("m.q, l[1], #dot, m.p", substitutions);
  ASSERT_TRUE(projection);
  EXPECT_THAT(projection->TopLevelNames(), ElementsAre("a.b", "l", "m"));
  EXPECT_TRUE(substitutions.CheckAllUsed());
}

TEST(Projection, OutlivesTheCache) {
  Substitutions substitutions;
  const auto projection = ParseProjection("a, m.q", substitutions);
  ASSERT_TRUE(projection);
  for (int i = 0; i < 1000; ++i) {
    ASSERT_TRUE(ParseProjection("x" + std::to_string(i), substitutions));
  }
  EXPECT_EQ(projection->Apply(ProjectedSample()).size(), 2u);
}

TEST(Projection, FromAttributesToGet) {
  const auto projection = ProjectionFromAttributesToGet({"a.b", "name", "b"});
  ASSERT_TRUE(projection);
  EXPECT_EQ(projection->Apply(ProjectedSample()), Item({{"a.b", S("dotted")}, {"b", N("1")}}));
  EXPECT_THAT(projection->TopLevelNames(), ElementsAre("a.b", "b", "name"));

  const auto duplicate = ProjectionFromAttributesToGet({"a", "b", "a"});
  ASSERT_FALSE(duplicate);
  EXPECT_EQ(duplicate.error().message(),
            "One or more parameter values were invalid: Duplicate value in attribute name: a");
}

}  // namespace
}  // namespace monotable::expression
