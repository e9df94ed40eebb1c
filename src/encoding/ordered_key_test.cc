#include "encoding/ordered_key.h"

#include <random>
#include <set>

#include <gtest/gtest.h>

namespace monotable::encoding {
namespace {

using item::Value;

std::string Component(const Value& value) {
  std::string out;
  AppendKeyComponent(value, &out);
  return out;
}

Value NumberValue(std::string_view text) {
  return Value(*item::Number::Parse(text));
}

TEST(KeyTest, StringsSortByTheirBytes) {
  const std::string ascending[] = {"",
                                   std::string("\0", 1),
                                   std::string("\0\0", 2),
                                   std::string("\0\xFF", 2),
                                   "A",
                                   "Z",
                                   "a",
                                   std::string("a\0b", 3),
                                   "ab",
                                   "Álvaro",
                                   "\xFF",
                                   "\xFF\xFF"};
  for (size_t i = 0; i < std::size(ascending); ++i) {
    for (size_t j = 0; j < std::size(ascending); ++j) {
      EXPECT_EQ(Component(Value(ascending[i])) <=> Component(Value(ascending[j])), i <=> j)
          << i << " " << j;
    }
  }
}

TEST(KeyTest, NoComponentIsAPrefixOfAnother) {
  std::set<std::string> all;
  for (const char* text : {"", "a", "ab", "b"}) all.insert(Component(Value(text)));
  for (const char* text : {"0", "1", "10", "12", "120", "1.2", "-1", "-12"}) {
    all.insert("n" + Component(NumberValue(text)));
  }
  for (const std::string& a : all) {
    for (const std::string& b : all) {
      if (a != b) {
        EXPECT_FALSE(b.starts_with(a));
      }
    }
  }
}

TEST(KeyTest, NumbersSortByValue) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  std::mt19937_64 random(seed);
  const auto draw = [&] {
    std::string text = random() % 2 ? "-" : "";
    const auto digits = random() % 38 + 1;
    for (size_t i = 0; i < digits; ++i) text.push_back(static_cast<char>('0' + random() % 10));
    const auto exponent = static_cast<int>(random() % 200) - 130;
    text += "E" + std::to_string(exponent);
    const auto number = item::Number::Parse(text);
    return number ? *number : item::Number();
  };
  for (int i = 0; i < 20000; ++i) {
    const item::Number a = draw();
    const item::Number b = random() % 4 ? draw() : *item::Number::Add(a, item::Number());
    EXPECT_EQ(Component(Value(a)) <=> Component(Value(b)), a <=> b)
        << a.ToString() << " " << b.ToString();
  }
}

TEST(KeyTest, ViewsEncodeLikeValues) {
  item::Item item;
  item.Set("n", NumberValue("-12.5"));
  item.Set("s", Value(std::string("a\0b", 3)));
  const EncodedItem encoded = EncodeItem(item);
  for (const item::Attribute& attribute : item) {
    std::string out;
    AppendKeyComponent(*ItemView(encoded).Find(attribute.name), &out);
    EXPECT_EQ(out, Component(attribute.value));
  }
}

TEST(KeyTest, APrefixCoversExactlyWhatBeginsWithIt) {
  const std::string texts[] = {"",
                               "a",
                               "ab",
                               "abc",
                               "b",
                               "a\xFF",
                               "a\xFF\xFF",
                               std::string("a\0", 2),
                               std::string("a\0z", 3)};
  for (const std::string& prefix : texts) {
    std::string begin;
    AppendKeyPrefix(Value(prefix), &begin);
    const std::string end = PrefixEnd(begin);
    for (const std::string& text : texts) {
      const std::string key = Component(Value(text));
      const bool inside = key >= begin && (end.empty() || key < end);
      EXPECT_EQ(inside, text.starts_with(prefix)) << prefix << " / " << text;
    }
  }
}

TEST(KeyTest, PrefixEndCarries) {
  EXPECT_EQ(PrefixEnd("ab"), "ac");
  EXPECT_EQ(PrefixEnd("a\xFF\xFF"), "b");
  EXPECT_EQ(PrefixEnd("\xFF"), "");
  EXPECT_EQ(PrefixEnd(""), "");
}

}  // namespace
}  // namespace monotable::encoding
