#include <array>
#include <random>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "expression/condition.h"
#include "expression/expression_values_for_tests.h"
#include "expression/key_condition.h"
#include "expression/projection.h"
#include "expression/update.h"

// The parsers must cope with whatever a client sends. Words of the language in random order get
// deeper into the parsers than random bytes do, so the tests try both.
namespace monotable::expression {
namespace {

using namespace test;  // NOLINT: short names for values

constexpr uint32_t kSeed = 20120810;
constexpr int kTexts = 20000;

constexpr std::array<std::string_view, 44> kWords = {"a",
                                                     "b",
                                                     "a.b",
                                                     "a[0]",
                                                     "#n",
                                                     ":s",
                                                     ":n",
                                                     ":l",
                                                     ":ss",
                                                     "=",
                                                     "<>",
                                                     "<",
                                                     ">=",
                                                     "+",
                                                     "-",
                                                     "(",
                                                     ")",
                                                     "(",
                                                     ")",
                                                     ",",
                                                     ",",
                                                     ".",
                                                     "[1]",
                                                     "AND",
                                                     "OR",
                                                     "NOT",
                                                     "IN",
                                                     "BETWEEN",
                                                     "SET",
                                                     "REMOVE",
                                                     "ADD",
                                                     "DELETE",
                                                     "size(",
                                                     "contains(",
                                                     "begins_with(",
                                                     "status",
                                                     "if_not_exists(",
                                                     "list_append(",
                                                     "attribute_exists(",
                                                     "attribute_type(",
                                                     "foo(",
                                                     "\xC3\xA4",
                                                     "_",
                                                     "7"};

item::Item RobustSample() {
  return Item({{"a", M({{"b", N("1")}})}, {"b", S("x")}, {"n", L({N("1"), S("y")})}});
}

void TryEverything(std::string_view text) {
  Substitutions substitutions(
      Substitutions::Names{{"#n", "n"}},
      Substitutions::Values{
          {":s", S("x")}, {":n", N("1")}, {":l", L({N("2")})}, {":ss", SS({"x"})}});
  const item::Item item = RobustSample();
  const auto condition = ParseCondition(text, ConditionKind::kCondition, substitutions);
  if (condition) condition->Evaluate(item);
  const auto update = ParseUpdate(text, substitutions);
  if (update) {
    const auto updated = update->Apply(item);
    if (updated) update->ProjectUpdated(*updated);
  }
  const auto projection = ParseProjection(text, substitutions);
  if (projection) {
    EXPECT_LE(projection->Apply(item).size(), item.size());
  }
  const table::KeySchema schema{{{"a", item::Type::kString}}, {{"b", item::Type::kString}}};
  const auto key = ParseKeyCondition(text, substitutions, schema);
  if (key) {
    EXPECT_EQ(key->hash.size(), 1u);
  }
}

TEST(Robustness, RandomWords) {
  SCOPED_TRACE("seed " + std::to_string(kSeed));
  std::mt19937 random(kSeed);
  for (int i = 0; i < kTexts; ++i) {
    std::string text;
    for (auto words = random() % 24; words > 0; --words) {
      text += kWords[random() % kWords.size()];
      if (random() % 4 > 0) text += ' ';
    }
    TryEverything(text);
  }
}

TEST(Robustness, RandomBytes) {
  SCOPED_TRACE("seed " + std::to_string(kSeed));
  std::mt19937 random(kSeed);
  for (int i = 0; i < kTexts; ++i) {
    std::string text(random() % 64, '\0');
    for (char& c : text) c = static_cast<char>(random());
    TryEverything(text);
  }
}

TEST(Robustness, LongestTexts) {
  for (const std::string_view word : kWords) {
    std::string text;
    while (text.size() + word.size() + 1 <= 4096) text.append(word).append(" ");
    TryEverything(text);
    TryEverything("SET a = " + text.substr(8));
    TryEverything("a = :n AND " + text.substr(11));
  }
}

}  // namespace
}  // namespace monotable::expression
