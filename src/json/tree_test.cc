#include "json/tree.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "json/parse.h"

namespace monotable::json {
namespace {

using ::testing::HasSubstr;

std::string MistakeIn(std::string_view text) {
  const auto tree = Tree::Parse(text);
  if (tree) return "";
  EXPECT_EQ(tree.error().code(), ErrorCode::kSerialization);
  return tree.error().message();
}

TEST(Tree, ReadsEveryKind) {
  const auto tree =
      Tree::Parse(R"( {"a":null,"b":true,"c":false,"d":-1.50e+3,"e":"x","f":[1,[]]} )");
  ASSERT_TRUE(tree) << tree.error().message();
  const Node& root = tree->root();
  ASSERT_TRUE(root.is_object());
  ASSERT_EQ(root.members.size(), 6u);
  EXPECT_EQ(root.members[5].name, "f");
  EXPECT_TRUE(root.Find("a")->is_null());
  EXPECT_TRUE(root.Find("b")->boolean);
  EXPECT_FALSE(root.Find("c")->boolean);
  EXPECT_EQ(root.Find("c")->kind, Node::Kind::kBoolean);
  EXPECT_EQ(root.Find("d")->text, "-1.50e+3");
  EXPECT_EQ(root.Find("e")->text, "x");
  ASSERT_EQ(root.Find("f")->items.size(), 2u);
  EXPECT_TRUE(root.Find("f")->items[1].is_array());
  EXPECT_EQ(root.Find("g"), nullptr);
}

TEST(Tree, KeepsNumbersAsTheyWereWritten) {
  for (const char* number : {"0", "-0", "0.10", "12345678901234567890123456789012345678",
                             "0.12345678901234567890123456789012345678", "1E-130", "9e125"}) {
    const auto tree = Tree::Parse(number);
    ASSERT_TRUE(tree) << number;
    EXPECT_EQ(tree->root().text, number);
  }
}

TEST(Tree, Unescapes) {
  const auto tree = Tree::Parse(R"(["\"\\\/\b\f\n\r\t","\u00e9\u20AC","\ud83d\ude00","a\u0000b"])");
  ASSERT_TRUE(tree) << tree.error().message();
  EXPECT_EQ(tree->root().items[0].text, "\"\\/\b\f\n\r\t");
  EXPECT_EQ(tree->root().items[1].text, "é€");
  EXPECT_EQ(tree->root().items[2].text, "😀");
  EXPECT_EQ(tree->root().items[3].text, std::string_view("a\0b", 3));
}

TEST(Tree, TextsStayWhenItIsMoved) {
  auto tree = Tree::Parse(R"({"\n":"\t"})");
  ASSERT_TRUE(tree);
  const Tree moved = std::move(*tree);
  EXPECT_EQ(moved.root().Find("\n")->text, "\t");
}

TEST(Tree, RefusesWhatIsNoJson) {
  for (const char* text : {"",
                           " ",
                           "{",
                           "[",
                           "[1",
                           "[1,",
                           "[1,]",
                           "{\"a\"",
                           "{\"a\":",
                           "{\"a\":1",
                           "{\"a\":1,}",
                           "{a:1}",
                           "{'a':1}",
                           "tru",
                           "nul",
                           "True",
                           "NaN",
                           "Infinity",
                           "+1",
                           "01",
                           "-",
                           "-01",
                           ".5",
                           "1.",
                           "1.e3",
                           "1e",
                           "1e+",
                           "0x10",
                           "\"",
                           "\"a",
                           "\"\\",
                           "\"\\x\"",
                           "\"\\u12\"",
                           "\"\\u12g4\"",
                           "\"\\ud800\"",
                           "\"\\ud800x\"",
                           "\"\\ud800\\n\"",
                           "\"\\ud800\\u0041\"",
                           "\"\\udc00\"",
                           "\"a\nb\"",
                           "\"\\n\nb\"",
                           "1 2",
                           "{} x",
                           "[1 2]",
                           "{\"a\" 1}",
                           "{\"a\":1 \"b\":2}",
                           "// x\n1",
                           "\xEF\xBB\xBF{}",
                           "\"\xFF\"",
                           "\"\xC0\x80\"",
                           "\"\xED\xA0\x80\""}) {
    EXPECT_NE(MistakeIn(text), "") << text;
  }
  EXPECT_NE(MistakeIn(std::string_view("1\0", 2)), "");
}

TEST(Tree, SaysWhereAMistakeIs) {
  EXPECT_EQ(MistakeIn("{\n  \"a\": 1\n  \"b\": 2}"),
            "The JSON lacks a comma or the end of an object (line 3, column 3).");
  EXPECT_EQ(MistakeIn("[01]"), "The JSON has a number with leading zeros (line 1, column 4).");
  EXPECT_THAT(MistakeIn(""), HasSubstr("ends before its end"));
}

TEST(Tree, RefusesANameTwice) {
  EXPECT_THAT(MistakeIn(R"({"a":1,"b":2,"a":3})"), HasSubstr("twice"));
  EXPECT_THAT(MistakeIn(R"({"a":1,"\u0061":3})"), HasSubstr("twice"));
  EXPECT_EQ(MistakeIn(R"({"a":{"a":1},"b":{"a":1}})"), "");
  std::string many = "{";
  for (int i = 0; i < 40; ++i) many += "\"n" + std::to_string(i) + "\":0,";
  EXPECT_EQ(MistakeIn(many + "\"m\":0}"), "");
  EXPECT_THAT(MistakeIn(many + "\"n7\":0}"), HasSubstr("twice"));
}

TEST(Tree, BoundsTheDepth) {
  const auto nested = [](size_t levels) {
    return std::string(levels, '[') + std::string(levels, ']');
  };
  EXPECT_EQ(MistakeIn(nested(kMaxDepth)), "");
  EXPECT_THAT(MistakeIn(nested(kMaxDepth + 1)), HasSubstr("too deep"));
  EXPECT_THAT(MistakeIn(std::string(100000, '[')), HasSubstr("too deep"));
  std::string objects;
  for (size_t i = 0; i < kMaxDepth + 1; ++i) objects += "{\"a\":";
  EXPECT_THAT(MistakeIn(objects), HasSubstr("too deep"));
}

}  // namespace
}  // namespace monotable::json
