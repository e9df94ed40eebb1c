#include "document/indented_json.h"

#include <gtest/gtest.h>

namespace monotable::document {
namespace {

TEST(IndentedTest, KeepsWhatFitsInALine) {
  EXPECT_EQ(Indented(R"({"a":[1,2],"b":{}})"), R"({"a": [1, 2], "b": {}})");
  EXPECT_EQ(Indented("[]"), "[]");
}

TEST(IndentedTest, BreaksWhatDoesNot) {
  const std::string text(60, 'x');
  EXPECT_EQ(Indented(R"({"one":")" + text + R"(","two":{"three":")" + text + R"("}})"),
            "{\n  \"one\": \"" + text + "\",\n  \"two\": {\"three\": \"" + text + "\"}\n}");
}

TEST(IndentedTest, LeavesTextsAlone) {
  const std::string tricky = R"("{[,:]} \" \\")";
  EXPECT_EQ(Indented("[" + tricky + "," + tricky + "]"), "[" + tricky + ", " + tricky + "]");
}

TEST(IndentedTest, EmptyContainersStayInOneLineEvenAtItsEnd) {
  const std::string key(120, 'k');
  EXPECT_EQ(Indented("{\"" + key + "\":[]}"), "{\n  \"" + key + "\": []\n}");
}

}  // namespace
}  // namespace monotable::document
