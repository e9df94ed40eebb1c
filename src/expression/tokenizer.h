#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace monotable::expression {

enum class TokenKind : uint8_t {
  kEnd,
  kIdentifier,
  kKeyword,
  kNumber,
  kName,   // #name
  kValue,  // :value
  kEqual,
  kNotEqual,
  kLess,
  kLessEqual,
  kGreater,
  kGreaterEqual,
  kPlus,
  kMinus,
  kDot,
  kComma,
  kOpen,
  kClose,
  kOpenBracket,
  kCloseBracket,
  kUnknown,  // a character no expression may contain; the parser reports it
};

struct Token {
  TokenKind kind = TokenKind::kEnd;
  std::string_view text;  // of the tokenized text
};

// Cuts an expression into tokens, closed by one of kind kEnd with empty text. Identifiers that
// equal one of the keywords, in any case, become kKeyword.
std::vector<Token> Tokenize(std::string_view text, std::span<const std::string_view> keywords);

}  // namespace monotable::expression
