#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "error/result.h"
#include "model/rule/rule_tree.h"
#include "text/characters.h"
#include "text/words.h"

namespace monotable::model {
namespace {

// The error for a mistake in a rule: what is wrong, and at which character, counted from one.
Error RuleError(std::string_view rule, size_t at, std::string what) {
  return Error::Validation(std::move(what) + ", at character " +
                           std::to_string(CharacterAt(rule, at)));
}

struct RuleToken {
  enum class Kind { kEnd, kNumber, kText, kWord, kSymbol };
  Kind kind = Kind::kEnd;
  std::string text;  // of kText without quotes
  size_t at = 0;     // byte of the rule where it begins
};

using TokenKind = RuleToken::Kind;

// Longer symbols first, so that <= is not read as <.
constexpr std::array<std::string_view, 15> kSymbols = {"==", "!=", "<=", ">=", "<", ">", "+", "-",
                                                       "*",  "/",  "(",  ")",  "[", "]", ","};

bool IsWordCharacter(char c) {
  return text::IsAlphanumeric(c) || c == '_' || c == '.' || text::IsBeyondAscii(c);
}

// Digits, or digits on both sides of a point. 15_DAYS is a word.
bool IsNumeral(std::string_view text) {
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
    if (IsNumeral(text)) return RuleToken{TokenKind::kNumber, std::string(text), begin};
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

// The tokens of a rule; the last is kEnd.
Result<std::vector<RuleToken>> ReadRuleTokens(std::string_view rule) {
  return RuleLexer(rule).Read();
}

using NodeKind = RuleNode::Kind;
using Token = RuleToken::Kind;

// Rules are short. Both limits keep a hostile rule from exhausting the stack.
constexpr size_t kMaxLength = 4096;
constexpr int kMaxDepth = 64;

struct RuleOperator {
  std::string_view text;
  NodeKind kind;
};
constexpr std::array<RuleOperator, 7> kComparisons = {{{"==", NodeKind::kEqual},
                                                       {"!=", NodeKind::kNotEqual},
                                                       {"<", NodeKind::kLess},
                                                       {"<=", NodeKind::kLessOrEqual},
                                                       {">", NodeKind::kGreater},
                                                       {">=", NodeKind::kGreaterOrEqual},
                                                       {"in", NodeKind::kIn}}};
constexpr std::array<RuleOperator, 2> kSums = {{{"+", NodeKind::kAdd}, {"-", NodeKind::kSubtract}}};
constexpr std::array<RuleOperator, 2> kProducts = {
    {{"*", NodeKind::kMultiply}, {"/", NodeKind::kDivide}}};

using Function = RuleNode::Function;

struct NamedFunction {
  std::string_view name;
  Function function;
};
constexpr std::array<NamedFunction, 11> kFunctions = {{{"sum", Function::kSum},
                                                       {"count", Function::kCount},
                                                       {"min", Function::kMin},
                                                       {"max", Function::kMax},
                                                       {"avg", Function::kAvg},
                                                       {"all", Function::kAll},
                                                       {"any", Function::kAny},
                                                       {"if", Function::kIf},
                                                       {"concat", Function::kConcat},
                                                       {"coalesce", Function::kCoalesce},
                                                       {"days", Function::kDays}}};

// Milliseconds of 4h, 30d and the like; nothing if the word is not a duration.
std::optional<int64_t> ParseDuration(std::string_view word) {
  constexpr std::array<std::pair<std::string_view, int64_t>, 5> kUnits = {
      {{"ms", 1}, {"s", 1000}, {"m", 60'000}, {"h", 3'600'000}, {"d", 86'400'000}}};
  constexpr int64_t kMost = 1'000'000;  // of any unit; a million days are 2,737 years
  const auto digits =
      static_cast<size_t>(std::find_if_not(word.begin(), word.end(), text::IsDigit) - word.begin());
  const auto count = text::ParseNumber<int64_t>(word.substr(0, digits));
  if (!count || *count > kMost) return std::nullopt;
  for (const auto& [unit, millis] : kUnits) {
    if (word.substr(digits) == unit) return *count * millis;
  }
  return std::nullopt;
}

RuleTree MakeNode(NodeKind kind, std::vector<RuleTree> operands, size_t at) {
  auto node = std::make_shared<RuleNode>();
  node->kind = kind;
  node->at = at;
  node->operands = std::move(operands);
  return node;
}

RuleTree MakeLiteral(item::Value value, size_t at, bool quoted = false) {
  auto node = std::make_shared<RuleNode>();
  node->literal = std::move(value);
  node->at = at;
  node->quoted = quoted;
  return node;
}

RuleTree MakePath(std::string path, size_t at) {
  auto node = std::make_shared<RuleNode>();
  node->kind = NodeKind::kPath;
  node->path = std::move(path);
  node->at = at;
  return node;
}

RuleTree MakeDuration(int64_t millis, size_t at) {
  auto node = std::make_shared<RuleNode>();
  node->kind = NodeKind::kDuration;
  node->millis = millis;
  node->at = at;
  return node;
}

// One function for each level of precedence, from loose to tight.
class RuleParser {
 public:
  RuleParser(std::string_view rule, std::vector<RuleToken> tokens)
      : rule_(rule), tokens_(std::move(tokens)) {}

  Result<RuleTree> Parse() {
    TRY_ASSIGN(RuleTree tree, ParseOr());
    if (Peek().kind != Token::kEnd) return Unexpected("nothing more, or an operator");
    return tree;
  }

 private:
  Result<RuleTree> ParseOr() {
    if (++depth_ > kMaxDepth) return Error::Validation("The rule is nested too deeply");
    TRY_ASSIGN(RuleTree left, ParseAnd());
    while (Take("or")) {
      TRY_ASSIGN(RuleTree right, ParseAnd());
      const size_t at = left->at;
      left = MakeNode(NodeKind::kOr, {std::move(left), std::move(right)}, at);
    }
    --depth_;
    return left;
  }

  Result<RuleTree> ParseAnd() {
    TRY_ASSIGN(RuleTree left, ParseNot());
    while (Take("and")) {
      TRY_ASSIGN(RuleTree right, ParseNot());
      const size_t at = left->at;
      left = MakeNode(NodeKind::kAnd, {std::move(left), std::move(right)}, at);
    }
    return left;
  }

  Result<RuleTree> ParseNot() {
    const size_t at = Peek().at;
    if (!Take("not")) return ParseComparison();
    if (++depth_ > kMaxDepth) return Error::Validation("The rule is nested too deeply");
    TRY_ASSIGN(RuleTree operand, ParseNot());
    --depth_;
    return MakeNode(NodeKind::kNot, {std::move(operand)}, at);
  }

  Result<RuleTree> ParseComparison() {
    TRY_ASSIGN(RuleTree left, ParseSum());
    const RuleOperator* comparison = TakeAny(kComparisons);
    if (comparison == nullptr) return left;
    TRY_ASSIGN(RuleTree right, ParseSum());
    const size_t at = left->at;
    return MakeNode(comparison->kind, {std::move(left), std::move(right)}, at);
  }

  Result<RuleTree> ParseSum() {
    TRY_ASSIGN(RuleTree left, ParseProduct());
    while (const RuleOperator* sum = TakeAny(kSums)) {
      TRY_ASSIGN(RuleTree right, ParseProduct());
      const size_t at = left->at;
      left = MakeNode(sum->kind, {std::move(left), std::move(right)}, at);
    }
    return left;
  }

  Result<RuleTree> ParseProduct() {
    TRY_ASSIGN(RuleTree left, ParseUnary());
    while (const RuleOperator* product = TakeAny(kProducts)) {
      TRY_ASSIGN(RuleTree right, ParseUnary());
      const size_t at = left->at;
      left = MakeNode(product->kind, {std::move(left), std::move(right)}, at);
    }
    return left;
  }

  Result<RuleTree> ParseUnary() {
    const size_t at = Peek().at;
    if (!Take("-")) return ParsePrimary();
    TRY_ASSIGN(RuleTree operand, ParsePrimary());
    return MakeNode(NodeKind::kNegate, {std::move(operand)}, at);
  }

  Result<RuleTree> ParsePrimary() {
    const size_t at = Peek().at;
    switch (Peek().kind) {
      case Token::kNumber: {
        TRY_ASSIGN(const item::Number number, item::Number::Parse(Next().text));
        return MakeLiteral(item::Value(number), at);
      }
      case Token::kText:
        return MakeLiteral(item::Value(Next().text), at, /*quoted=*/true);
      case Token::kWord:
        return ParseWord();
      case Token::kSymbol:
        if (Take("(")) {
          TRY_ASSIGN(RuleTree inside, ParseOr());
          TRY(Expect(")"));
          return inside;
        }
        if (Take("[")) return ParseList();
        break;
      case Token::kEnd:
        break;
    }
    return Unexpected("an attribute or a value");
  }

  Result<RuleTree> ParseWord() {
    for (const std::string_view keyword : {"or", "and", "not", "in"}) {
      if (Peek().text == keyword) return Unexpected("an attribute or a value");
    }
    const RuleToken& word = Next();
    if (word.text == "null") return MakeLiteral(item::Value(), word.at);
    if (word.text == "true" || word.text == "false") {
      return MakeLiteral(item::Value(word.text == "true"), word.at);
    }
    if (word.text == "now") return MakeNode(NodeKind::kNow, {}, word.at);
    if (const auto millis = ParseDuration(word.text)) return MakeDuration(*millis, word.at);
    if (!Take("(")) return MakePath(word.text, word.at);
    return ParseCall(word);
  }

  // After the opening parenthesis.
  Result<RuleTree> ParseCall(const RuleToken& word) {
    const auto* named = std::find_if(kFunctions.begin(), kFunctions.end(),
                                     [&](const auto& one) { return one.name == word.text; });
    if (named == kFunctions.end()) {
      std::string known;
      for (const NamedFunction& one : kFunctions) {
        known += (known.empty() ? "" : ", ") + std::string(one.name);
      }
      return RuleError(rule_, word.at,
                       "There is no function " + word.text + "; the functions are " + known);
    }
    std::vector<RuleTree> operands;
    do {
      TRY_ASSIGN(RuleTree operand, ParseOr());
      operands.push_back(std::move(operand));
    } while (Take(","));
    TRY(Expect(")"));
    auto node = std::make_shared<RuleNode>();
    node->function = named->function;
    node->at = word.at;
    TRY(IsAggregate(*named, operands) ? MakeAggregate(std::move(operands), node.get())
                                      : MakeCall(std::move(operands), node.get()));
    return RuleTree(std::move(node));
  }

  // min and max are both: of the members of a collection, or of several values.
  static bool IsAggregate(const NamedFunction& named, const std::vector<RuleTree>& operands) {
    switch (named.function) {
      case Function::kSum:
      case Function::kCount:
      case Function::kAvg:
      case Function::kAll:
      case Function::kAny:
        return true;
      case Function::kMin:
      case Function::kMax:
        return operands.size() == 1;
      default:
        return false;
    }
  }

  Status MakeAggregate(std::vector<RuleTree> operands, RuleNode* node) {
    const std::string name(FunctionName(node->function));
    const bool needs_condition =
        node->function == Function::kAll || node->function == Function::kAny;
    const size_t most =
        node->function == Function::kMin || node->function == Function::kMax ? 1 : 2;
    if (operands.front()->kind != NodeKind::kPath) {
      return RuleError(rule_, operands.front()->at,
                       name + " needs the name of a collection or a list first");
    }
    if (operands.size() > most || (needs_condition && operands.size() != 2)) {
      return RuleError(rule_, node->at,
                       needs_condition ? name + " needs a collection and a condition, as in " +
                                             name + "(lines, Quantity > 0)"
                                       : name + " takes a collection and at most one condition");
    }
    node->kind = NodeKind::kAggregate;
    node->path = operands.front()->path;
    node->operands.assign(operands.begin() + 1, operands.end());
    return {};
  }

  Status MakeCall(std::vector<RuleTree> operands, RuleNode* node) {
    const size_t count = operands.size();
    if (node->function == Function::kIf && count != 3) {
      return RuleError(rule_, node->at,
                       "if needs a condition, a value for when it holds, and another value");
    }
    if (node->function == Function::kDays && count != 2) {
      return RuleError(rule_, node->at, "days needs two dates, as in days(CheckIn, CheckOut)");
    }
    if (node->function == Function::kCoalesce && count < 2) {
      return RuleError(rule_, node->at, "coalesce needs at least two values");
    }
    node->kind = NodeKind::kCall;
    node->operands = std::move(operands);
    return {};
  }

  // After the opening bracket.
  Result<RuleTree> ParseList() {
    const size_t at = Peek().at;
    std::vector<RuleTree> members;
    if (Take("]")) return MakeNode(NodeKind::kList, {}, at);
    do {
      TRY_ASSIGN(RuleTree member, ParseOr());
      members.push_back(std::move(member));
    } while (Take(","));
    TRY(Expect("]"));
    return MakeNode(NodeKind::kList, std::move(members), at);
  }

  const RuleToken& Peek() const { return tokens_[at_]; }
  const RuleToken& Next() { return tokens_[at_++]; }

  // Takes the next token if it is this symbol or keyword; quoted text is neither.
  bool Take(std::string_view text) {
    const bool is_it =
        (Peek().kind == Token::kSymbol || Peek().kind == Token::kWord) && Peek().text == text;
    if (is_it) ++at_;
    return is_it;
  }

  template <size_t kSize>
  const RuleOperator* TakeAny(const std::array<RuleOperator, kSize>& operators) {
    for (const RuleOperator& candidate : operators) {
      if (Take(candidate.text)) return &candidate;
    }
    return nullptr;
  }

  Status Expect(std::string_view text) {
    if (Take(text)) return {};
    return Unexpected(std::string(text));
  }

  Error Unexpected(const std::string& expected) const {
    const std::string found = Peek().kind == Token::kEnd ? "the end" : "\"" + Peek().text + "\"";
    return RuleError(rule_, Peek().at, "Expected " + expected + ", found " + found);
  }

  std::string_view rule_;
  std::vector<RuleToken> tokens_;
  size_t at_ = 0;
  int depth_ = 0;
};

}  // namespace

size_t CharacterAt(std::string_view rule, size_t byte) {
  const auto before = rule.substr(0, byte);
  const auto characters = std::count_if(before.begin(), before.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  });
  return static_cast<size_t>(characters) + 1;
}

std::string_view FunctionName(RuleNode::Function function) {
  for (const NamedFunction& one : kFunctions) {
    if (one.function == function) return one.name;
  }
  return "";
}

Result<RuleTree> ParseRule(std::string_view rule) {
  if (rule.size() > kMaxLength) return Error::Validation("The rule is longer than 4096 bytes");
  TRY_ASSIGN(std::vector<RuleToken> tokens, ReadRuleTokens(rule));
  if (tokens.size() == 1) return Error::Validation("The rule is empty");
  return RuleParser(rule, std::move(tokens)).Parse();
}

}  // namespace monotable::model
