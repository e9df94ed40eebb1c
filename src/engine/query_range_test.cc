#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "encoding/keyspace.h"
#include "engine/read.h"

namespace monotable::engine {
namespace {

using expression::KeyCondition;
using expression::RangeBound;
using item::Type;
using item::Value;

Value NumberOf(const char* text) {
  return Value(*item::Number::Parse(text));
}

Value B(std::string bytes) {
  return Value(item::Binary{std::move(bytes)});
}

table::TableDefinition TableWithRange(Type type) {
  table::TableDefinition table;
  table.id = 7;
  table.key.hash = {{"p", Type::kString}};
  table.key.range = {{"s", type}};
  return table;
}

// Which of some sort key values of partition "x" lie in the range of a condition.
std::vector<size_t> Matches(const std::vector<Value>& sort_keys, RangeBound bound) {
  const auto table = TableWithRange(sort_keys.front().type());
  const KeyCondition condition = {.hash = {Value("x")}, .range_equal = {}, .range = bound};
  const QueryRange query = RangeOf(table, nullptr, condition);
  std::vector<size_t> matches;
  for (size_t i = 0; i < sort_keys.size(); ++i) {
    item::Item item;
    item.Set("p", Value("x"));
    item.Set("s", sort_keys[i]);
    const std::string key = encoding::ItemKey(table, item);
    EXPECT_TRUE(key.starts_with(query.partition));
    if (key >= query.range.begin && key < query.range.end) matches.push_back(i);
  }
  return matches;
}

using Indexes = std::vector<size_t>;
using Op = RangeBound::Op;

TEST(KeyRange, NumbersByValueWithNegatives) {
  const std::vector<Value> keys = {
      NumberOf("-1000"), NumberOf("-10.5"), NumberOf("-10"), NumberOf("-0.001"), NumberOf("0"),
      NumberOf("0.001"), NumberOf("9"),     NumberOf("10"),  NumberOf("10.5"),   NumberOf("1E+20")};
  EXPECT_EQ(Matches(keys, {Op::kLess, NumberOf("-10"), {}}), (Indexes{0, 1}));
  EXPECT_EQ(Matches(keys, {Op::kLessEqual, NumberOf("-10"), {}}), (Indexes{0, 1, 2}));
  EXPECT_EQ(Matches(keys, {Op::kGreater, NumberOf("-10"), {}}), (Indexes{3, 4, 5, 6, 7, 8, 9}));
  EXPECT_EQ(Matches(keys, {Op::kGreaterEqual, NumberOf("-10"), {}}),
            (Indexes{2, 3, 4, 5, 6, 7, 8, 9}));
  EXPECT_EQ(Matches(keys, {Op::kLess, NumberOf("0"), {}}), (Indexes{0, 1, 2, 3}));
  EXPECT_EQ(Matches(keys, {Op::kLessEqual, NumberOf("0"), {}}), (Indexes{0, 1, 2, 3, 4}));
  EXPECT_EQ(Matches(keys, {Op::kGreater, NumberOf("0"), {}}), (Indexes{5, 6, 7, 8, 9}));
  EXPECT_EQ(Matches(keys, {Op::kGreaterEqual, NumberOf("10"), {}}), (Indexes{7, 8, 9}));
  EXPECT_EQ(Matches(keys, {Op::kGreater, NumberOf("10"), {}}), (Indexes{8, 9}));
  EXPECT_EQ(Matches(keys, {Op::kBetween, NumberOf("-10.5"), NumberOf("9")}),
            (Indexes{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(Matches(keys, {Op::kBetween, NumberOf("10"), NumberOf("10")}), (Indexes{7}));
}

TEST(KeyRange, TextWherePrefixesSortFirst) {
  const std::vector<Value> keys = {Value("a"),     Value(std::string("a\0", 2)),
                                   Value("a\x01"), Value("aa"),
                                   Value("ab"),    Value("b")};
  EXPECT_EQ(Matches(keys, {Op::kLess, Value("aa"), {}}), (Indexes{0, 1, 2}));
  EXPECT_EQ(Matches(keys, {Op::kLessEqual, Value("a"), {}}), (Indexes{0}));
  EXPECT_EQ(Matches(keys, {Op::kGreater, Value("a"), {}}), (Indexes{1, 2, 3, 4, 5}));
  EXPECT_EQ(Matches(keys, {Op::kBetween, Value("a"), Value("ab")}), (Indexes{0, 1, 2, 3, 4}));
  EXPECT_EQ(Matches(keys, {Op::kBeginsWith, Value("a"), {}}), (Indexes{0, 1, 2, 3, 4}));
  EXPECT_EQ(Matches(keys, {Op::kBeginsWith, Value(std::string("a\0", 2)), {}}), (Indexes{1}));
  EXPECT_EQ(Matches(keys, {Op::kBeginsWith, Value("ab"), {}}), (Indexes{4}));
  EXPECT_EQ(Matches(keys, {Op::kBeginsWith, Value(""), {}}), (Indexes{0, 1, 2, 3, 4, 5}));
}

TEST(KeyRange, BeginsWithHighBytes) {
  const std::vector<Value> keys = {
      B(std::string("\0", 1)), B("\xFE"),         B("\xFE\xFF"),     B("\xFF"),
      B("\xFF\xFF"),           B("\xFF\xFF\x01"), B("\xFF\xFF\xFF"), B("\xFF\xFF\xFFz")};
  EXPECT_EQ(Matches(keys, {Op::kBeginsWith, B("\xFE"), {}}), (Indexes{1, 2}));
  EXPECT_EQ(Matches(keys, {Op::kBeginsWith, B("\xFF"), {}}), (Indexes{3, 4, 5, 6, 7}));
  EXPECT_EQ(Matches(keys, {Op::kBeginsWith, B("\xFF\xFF"), {}}), (Indexes{4, 5, 6, 7}));
  EXPECT_EQ(Matches(keys, {Op::kBeginsWith, B("\xFF\xFF\xFF"), {}}), (Indexes{6, 7}));
  EXPECT_EQ(Matches(keys, {Op::kGreater, B("\xFF"), {}}), (Indexes{4, 5, 6, 7}));
  EXPECT_EQ(Matches(keys, {Op::kBeginsWith, B(std::string("\0", 1)), {}}), (Indexes{0}));
}

// A partition never runs into another one, whatever its range condition.
TEST(KeyRange, StaysWithinItsPartition) {
  const auto table = TableWithRange(Type::kString);
  const KeyCondition whole = {.hash = {Value("x")}, .range_equal = {}, .range = {}};
  const QueryRange query = RangeOf(table, nullptr, whole);
  for (const char* other : {"w", "y", "xx", "x\x01"}) {
    item::Item item;
    item.Set("p", Value(other));
    item.Set("s", Value("a"));
    const std::string key = encoding::ItemKey(table, item);
    EXPECT_FALSE(key >= query.range.begin && key < query.range.end) << other;
  }
}

// Leading range attributes by equality, the next one by an inequality.
TEST(KeyRange, SeveralRangeAttributes) {
  table::TableDefinition table;
  table.id = 7;
  table.key.hash = {{"p", Type::kString}};
  table::IndexDefinition index;
  index.id = 3;
  index.key.hash = {{"h1", Type::kString}, {"h2", Type::kNumber}};
  index.key.range = {{"r1", Type::kString}, {"r2", Type::kNumber}, {"r3", Type::kString}};

  const auto key = [&](const char* r1, const char* r2, const char* r3) {
    item::Item item;
    item.Set("p", Value("k"));
    item.Set("h1", Value("a"));
    item.Set("h2", NumberOf("1"));
    item.Set("r1", Value(r1));
    item.Set("r2", NumberOf(r2));
    item.Set("r3", Value(r3));
    return *encoding::IndexKey(table, index, item);
  };
  const auto in = [](const QueryRange& query, const std::string& stored) {
    return stored >= query.range.begin && stored < query.range.end;
  };

  const QueryRange bounded = RangeOf(table, &index,
                                     {.hash = {Value("a"), NumberOf("1")},
                                      .range_equal = {Value("m")},
                                      .range = RangeBound{Op::kGreaterEqual, NumberOf("-2"), {}}});
  EXPECT_TRUE(in(bounded, key("m", "-2", "z")));
  EXPECT_TRUE(in(bounded, key("m", "5", "a")));
  EXPECT_FALSE(in(bounded, key("m", "-3", "z")));
  EXPECT_FALSE(in(bounded, key("ma", "5", "a")));

  const QueryRange equal = RangeOf(table, &index,
                                   {.hash = {Value("a"), NumberOf("1")},
                                    .range_equal = {Value("m"), NumberOf("5"), Value("a")},
                                    .range = {}});
  EXPECT_TRUE(in(equal, key("m", "5", "a")));
  EXPECT_FALSE(in(equal, key("m", "5", "aa")));
}

}  // namespace
}  // namespace monotable::engine
