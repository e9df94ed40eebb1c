#include "encoding/item.h"

#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "item/value.h"

namespace monotable::encoding {
namespace {

using item::Value;

item::Number N(std::string_view text) {
  return *item::Number::Parse(text);
}

// An item with every type in it, two levels deep.
item::Item Everything() {
  item::Map inner;
  inner.Set("rua", Value("Av. Paulista, 10º andar"));
  inner.Set("", Value(item::List{Value(N("-1.5")), Value(item::Null{})}));
  item::Item item;
  item.Set("PK", Value("COMPANY#12.345.678/0001-99#ORDER#1"));
  item.Set("n", Value(N("12345678901234567890.123456789")));
  item.Set("b", Value(item::Binary{std::string("\0\xFF\x01", 3)}));
  item.Set("yes", Value(true));
  item.Set("no", Value(false));
  item.Set("nothing", Value(item::Null{}));
  item.Set("m", Value(inner));
  item.Set("l", Value(item::List{Value(inner), Value(item::List{})}));
  item.Set("ss", Value(item::MakeStringSet({"b", "a", ""})));
  item.Set("ns", Value(item::MakeNumberSet({N("10"), N("-9")})));
  item.Set("bs", Value(item::MakeBinarySet({std::string("\0", 1), "x"})));
  item.Set("long", Value(std::string(70000, 'x')));
  return item;
}

TEST(ItemTest, RoundTripsEveryType) {
  const item::Item item = Everything();
  const EncodedItem encoded = EncodeItem(item);
  const auto decoded = DecodeItem(encoded.bytes);
  ASSERT_TRUE(decoded);
  EXPECT_EQ(*decoded, item);
  EXPECT_EQ(EncodeItem(*decoded), encoded);
  EXPECT_EQ(ItemView(encoded).ChargedSize(), item::SizeOf(item));
}

TEST(ItemTest, FindsAttributesInPlace) {
  const item::Item item = Everything();
  const EncodedItem encoded = EncodeItem(item);
  for (const item::Attribute& attribute : item) {
    const auto found = ItemView(encoded).Find(attribute.name);
    ASSERT_TRUE(found) << attribute.name;
    EXPECT_EQ(*found->Decode(), attribute.value);
  }
  EXPECT_FALSE(ItemView(encoded).Find("missing"));
  EXPECT_FALSE(ItemView(encoded).Find("zzz"));
}

TEST(ItemTest, EqualItemsHaveEqualBytes) {
  item::Item a;
  a.Set("x", Value(N("1.0")));
  a.Set("s", Value(item::MakeStringSet({"b", "a"})));
  item::Item b;
  b.Set("s", Value(item::MakeStringSet({"a", "b"})));
  b.Set("x", Value(N("1")));
  EXPECT_EQ(EncodeItem(a), EncodeItem(b));
}

// Truncated and altered records decode to an error or to some item, but never crash or read past
// the end (the sanitizer builds see to that).
TEST(ItemTest, DecodesTheAttributesThatAreAskedFor) {
  const item::Item item = Everything();
  const EncodedItem encoded = EncodeItem(item);
  const std::string_view names[] = {"PK", "a", "m", "n", "zzz"};
  const auto part = DecodeAttributes(encoded.bytes, names);
  ASSERT_TRUE(part);
  item::Item expected;
  for (const char* name : {"PK", "m", "n"}) expected.Set(name, *item.Find(name));
  EXPECT_EQ(*part, expected);
  EXPECT_EQ(*DecodeAttributes(encoded.bytes, {}), item::Item());
}

TEST(ItemTest, ExchangedAttributesMakeTheSameBytesAsANewItem) {
  const unsigned seed = std::random_device()();
  SCOPED_TRACE(seed);
  std::mt19937 random(seed);
  const auto below = [&](int limit) { return std::uniform_int_distribution(0, limit - 1)(random); };
  for (int round = 0; round < 300; ++round) {
    item::Item item;
    for (int i = below(8); i > 0; --i) {
      item.Set(std::string(1, static_cast<char>('a' + below(10))), Value(std::to_string(round)));
    }
    std::vector<std::string> kept;
    for (char name = 'a'; name < 'k'; ++name) {
      if (below(3) == 0) kept.emplace_back(1, name);
    }
    const std::vector<std::string_view> names(kept.begin(), kept.end());
    const EncodedItem record = EncodeItem(item);
    const item::Item before = *DecodeAttributes(record.bytes, names);
    item::Item after = before;
    for (const std::string_view name : names) {
      switch (below(3)) {
        case 0:
          after.Set(name, Value(N(std::to_string(below(1000)))));
          item.Set(name, *after.Find(name));
          break;
        case 1:
          after.Remove(name);
          item.Remove(name);
          break;
        default:
          break;
      }
    }
    EXPECT_EQ(ExchangeAttributes(record.bytes, before, after)->bytes, EncodeItem(item).bytes);
  }
}

TEST(ItemTest, SelectedAttributesMakeTheSameBytesAsANewItem) {
  const item::Item item = Everything();
  const EncodedItem encoded = EncodeItem(item);
  for (const item::Attribute& left_out : item) {
    item::Item rest = item;
    rest.Remove(left_out.name);
    EXPECT_EQ(
        ItemView(encoded).Select([&](std::string_view name) { return name != left_out.name; }),
        EncodeItem(rest));
  }
}

TEST(ItemTest, LooksUpAttributesOfSmallAndLargeItems) {
  item::Item item;
  for (int i = 0; i < 100; ++i) {
    item.Set("a" + std::to_string(i), Value(N(std::to_string(i))));
    const EncodedItem encoded = EncodeItem(item);
    const AttributeLookup lookup{ItemView(encoded)};
    for (const item::Attribute& attribute : item) {
      const auto found = lookup.Find(attribute.name);
      ASSERT_TRUE(found) << attribute.name;
      EXPECT_EQ(*found->Decode(), attribute.value);
    }
    EXPECT_FALSE(lookup.Find("a"));
    EXPECT_FALSE(lookup.Find("b"));
  }
}

TEST(ItemTest, SurvivesDamage) {
  item::Item item = Everything();
  item.Remove("long");
  const std::string bytes = EncodeItem(item).bytes;
  for (size_t length = 0; length < bytes.size(); ++length) {
    const std::string cut = bytes.substr(0, length);
    EXPECT_FALSE(DecodeItem(cut)) << length;
    EXPECT_FALSE(ItemView(cut).Find("zzz"));
  }
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  std::mt19937 random(seed);
  for (int i = 0; i < 20000; ++i) {
    std::string damaged = bytes;
    for (int flips = 0; flips < 3; ++flips) {
      damaged[random() % damaged.size()] = static_cast<char>(random());
    }
    if (auto decoded = DecodeItem(damaged)) (void)EncodeItem(*decoded);
  }
}

}  // namespace
}  // namespace monotable::encoding
