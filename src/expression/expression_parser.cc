#include "expression/expression_parser.h"

#include <algorithm>
#include <charconv>

#include "expression/reserved_words.h"
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
    // A # or : alone is not a name.
    const TokenKind kind = c == '#' ? TokenKind::kName : TokenKind::kValue;
    return {length > 1 ? kind : TokenKind::kUnknown, text.substr(0, length)};
  }
  if (text.starts_with("<>")) return {TokenKind::kNotEqual, text.substr(0, 2)};
  if (text.starts_with("<=")) return {TokenKind::kLessEqual, text.substr(0, 2)};
  if (text.starts_with(">=")) return {TokenKind::kGreaterEqual, text.substr(0, 2)};
  const TokenKind kind = PunctuationKind(c);
  if (kind != TokenKind::kUnknown) return {kind, text.substr(0, 1)};
  // The token is a whole character, so that the message that quotes it stays valid UTF-8.
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

Status Parser::Start() {
  if (text_.size() > kMaxExpressionSize) {
    return Invalid("Expression size has exceeded the maximum allowed size; expression size: " +
                   std::to_string(text_.size()));
  }
  tokens_ = Tokenize(text_, keywords_);
  if (At(TokenKind::kEnd)) return Invalid("The expression can not be empty;");
  return {};
}

Status Parser::Finish() const {
  if (!At(TokenKind::kEnd)) return SyntaxError();
  if (complaint_) return *complaint_;
  return {};
}

bool Parser::AtKeyword(std::string_view keyword) const {
  return At(TokenKind::kKeyword) && text::EqualsIgnoringCase(current().text, keyword);
}

bool Parser::AtFunction() const {
  return At(TokenKind::kIdentifier) && tokens_[at_ + 1].kind == TokenKind::kOpen;
}

bool Parser::Accept(TokenKind kind) {
  if (!At(kind)) return false;
  Advance();
  return true;
}

bool Parser::AcceptKeyword(std::string_view keyword) {
  if (!AtKeyword(keyword)) return false;
  Advance();
  return true;
}

Status Parser::Expect(TokenKind kind) {
  if (!Accept(kind)) return SyntaxError();
  return {};
}

Result<uint32_t> Parser::ParsePath() {
  const auto first = static_cast<uint32_t>(references_.elements.size());
  TRY(ParsePathName());
  for (;;) {
    if (Accept(TokenKind::kDot)) {
      TRY(ParsePathName());
    } else if (Accept(TokenKind::kOpenBracket)) {
      TRY(ParsePathIndex());
    } else {
      break;
    }
  }
  const auto count = static_cast<uint32_t>(references_.elements.size() - first);
  if (count > kMaxPathElements) {
    Complain("The document path has too many nesting elements; nesting levels: " +
             std::to_string(count));
  }
  references_.paths.push_back({first, count});
  return static_cast<uint32_t>(references_.paths.size() - 1);
}

Status Parser::ParsePathName() {
  const bool substituted = At(TokenKind::kName);
  if (!substituted && !At(TokenKind::kIdentifier)) return SyntaxError();
  const Token token = Advance();
  if (!substituted && IsReservedWord(token.text)) {
    Complain("Attribute name is a reserved keyword; reserved keyword: " + std::string(token.text));
  }
  references_.elements.push_back({std::string(token.text), substituted, std::nullopt});
  return {};
}

Status Parser::ParsePathIndex() {
  if (!At(TokenKind::kNumber)) return SyntaxError();
  const std::string_view digits = Advance().text;
  uint32_t index = 0;
  const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), index);
  if (read.ec != std::errc()) {
    Complain("List index is not within the allowable range; index: [" + std::string(digits) + "]");
  }
  references_.elements.push_back({"", false, index});
  return Expect(TokenKind::kCloseBracket);
}

Result<uint32_t> Parser::ParseValue() {
  if (!At(TokenKind::kValue)) return SyntaxError();
  const std::string_view token = Advance().text;
  std::vector<std::string>& tokens = references_.value_tokens;
  auto at = std::ranges::find(tokens, token);
  if (at == tokens.end()) at = tokens.emplace(tokens.end(), token);
  return static_cast<uint32_t>(at - tokens.begin());
}

Status Parser::CountOperator() {
  if (++operators_ > kMaxOperators) {
    return Invalid("The expression contains too many operators; operator count: " +
                   std::to_string(operators_));
  }
  return {};
}

// The service shows the token with its neighbours, as they stand in the text.
Error Parser::SyntaxError() const {
  const Token& token = current();
  const bool at_end = token.kind == TokenKind::kEnd;
  const Token& before = at_ > 0 ? tokens_[at_ - 1] : token;
  const Token& after = at_end ? before : tokens_[at_ + 1];
  const Token& last = after.kind == TokenKind::kEnd ? token : after;
  const char* end = last.text.data() + last.text.size();
  std::string what = "Syntax error; token: \"";
  what.append(at_end ? "<EOF>" : token.text)
      .append("\", near: \"")
      .append(before.text.data(), end)
      .append("\"");
  return Invalid(what);
}

void Parser::Complain(std::string_view what) {
  if (!complaint_) complaint_ = Invalid(what);
}

std::string WrongOperandCount(std::string_view function, size_t count) {
  std::string what =
      "Incorrect number of operands for operator or function; operator or function: ";
  return what.append(function).append(", number of operands: ").append(std::to_string(count));
}

std::string WrongOperandType(std::string_view function, item::Type type) {
  std::string what = "Incorrect operand type for operator or function; operator or function: ";
  return what.append(function).append(", operand type: ").append(item::TypeName(type));
}

std::string MisusedFunction(std::string_view function) {
  std::string what = "The function is not allowed to be used this way in an expression; function: ";
  return what.append(function);
}

std::string NeedsPath(std::string_view function) {
  std::string what = "Operator or function requires a document path; operator or function: ";
  return what.append(function);
}

}  // namespace monotable::expression
