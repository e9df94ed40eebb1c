#include <cstdint>
#include <string_view>

#include <gtest/gtest.h>

#include "text/words.h"

namespace monotable::text {
namespace {

TEST(TextTest, TellsAsciiCharactersApart) {
  for (int byte = 0; byte < 256; ++byte) {
    const char c = static_cast<char>(byte);
    EXPECT_EQ(IsDigit(c), std::string_view("0123456789").find(c) != std::string_view::npos) << byte;
    EXPECT_EQ(IsLetter(c), (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z')) << byte;
    EXPECT_EQ(IsBeyondAscii(c), byte >= 0x80) << byte;
    // Only letters have a case, and it can be changed back.
    EXPECT_EQ(ToLower(c) != c, IsUpper(c)) << byte;
    EXPECT_EQ(ToUpper(c) != c, IsLower(c)) << byte;
    if (IsLower(c)) EXPECT_EQ(ToLower(ToUpper(c)), c);
  }
}

TEST(TextTest, ReadsHexDigitsInEitherCase) {
  EXPECT_EQ(HexDigit('0'), 0);
  EXPECT_EQ(HexDigit('a'), 10);
  EXPECT_EQ(HexDigit('F'), 15);
  for (const char c : std::string_view("gG@`/:\x81")) EXPECT_EQ(HexDigit(c), -1) << c;
}

TEST(TextTest, ComparesWordsWhateverTheirCase) {
  EXPECT_TRUE(EqualsIgnoringCase("", ""));
  EXPECT_TRUE(EqualsIgnoringCase("Content-Type", "content-TYPE"));
  EXPECT_FALSE(EqualsIgnoringCase("content", "content-type"));
  // These pairs differ by the bit that is the case of a letter.
  EXPECT_FALSE(EqualsIgnoringCase("[", "{"));
  EXPECT_FALSE(EqualsIgnoringCase("@", "`"));
  EXPECT_FALSE(EqualsIgnoringCase("\xC3\x89", "\xC3\xA9"));
}

TEST(TextTest, TrimsToAPartOfTheText) {
  EXPECT_EQ(Trim(" \t a b\t "), "a b");
  EXPECT_EQ(Trim("a\r"), "a\r");
  EXPECT_EQ(Trim(" a\r", kLineBlanks), "a");
  const std::string_view blank = "  ";
  EXPECT_TRUE(Trim(blank).empty());
  EXPECT_NE(Trim(blank).data(), nullptr);
}

TEST(TextTest, ParsesWholeNumbersOnly) {
  EXPECT_EQ(ParseNumber<int>("42"), 42);
  EXPECT_EQ(ParseNumber<int>("-42"), -42);
  EXPECT_EQ(ParseNumber<uint8_t>("255"), 255);
  for (const std::string_view text : {"", " 42", "42 ", "+42", "4x", "256"}) {
    EXPECT_EQ(ParseNumber<uint8_t>(text), std::nullopt) << text;
  }
}

TEST(TextTest, ChangesTheCaseOfAsciiLetters) {
  EXPECT_EQ(Upper("s3-folder é"), "S3-FOLDER é");
  EXPECT_EQ(Lower("MONOTABLE_S3"), "monotable_s3");
}

}  // namespace
}  // namespace monotable::text
