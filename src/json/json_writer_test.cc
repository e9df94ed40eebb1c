#include "json/json_writer.h"

#include <gtest/gtest.h>

namespace monotable::json {
namespace {

// Both ways to write a string, which must agree.
std::string Quoted(std::string_view text) {
  std::string out;
  AppendString(text, &out);
  std::string printed(MaxStringLength(text.size()), '?');
  printed.resize(static_cast<size_t>(PrintString(text, printed.data()) - printed.data()));
  EXPECT_EQ(printed, out);
  return out;
}

TEST(WriteTest, PassesUtf8Through) {
  EXPECT_EQ(Quoted("São Paulo, ação e coração 😀"), "\"São Paulo, ação e coração 😀\"");
  EXPECT_EQ(Quoted(""), "\"\"");
  EXPECT_EQ(Quoted("\x7f/"), "\"\x7f/\"");
}

TEST(WriteTest, EscapesWhatJsonRequires) {
  EXPECT_EQ(Quoted("a\"b\\c"), R"("a\"b\\c")");
  EXPECT_EQ(Quoted("\b\f\n\r\t"), R"("\b\f\n\r\t")");
  EXPECT_EQ(Quoted(std::string_view("\0\x1f", 2)), R"("\u0000\u001F")");
}

// The scanner looks at eight bytes at a time: put every byte at every offset of such a group.
TEST(WriteTest, FindsEveryEscapeAtEveryOffset) {
  for (int byte = 0; byte < 256; ++byte) {
    const char character = static_cast<char>(byte);
    const bool escaped = byte < 0x20 || character == '"' || character == '\\';
    for (size_t place = 0; place < 17 * 10; ++place) {
      const size_t before = place / 10;
      const std::string text = std::string(before, 'a') + character + std::string(place % 10, 'z');
      const std::string quoted = Quoted(text);
      if (escaped) {
        EXPECT_EQ(quoted[before + 1], '\\') << byte << " at " << before;
        EXPECT_GT(quoted.size(), text.size() + 2);
      } else {
        EXPECT_EQ(quoted, '"' + text + '"') << byte << " at " << before;
      }
    }
  }
}

TEST(WriteTest, PrintsDoublesWithAFraction) {
  const auto printed = [](double value) {
    std::string out;
    AppendDouble(value, &out);
    return out;
  };
  EXPECT_EQ(printed(1), "1.0");
  EXPECT_EQ(printed(0), "0.0");
  EXPECT_EQ(printed(0.5), "0.5");
  EXPECT_EQ(printed(128.5), "128.5");
  EXPECT_EQ(printed(40000), "40000.0");
}

// To fill as much room as there is text with zeros, after each long string, takes far longer than
// to print it.
TEST(WriteTest, LongTextsDoNotMakeMuchRoomAhead) {
  const std::string part(100'000, 'x');
  std::string out;
  Printer printer(&out, 0);
  for (size_t i = 1; i <= 10; ++i) {
    printer.PrintString(part);
    printer.Print(',');
    EXPECT_LT(out.size(), i * part.size() + 5000);
  }
}

TEST(WriteTest, PlacesCommas) {
  std::string out;
  Writer writer(&out);
  writer.BeginObject().Key("a").Integer(1).Key("b").BeginArray().String("x").String("[").String(
      "y");
  writer.BeginObject().EndObject().EndArray().Key("c").Bool(true).Key("d").Double(2);
  writer.Key("e").BeginObject().EndObject().Key("f").Raw("null").EndObject();
  EXPECT_EQ(out, R"({"a":1,"b":["x","[","y",{}],"c":true,"d":2.0,"e":{},"f":null})");
}

}  // namespace
}  // namespace monotable::json
