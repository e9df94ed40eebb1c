#include "expression/tokenizer.h"

#include <algorithm>

#include "text/words.h"

namespace monotable::expression {
namespace {

bool IsWordCharacter(char c) {
  return text::IsAlphanumeric(c) || c == '_';
}

bool IsSpace(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

template <typename Predicate>
size_t LengthWhile(std::string_view text, size_t from, Predicate predicate) {
  size_t end = from;
  while (end < text.size() && predicate(text[end])) ++end;
  return end;
}

TokenKind PunctuationKind(char c) {
  switch (c) {
    case '=':
      return TokenKind::kEqual;
    case '<':
      return TokenKind::kLess;
    case '>':
      return TokenKind::kGreater;
    case '+':
      return TokenKind::kPlus;
    case '-':
      return TokenKind::kMinus;
    case '.':
      return TokenKind::kDot;
    case ',':
      return TokenKind::kComma;
    case '(':
      return TokenKind::kOpen;
    case ')':
      return TokenKind::kClose;
    case '[':
      return TokenKind::kOpenBracket;
    case ']':
      return TokenKind::kCloseBracket;
    default:
      return TokenKind::kUnknown;
  }
}

// The token at the start of a text that is not empty and does not start with a space.
Token FirstToken(std::string_view text) {
  const char c = text[0];
  if (text::IsLetter(c)) {
    return {TokenKind::kIdentifier, text.substr(0, LengthWhile(text, 1, IsWordCharacter))};
  }
  if (text::IsDigit(c))
    return {TokenKind::kNumber, text.substr(0, LengthWhile(text, 1, text::IsDigit))};
  if (c == '#' || c == ':') {
    const size_t length = LengthWhile(text, 1, IsWordCharacter);
    // A lone # or : names nothing.
    const TokenKind kind = c == '#' ? TokenKind::kName : TokenKind::kValue;
    return {length > 1 ? kind : TokenKind::kUnknown, text.substr(0, length)};
  }
  if (text.starts_with("<>")) return {TokenKind::kNotEqual, text.substr(0, 2)};
  if (text.starts_with("<=")) return {TokenKind::kLessEqual, text.substr(0, 2)};
  if (text.starts_with(">=")) return {TokenKind::kGreaterEqual, text.substr(0, 2)};
  const TokenKind kind = PunctuationKind(c);
  if (kind != TokenKind::kUnknown) return {kind, text.substr(0, 1)};
  // A whole character, so that the message that quotes it stays valid UTF-8.
  return {kind, text.substr(0, LengthWhile(text, 1, text::ContinuesUtf8))};
}

}  // namespace

std::vector<Token> Tokenize(std::string_view text, std::span<const std::string_view> keywords) {
  std::vector<Token> tokens;
  for (size_t at = LengthWhile(text, 0, IsSpace); at < text.size();
       at = LengthWhile(text, at, IsSpace)) {
    Token token = FirstToken(text.substr(at));
    at += token.text.size();
    const auto is_this = [&](std::string_view keyword) {
      return text::EqualsIgnoringCase(keyword, token.text);
    };
    if (token.kind == TokenKind::kIdentifier && std::ranges::any_of(keywords, is_this)) {
      token.kind = TokenKind::kKeyword;
    }
    tokens.push_back(token);
  }
  tokens.push_back({TokenKind::kEnd, text.substr(text.size())});
  return tokens;
}

}  // namespace monotable::expression
