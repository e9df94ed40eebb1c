#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "error/result.h"
#include "expression/substitutions.h"

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

// Cuts an expression into tokens and ends the list with an empty token of kind kEnd. Identifiers
// that equal one of the keywords, in any case, become kKeyword.
std::vector<Token> Tokenize(std::string_view text, std::span<const std::string_view> keywords);

// The longest expression that the service accepts, in bytes as sent.
inline constexpr size_t kMaxExpressionSize = 4096;
// The largest number of operators and functions that the service accepts in one expression.
inline constexpr size_t kMaxOperators = 300;
// Parentheses nested deeper than this have no operator between some pair of them.
inline constexpr size_t kMaxNesting = kMaxOperators + 1;
// The deepest document path.
inline constexpr size_t kMaxPathElements = 32;

// What the parsers of all expressions share: the position in the text, the document paths and the
// errors. A syntax error stops a parser at once; other complaints about the text wait until the
// end, because the service reports a syntax error anywhere first.
class Parser {
 public:
  // `parameter` names the expression in messages. Both must outlive the parser.
  Parser(std::string_view parameter, std::string_view text,
         std::span<const std::string_view> keywords)
      : parameter_(parameter), text_(text), keywords_(keywords) {}

 protected:
  // Checks the size and tokenizes. Must be called before anything else.
  Status Start();
  // Checks that the text ends here and that there are no complaints. Must be called after
  // everything else.
  Status Finish() const;

  const Token& current() const { return tokens_[at_]; }
  bool At(TokenKind kind) const { return current().kind == kind; }
  bool AtKeyword(std::string_view keyword) const;
  bool AtFunction() const;
  // Moves on to the next token and returns the previous one.
  Token Advance() { return tokens_[at_++]; }
  bool Accept(TokenKind kind);
  bool AcceptKeyword(std::string_view keyword);
  Status Expect(TokenKind kind);

  // The slot of the document path or value at this position.
  Result<uint32_t> ParsePath();
  Result<uint32_t> ParseValue();

  // Must be called once for every operator and function.
  Status CountOperator();

  Error SyntaxError() const;
  Error Invalid(std::string_view what) const { return InvalidExpression(parameter_, what); }
  void Complain(std::string_view what);

  References TakeReferences() { return std::move(references_); }

 private:
  Status ParsePathName();
  Status ParsePathIndex();

  std::string_view parameter_;
  std::string_view text_;
  std::span<const std::string_view> keywords_;
  std::vector<Token> tokens_;
  size_t at_ = 0;
  size_t operators_ = 0;
  std::optional<Error> complaint_;
  References references_;
};

// Texts that parsers and binders share.
std::string WrongOperandCount(std::string_view function, size_t count);
std::string WrongOperandType(std::string_view function, item::Type type);
std::string MisusedFunction(std::string_view function);
std::string NeedsPath(std::string_view function);
inline constexpr std::string_view kRedundantParentheses =
    "The expression has redundant parentheses;";

}  // namespace monotable::expression
