#include "model/rule/lexer.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "text/characters.h"

namespace monotable::model {
namespace {

using TokenKind = RuleToken::Kind;

// Longer symbols first, so that <= is not read as <.
constexpr std::array<std::string_view, 15> kSymbols = {"==", "!=", "<=", ">=", "<", ">", "+", "-",
                                                       "*",  "/",  "(",  ")",  "[", "]", ","};

bool IsWordCharacter(char c) {
  return text::IsAlphanumeric(c) || c == '_' || c == '.' || text::IsBeyondAscii(c);
}

// Digits, or digits on both sides of a point. 15_DAYS is a word.
bool IsNumber(std::string_view text) {
  const size_t point = std::min(text.find('.'), text.size());
  const auto is_digits = [](std::string_view part) {
    return !part.empty() && std::all_of(part.begin(), part.end(), text::IsDigit);
  };
  return is_digits(text.substr(0, point)) &&
         (point == text.size() || is_digits(text.substr(point + 1)));
}

class RuleLexer {
 public:
  explicit RuleLexer(std::string_view rule) : rule_(rule) {}

  Result<std::vector<RuleToken>> Read() {
    std::vector<RuleToken> tokens;
    while (true) {
      at_ = std::min(rule_.find_first_not_of(" \t\r\n", at_), rule_.size());
      if (at_ == rule_.size()) break;
      TRY_ASSIGN(RuleToken token, Next());
      tokens.push_back(std::move(token));
    }
    tokens.push_back({TokenKind::kEnd, "", rule_.size()});
    return tokens;
  }

 private:
  Result<RuleToken> Next() {
    if (rule_[at_] == '\'') return QuotedText();
    if (IsWordCharacter(rule_[at_])) return Word();
    for (const std::string_view symbol : kSymbols) {
      if (!rule_.substr(at_).starts_with(symbol)) continue;
      RuleToken token{TokenKind::kSymbol, std::string(symbol), at_};
      at_ += symbol.size();
      return token;
    }
    if (rule_[at_] == '=') return RuleError(rule_, at_, "Equality is written ==");
    if (rule_[at_] == '"') return RuleError(rule_, at_, "Text is written in single quotes");
    return RuleError(rule_, at_, std::string("\"") + rule_[at_] + "\" means nothing in a rule");
  }

  Result<RuleToken> Word() {
    const size_t begin = at_;
    while (at_ < rule_.size() && IsWordCharacter(rule_[at_])) ++at_;
    const std::string_view text = rule_.substr(begin, at_ - begin);
    if (IsNumber(text)) return RuleToken{TokenKind::kNumber, std::string(text), begin};
    if (text.starts_with('.') || text.ends_with('.') || text.find("..") != std::string_view::npos) {
      return RuleError(rule_, begin,
                       "\"" + std::string(text) + "\" lacks a name beside one of its points");
    }
    return RuleToken{TokenKind::kWord, std::string(text), begin};
  }

  // A quote inside the text is written twice.
  Result<RuleToken> QuotedText() {
    const size_t begin = at_;
    std::string text;
    for (size_t at = begin + 1; at < rule_.size(); ++at) {
      if (rule_[at] != '\'') {
        text.push_back(rule_[at]);
      } else if (rule_.substr(at + 1).starts_with('\'')) {
        text.push_back('\'');
        ++at;
      } else {
        at_ = at + 1;
        return RuleToken{TokenKind::kText, std::move(text), begin};
      }
    }
    return RuleError(rule_, begin, "The text that begins here has no closing quote");
  }

  std::string_view rule_;
  size_t at_ = 0;
};

}  // namespace

Result<std::vector<RuleToken>> ReadRuleTokens(std::string_view rule) {
  return RuleLexer(rule).Read();
}

Error RuleError(std::string_view rule, size_t at, std::string what) {
  const auto before = rule.substr(0, at);
  const auto characters = std::count_if(before.begin(), before.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  });
  return Error::Validation(std::move(what) + ", at character " + std::to_string(characters + 1));
}

}  // namespace monotable::model
