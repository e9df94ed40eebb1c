#include <chrono>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "expression/comparison.h"
#include "expression/condition.h"
#include "expression/expression_values_for_tests.h"
#include "expression/projection.h"
#include "expression/update.h"
#include "work/meter.h"

// What expressions cost: they look at each byte of their operands about once, and say so before.
namespace monotable::expression {
namespace {

using namespace test;  // NOLINT: short names for values

constexpr size_t kPlenty = size_t{1} << 40;

// The condition, repeated with a conjunction between.
std::string Repeated(const std::string& condition, const std::string& conjunction, int times) {
  std::string text = condition;
  for (int i = 1; i < times; ++i) text += conjunction + condition;
  return text;
}

struct Evaluated {
  bool holds = false;
  bool stopped = false;
  uint64_t units = 0;
};

Evaluated EvaluateMetered(const std::string& text, const Substitutions::Values& values,
                          const item::Item& item, size_t units = kPlenty) {
  Substitutions substitutions(std::nullopt, values);
  const auto condition = ParseCondition(text, ConditionKind::kCondition, substitutions);
  EXPECT_TRUE(condition) << condition.error().message();
  if (!condition) return {};
  const work::Meter meter(units);
  Evaluated result;
  result.holds = condition->Evaluate(item);
  result.stopped = meter.stopped();
  result.units = meter.used();
  return result;
}

// Texts on which a naive search begins a long comparison at every place.
TEST(WorkTest, ContainsTakesTimeInProportion) {
  const std::string text = std::string(270'000, 'a') + "b";
  const std::string part = std::string(130'000, 'a') + "b";
  const item::Item item = Item({{"s", S(text)}, {"b", B(text)}});
  const auto begin = std::chrono::steady_clock::now();
  const Substitutions::Values values = {{":p", S(part)}, {":q", B(part)}};
  const std::string late = "contains(s, :p) AND contains(b, :q)";
  for (int i = 0; i < 20; ++i) EXPECT_TRUE(EvaluateMetered(late, values, item).holds);
  const std::string never = std::string(65'000, 'a') + "b" + std::string(65'000, 'a');
  for (int i = 0; i < 20; ++i) {
    EXPECT_FALSE(EvaluateMetered("contains(s, :p)", {{":p", S(never)}}, item).holds);
  }
  // Takes 50 ms; a naive search takes minutes.
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(10));
}

// The search of the C library against the obvious one.
TEST(WorkTest, ContainsFindsWhatAPlainSearchFinds) {
  const uint32_t seed = std::random_device()();
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  std::minstd_rand random(seed);
  const auto text_of = [&](size_t size) {
    std::string text(size, 'a');
    for (char& c : text) c = static_cast<char>('a' + random() % 2);
    return text;
  };
  for (int i = 0; i < 3000; ++i) {
    std::string text = text_of(random() % 700);
    std::string part = text_of(random() % 12);
    if (random() % 2 == 0 && !text.empty()) part = text.substr(random() % text.size());
    if (random() % 4 == 0 && !part.empty()) part.back() = 'c';
    EXPECT_EQ(Contains(S(text), S(part)), text.find(part) != std::string::npos) << text << part;
    EXPECT_EQ(Contains(B(text), B(part)), text.find(part) != std::string::npos) << text << part;
  }
}

TEST(WorkTest, ConditionsChargeForWhatTheyLookAt) {
  const std::string text(100'000, 'x');
  const item::Item item = Item({
      {"s", S(text)},
      {"t", S(text + "y")},
      {"l", L(item::List(1000, S(std::string(100, 'x'))))},
      {"m", M({{"nested_text", S(text)}})},
      {"ss", SS({text, "y"})},
  });
  struct Case {
    std::string condition;
    item::Value value;
    uint64_t least;
    uint64_t most;
  };
  const std::string near = text.substr(1) + "z";
  const std::vector<Case> cases = {
      {"s = :v", S(text), 100'000, 101'000},
      {"s = :v", S("short"), 1, 1000},
      {"s = :v", N("1"), 1, 1000},
      {"s < :v", S(near), 100'000, 101'000},
      {"s IN (t, :v)", S(near), 100'000, 101'000},
      {"begins_with(t, :v)", S(near), 100'000, 101'000},
      {"contains(s, :v)", S("y"), 100'000, 210'000},
      {"contains(l, :v)", S(std::string(99, 'x') + "z"), 100'000, 130'000},
      {"contains(ss, :v)", S(near), 100'000, 500'000},
      {"size(s) < :v", N("1"), 100'000, 101'000},
      {"m = :v", M({{"nested_text", S(near)}}), 100'000, 101'000},
      {"m.nested_text = :v", S(near), 100'000, 101'000},
      {"ss = :v", SS({text, "z"}), 100'000, 101'000},
      {"attribute_exists(s) OR s = :v", S(text), 1, 1000},
  };
  for (const Case& one : cases) {
    const uint64_t units = EvaluateMetered(one.condition, {{":v", one.value}}, item).units;
    EXPECT_GE(units, one.least) << one.condition;
    EXPECT_LE(units, one.most) << one.condition;
  }
  // Twice as much of the same costs twice as much.
  const std::string equal = "s = :s";
  EXPECT_EQ(EvaluateMetered(Repeated(equal, " AND ", 100), {{":s", S(text)}}, item).units,
            50 * EvaluateMetered(Repeated(equal, " AND ", 2), {{":s", S(text)}}, item).units);
}

TEST(WorkTest, AConditionStopsInTheMiddle) {
  const item::Item item = Item({{"s", S(std::string(100'000, 'x'))}});
  const Substitutions::Values values = {{":p", S("y")}};
  const std::string condition = Repeated("contains(s, :p)", " OR ", 150);
  const Evaluated whole = EvaluateMetered(condition, values, item);
  EXPECT_FALSE(whole.stopped);
  EXPECT_GE(whole.units, 150 * 100'000);
  const Evaluated part = EvaluateMetered(condition, values, item, 1'000'000);
  EXPECT_TRUE(part.stopped);
  // Past the limit only announcements of work are counted, not work.
  EXPECT_FALSE(part.holds);
}

TEST(WorkTest, DeepEqualityIsThatOfValues) {
  const std::vector<item::Value> values = {
      S("a"),
      S("b"),
      S(""),
      B("a"),
      N("1"),
      N("1.0"),
      N("2"),
      Bool(true),
      Bool(false),
      Null(),
      L({}),
      L({S("a")}),
      L({S("a"), N("1")}),
      L({S("a"), N("2")}),
      M({}),
      M({{"k", N("1")}}),
      M({{"k", N("2")}}),
      M({{"j", N("1")}}),
      M({{"k", L({M({{"x", SS({"p", "q"})}})})}}),
      M({{"k", L({M({{"x", SS({"p", "r"})}})})}}),
      SS({"a"}),
      SS({"a", "b"}),
      BS({"a"}),
      NS({"1", "2"}),
      NS({"1", "3"}),
  };
  for (const item::Value& a : values) {
    for (const item::Value& b : values) EXPECT_EQ(Equal(a, b), a == b);
  }
}

Result<item::Item> UpdateMetered(const std::string& text, const Substitutions::Values& values,
                                 const item::Item& item, uint64_t* units) {
  Substitutions substitutions(std::nullopt, values.empty() ? std::nullopt : std::optional(values));
  const auto update = ParseUpdate(text, substitutions);
  if (!update) return update.error();
  const work::Meter meter(kPlenty);
  auto updated = update->Apply(item);
  *units = meter.used();
  return updated;
}

item::Value ManyMembers(int count) {
  item::Map::Attributes attributes;
  for (int i = 0; i < count; ++i) attributes.push_back({"k" + std::to_string(i), N("1")});
  return item::Value(item::Map::FromUnsorted(std::move(attributes)));
}

// Many values set in one large map, and many elements removed from a large list, which move the
// other members once and not once for each.
TEST(WorkTest, ManyActionsOnOneContainer) {
  const item::Item item = Item({{"m", ManyMembers(5'000)}, {"l", L(item::List(5'000, N("1")))}});
  std::string text = "SET ";
  for (int i = 0; i < 150; ++i) text += (i > 0 ? ", m.a" : "m.a") + std::to_string(i) + " = :n";
  text += " REMOVE ";
  for (int i = 0; i < 150; ++i) text += (i > 0 ? ", l[" : "l[") + std::to_string(i * 2) + "]";
  for (int i = 0; i < 50; ++i) text += ", m.k" + std::to_string(i);
  uint64_t units = 0;
  const auto updated = UpdateMetered(text, {{":n", N("2")}}, item, &units);
  ASSERT_TRUE(updated) << updated.error().message();
  EXPECT_EQ(updated->Find("m")->map().size(), 5'000 + 150 - 50);
  EXPECT_EQ(updated->Find("m")->map().Find("k10"), nullptr);
  EXPECT_EQ(*updated->Find("m")->map().Find("a149"), N("2"));
  EXPECT_EQ(updated->Find("l")->list().size(), 5'000 - 150);
  EXPECT_LT(units, 50'000);
}

// The old value is copied into hundreds of attributes: far more than an item can hold. The update
// is refused as always, without making all the copies.
TEST(WorkTest, UpdatesStopCopyingWhatCannotBeStored) {
  const item::Item item =
      Item({{"big", L(item::List(300, S(std::string(1000, 'x'))))}, {"s", S("x")}});
  constexpr std::string_view kTooLarge =
      "Item size to update has exceeded the maximum allowed size";
  std::string copies = "SET a = big";
  for (int i = 0; i < 250; ++i) copies += ", a" + std::to_string(i) + " = big";
  uint64_t units = 0;
  auto updated = UpdateMetered(copies, {}, item, &units);
  ASSERT_FALSE(updated);
  EXPECT_EQ(updated.error().message(), kTooLarge);
  EXPECT_LT(units, 2'000'000);

  std::string list = "big";
  for (int i = 0; i < 100; ++i) list = "list_append(" + list + ", big)";
  updated = UpdateMetered("SET a = " + list, {}, item, &units);
  ASSERT_FALSE(updated);
  EXPECT_EQ(updated.error().message(), kTooLarge);
  EXPECT_LT(units, 2'000'000);

  // Other mistakes go first, as they do when nothing is too large.
  updated = UpdateMetered(copies + ", wrong = list_append(big, s)", {}, item, &units);
  ASSERT_FALSE(updated);
  EXPECT_EQ(updated.error().message(),
            "An operand in the update expression has an incorrect data type");
}

TEST(WorkTest, ProjectionsChargeForWhatTheyCopy) {
  const item::Item item =
      Item({{"big", S(std::string(100'000, 'x'))}, {"small", S("x")}, {"m", ManyMembers(1000)}});
  const auto units = [&](const std::string& text) {
    Substitutions substitutions;
    const auto projection = ParseProjection(text, substitutions);
    const work::Meter meter(kPlenty);
    static_cast<void>(projection->Apply(item));
    return meter.used();
  };
  EXPECT_GE(units("big, small"), 100'000);
  EXPECT_LT(units("small, m.k1, m.k2"), 1000);
}

}  // namespace
}  // namespace monotable::expression
