#include "item/value.h"

#include <gtest/gtest.h>

namespace monotable::item {
namespace {

TEST(ValueTest, MapsAreEqualWhateverTheOrder) {
  Map a;
  a.Set("x", Value("1"));
  a.Set("b", Value(*Number::Parse("2")));
  Map b;
  b.Set("b", Value(*Number::Parse("2.0")));
  b.Set("x", Value("1"));
  EXPECT_EQ(a, b);
  EXPECT_EQ(a.begin()->name, "b");
}

TEST(ValueTest, OfEqualNamesTheLaterWins) {
  Map::Attributes attributes;
  attributes.push_back({"b", Value("first")});
  attributes.push_back({"a", Value("other")});
  attributes.push_back({"b", Value("second")});
  attributes.push_back({"b", Value("third")});
  const Map map = Map::FromUnsorted(std::move(attributes));
  ASSERT_EQ(map.size(), 2);
  EXPECT_EQ(map.Find("b")->string(), "third");
  EXPECT_EQ(map.Find("a")->string(), "other");
}

TEST(ValueTest, SetAndRemoveKeepTheOrder) {
  Map map;
  for (const char* name : {"c", "a", "b"}) map.Set(name, Value(name));
  map.Set("b", Value(true));
  EXPECT_TRUE(map.Remove("a"));
  EXPECT_FALSE(map.Remove("a"));
  ASSERT_EQ(map.size(), 2);
  EXPECT_TRUE(map.Find("b")->boolean());
  EXPECT_EQ(map.Find("a"), nullptr);
}

TEST(ValueTest, TypesDoNotMix) {
  EXPECT_NE(Value("1"), Value(*Number::Parse("1")));
  EXPECT_NE(Value("a"), Value(Binary{"a"}));
  EXPECT_NE(Value(StringSet{{"a"}}), Value(List{Value("a")}));
  EXPECT_EQ(TypeName(Value(MakeNumberSet({*Number::Parse("1")})).type()), "NS");
}

TEST(ValueTest, SetsAreSortedAndUnique) {
  EXPECT_EQ(MakeNumberSet({*Number::Parse("10"), *Number::Parse("9"), *Number::Parse("9.0")}),
            (NumberSet{{*Number::Parse("9"), *Number::Parse("10")}}));
  EXPECT_EQ(MakeStringSet({"b", "a", "b"}), (StringSet{{"a", "b"}}));
}

TEST(SizeTest, CountsAsTheService) {
  EXPECT_EQ(SizeOf(Value("São Paulo")), 10);  // UTF-8 bytes
  EXPECT_EQ(SizeOf(Value(*Number::Parse("123"))), 3);
  EXPECT_EQ(SizeOf(Value(true)), 1);
  EXPECT_EQ(SizeOf(Value(Null{})), 1);
  EXPECT_EQ(SizeOf(Value(List{})), 3);
  EXPECT_EQ(SizeOf(Value(List{Value("ab"), Value(true)})), 3 + 2 + 2 + 1);
  Map map;
  map.Set("key", Value("v"));
  EXPECT_EQ(SizeOf(Value(map)), 3 + 1 + 3 + 1);
  EXPECT_EQ(SizeOf(map), 4);  // as an item: no overhead
  EXPECT_EQ(SizeOf(Value(MakeStringSet({"a", "bc"}))), 3);
}

TEST(SizeTest, DepthCountsContainers) {
  EXPECT_EQ(DepthOf(Value("x")), 0);
  Value nested = Value(List{});
  for (int i = 1; i < 32; ++i) nested = Value(List{nested});
  EXPECT_EQ(DepthOf(nested), 32);
}

}  // namespace
}  // namespace monotable::item
