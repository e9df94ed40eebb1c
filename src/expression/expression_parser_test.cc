#include "expression/expression_parser.h"

#include <array>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace monotable::expression {
namespace {

using testing::ElementsAre;

std::vector<std::string> Texts(std::string_view text) {
  std::vector<std::string> texts;
  for (const Token& token : Tokenize(text, {})) texts.emplace_back(token.text);
  texts.pop_back();  // the end
  return texts;
}

std::vector<TokenKind> Kinds(std::string_view text) {
  constexpr std::array<std::string_view, 1> kKeywords = {"AND"};
  std::vector<TokenKind> kinds;
  for (const Token& token : Tokenize(text, kKeywords)) kinds.push_back(token.kind);
  return kinds;
}

TEST(Tokenizer, CutsTexts) {
  EXPECT_THAT(Texts("a.b[0]=:v"), ElementsAre("a", ".", "b", "[", "0", "]", "=", ":v"));
  EXPECT_THAT(Texts("a<>b<=c>=d<e>f"),
              ElementsAre("a", "<>", "b", "<=", "c", ">=", "d", "<", "e", ">", "f"));
  EXPECT_THAT(Texts(" \t\r\n#n_1  ,\n:V2 "), ElementsAre("#n_1", ",", ":V2"));
  EXPECT_THAT(Texts("a_1-b+c"), ElementsAre("a_1", "-", "b", "+", "c"));
}

TEST(Tokenizer, UnderscoreAndDigitsDoNotStartAName) {
  EXPECT_THAT(Texts("__typename"), ElementsAre("_", "_", "typename"));
  EXPECT_THAT(Texts("1abc"), ElementsAre("1", "abc"));
  EXPECT_THAT(Kinds("_a"),
              ElementsAre(TokenKind::kUnknown, TokenKind::kIdentifier, TokenKind::kEnd));
}

TEST(Tokenizer, LoneSigilsAreUnknown) {
  EXPECT_THAT(Kinds("# :"), ElementsAre(TokenKind::kUnknown, TokenKind::kUnknown, TokenKind::kEnd));
  EXPECT_THAT(Kinds("#1 :_"), ElementsAre(TokenKind::kName, TokenKind::kValue, TokenKind::kEnd));
}

TEST(Tokenizer, KeywordsInAnyCase) {
  EXPECT_THAT(Kinds("and And android"), ElementsAre(TokenKind::kKeyword, TokenKind::kKeyword,
                                                    TokenKind::kIdentifier, TokenKind::kEnd));
}

TEST(Tokenizer, KeepsCharactersWhole) {
  EXPECT_THAT(Texts("a\xC3\xA4z\xF0\x9F\x98\x80"),
              ElementsAre("a", "\xC3\xA4", "z", "\xF0\x9F\x98\x80"));
}

TEST(Tokenizer, TakesAnyBytes) {
  std::string all;
  for (int byte = 0; byte < 256; ++byte) all.push_back(static_cast<char>(byte));
  size_t length = 0;
  for (const std::string& text : Texts(all)) length += text.size();
  EXPECT_EQ(length, all.size() - 4);  // less the white space
}

}  // namespace
}  // namespace monotable::expression
