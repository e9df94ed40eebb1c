#include "json/parse.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace monotable::json {
namespace {

// Keeps the padded text alive beside the parser.
class ParseTest : public testing::Test {
 protected:
  Result<Element> Parse(std::string text) {
    const size_t size = text.size();
    text_ = std::move(text);
    text_.append(kPadding, '\0');
    return parser_.Parse(std::string_view(text_.data(), size));
  }

  std::string text_;
  Parser parser_;
};

TEST_F(ParseTest, ReadsMembersAndTreatsNullAsAbsent) {
  auto root = Parse(R"({"a":"x","b":null,"n":7,"t":true,"l":[1],"o":{"k":"v"}})");
  ASSERT_TRUE(root);
  const Object object = ObjectOf(*root);
  EXPECT_EQ(StringOf(*Find(object, "a")), "x");
  EXPECT_FALSE(Find(object, "b"));
  EXPECT_FALSE(Find(object, "missing"));
  EXPECT_EQ(IntegerOf(*Find(object, "n")), 7);
  EXPECT_TRUE(BoolOf(*Find(object, "t")));
  EXPECT_EQ(ArrayOf(*Find(object, "l")).size(), 1u);
  EXPECT_EQ(ObjectOf(*Find(object, "o")).size(), 1u);
}

TEST_F(ParseTest, AnElementOfAnotherTypeHasEmptyContents) {
  auto root = Parse("[null,1]");
  ASSERT_TRUE(root);
  for (const auto& element : ArrayOf(*root)) {
    EXPECT_EQ(ObjectOf(element).begin(), ObjectOf(element).end());
    EXPECT_EQ(ArrayOf(element).begin(), ArrayOf(element).end());
    EXPECT_EQ(StringOf(element), "");
    EXPECT_FALSE(BoolOf(element));
  }
}

TEST_F(ParseTest, TakesTheLastOfEqualNames) {
  auto root = Parse(R"({"a":"first","a":"last"})");
  ASSERT_TRUE(root);
  EXPECT_EQ(StringOf(*Find(ObjectOf(*root), "a")), "last");
}

TEST_F(ParseTest, DecodesEscapesAndUnicode) {
  auto root = Parse("{\"a\":\"S\\u00e3o Paulo \\ud83d\\ude00 a\xc3\xa7\xc3\xa3o\"}");
  ASSERT_TRUE(root);
  EXPECT_EQ(StringOf(*Find(ObjectOf(*root), "a")), "São Paulo 😀 ação");
}

TEST_F(ParseTest, RefusesWhatIsNotOneUtf8Document) {
  const std::string cases[] = {"",
                               " ",
                               "{",
                               "{}x",
                               "{\"a\":}",
                               "{'a':1}",
                               "{\"a\":\"\xff\"}",
                               "{\"a\":\"\xc3\"}",
                               "{\"a\":\"\\ud800\"}"};
  for (const auto& text : cases) {
    auto root = Parse(text);
    ASSERT_FALSE(root) << text;
    EXPECT_EQ(root.error().code(), ErrorCode::kSerialization) << text;
    EXPECT_EQ(root.error().message(), "") << text;
  }
}

TEST_F(ParseTest, BoundsTheDepthAlsoAfterGrowing) {
  const auto nested = [](size_t depth) {
    return std::string(depth, '[') + "1" + std::string(depth, ']');
  };
  EXPECT_TRUE(Parse(nested(200)));
  EXPECT_FALSE(Parse(nested(300)));
  EXPECT_TRUE(Parse("[\"" + std::string(100000, 'x') + "\"]"));
  EXPECT_TRUE(Parse(nested(200)));
  EXPECT_FALSE(Parse(nested(300)));
}

TEST_F(ParseTest, ConvertsNumbersToIntegers) {
  auto root = Parse("[1,-2,2.9,-2.9,1e300,-1e300,18446744073709551615]");
  ASSERT_TRUE(root);
  std::vector<int64_t> values;
  for (const auto& element : ArrayOf(*root)) values.push_back(IntegerOf(element));
  EXPECT_EQ(values, (std::vector<int64_t>{1, -2, 2, -2, INT64_MAX, INT64_MIN, INT64_MAX}));
}

TEST_F(ParseTest, AnElementIsReadAsItsOwnTypeOnly) {
  auto root = Parse(R"([{"a":1},[2],"x",-3,18446744073709551615,0.5,true,false,null])");
  ASSERT_TRUE(root);
  const ElementType expected[] = {
      ElementType::kObject,
      ElementType::kArray,
      ElementType::kString,
      ElementType::kInteger,
      ElementType::kUnsignedInteger,
      ElementType::kDouble,
      ElementType::kBool,
      ElementType::kBool,
      ElementType::kNull,
  };
  size_t at = 0;
  for (const Element element : ArrayOf(*root)) {
    const ElementType type = expected[at++];
    EXPECT_EQ(element.type(), type);
    Object object;
    Array array;
    std::string_view text;
    int64_t integer = 0;
    uint64_t natural = 0;
    double number = 0;
    bool flag = false;
    const bool is_number = type == ElementType::kInteger || type == ElementType::kUnsignedInteger ||
                           type == ElementType::kDouble;
    EXPECT_EQ(element.Get(&object), type == ElementType::kObject);
    EXPECT_EQ(element.Get(&array), type == ElementType::kArray);
    EXPECT_EQ(element.Get(&text), type == ElementType::kString);
    EXPECT_EQ(element.Get(&integer), type == ElementType::kInteger);
    EXPECT_EQ(element.Get(&natural), type == ElementType::kUnsignedInteger);
    EXPECT_EQ(element.Get(&number), is_number);
    EXPECT_EQ(element.Get(&flag), type == ElementType::kBool);
    EXPECT_EQ(element.is_null(), type == ElementType::kNull);
  }
  EXPECT_EQ(at, 9u);
}

TEST_F(ParseTest, WalksContainersInsideContainers) {
  auto root = Parse(R"({"a":{"b":[[],{},[1,{"c":2.5}]]},"d":"e","f":[]})");
  ASSERT_TRUE(root);
  std::string keys;
  for (const auto& [key, value] : ObjectOf(*root)) keys += key;
  EXPECT_EQ(keys, "adf");
  EXPECT_EQ(ObjectOf(*root).size(), 3u);
  const Array inner = ArrayOf(*Find(ObjectOf(*Find(ObjectOf(*root), "a")), "b"));
  EXPECT_EQ(inner.size(), 3u);
  EXPECT_EQ(std::ranges::distance(inner.begin(), inner.end()), 3);
}

TEST_F(ParseTest, DefaultContainersAreEmpty) {
  EXPECT_EQ(Object().size(), 0u);
  EXPECT_EQ(Object().begin(), Object().end());
  EXPECT_EQ(Array().size(), 0u);
  EXPECT_EQ(Array().begin(), Array().end());
}

TEST_F(ParseTest, MinifiesToTheSameDocument) {
  auto root = Parse(
      " { \"a\" : [ 1 , -2, 18446744073709551615, 0.5, 1e300, true, false, null ] , "
      "\"b\\n\" : { } , \"c\": [ ] , \"d\" : \"\\u0001 a\u00e7\u00e3o\" } ");
  ASSERT_TRUE(root);
  const std::string text = Minify(*root);
  EXPECT_EQ(text,
            "{\"a\":[1,-2,18446744073709551615,0.5,1e+300,true,false,null],"
            "\"b\\n\":{},\"c\":[],\"d\":\"\\u0001 a\u00e7\u00e3o\"}");
  EXPECT_EQ(Minify(ObjectOf(*root)), text);
}

TEST(Utf8Test, IsChecked) {
  EXPECT_TRUE(IsUtf8("a\u00e7\u00e3o \U0001F600"));
  EXPECT_TRUE(IsUtf8(""));
  EXPECT_FALSE(IsUtf8("\xff"));
  EXPECT_EQ(AsUtf8("a\u00e7"), "a\u00e7");
  EXPECT_EQ(AsUtf8("a\xff\u00e7"), "a???");
  EXPECT_FALSE(IsUtf8("\xc3"));
}

}  // namespace
}  // namespace monotable::json
