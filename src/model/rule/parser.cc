#include "model/rule/parser.h"

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "model/rule/lexer.h"

namespace monotable::model {
namespace {

using NodeKind = RuleNode::Kind;
using Token = RuleToken::Kind;

// Rules are short; both limits keep a hostile one from exhausting the stack.
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

RuleTree MakeNode(NodeKind kind, std::vector<RuleTree> operands) {
  auto node = std::make_shared<RuleNode>();
  node->kind = kind;
  node->operands = std::move(operands);
  return node;
}

RuleTree MakeLiteral(item::Value value) {
  auto node = std::make_shared<RuleNode>();
  node->literal = std::move(value);
  return node;
}

RuleTree MakePath(NodeKind kind, std::string path) {
  auto node = std::make_shared<RuleNode>();
  node->kind = kind;
  node->path = std::move(path);
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
      left = MakeNode(NodeKind::kOr, {std::move(left), std::move(right)});
    }
    --depth_;
    return left;
  }

  Result<RuleTree> ParseAnd() {
    TRY_ASSIGN(RuleTree left, ParseNot());
    while (Take("and")) {
      TRY_ASSIGN(RuleTree right, ParseNot());
      left = MakeNode(NodeKind::kAnd, {std::move(left), std::move(right)});
    }
    return left;
  }

  Result<RuleTree> ParseNot() {
    if (!Take("not")) return ParseComparison();
    if (++depth_ > kMaxDepth) return Error::Validation("The rule is nested too deeply");
    TRY_ASSIGN(RuleTree operand, ParseNot());
    --depth_;
    return MakeNode(NodeKind::kNot, {std::move(operand)});
  }

  Result<RuleTree> ParseComparison() {
    TRY_ASSIGN(RuleTree left, ParseSum());
    const RuleOperator* comparison = TakeAny(kComparisons);
    if (comparison == nullptr) return left;
    TRY_ASSIGN(RuleTree right, ParseSum());
    return MakeNode(comparison->kind, {std::move(left), std::move(right)});
  }

  Result<RuleTree> ParseSum() {
    TRY_ASSIGN(RuleTree left, ParseProduct());
    while (const RuleOperator* sum = TakeAny(kSums)) {
      TRY_ASSIGN(RuleTree right, ParseProduct());
      left = MakeNode(sum->kind, {std::move(left), std::move(right)});
    }
    return left;
  }

  Result<RuleTree> ParseProduct() {
    TRY_ASSIGN(RuleTree left, ParseUnary());
    while (const RuleOperator* product = TakeAny(kProducts)) {
      TRY_ASSIGN(RuleTree right, ParseUnary());
      left = MakeNode(product->kind, {std::move(left), std::move(right)});
    }
    return left;
  }

  Result<RuleTree> ParseUnary() {
    if (!Take("-")) return ParsePrimary();
    TRY_ASSIGN(RuleTree operand, ParsePrimary());
    return MakeNode(NodeKind::kNegate, {std::move(operand)});
  }

  Result<RuleTree> ParsePrimary() {
    switch (Peek().kind) {
      case Token::kNumber: {
        TRY_ASSIGN(const item::Number number, item::Number::Parse(Next().text));
        return MakeLiteral(item::Value(number));
      }
      case Token::kText:
        return MakeLiteral(item::Value(Next().text));
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
    if (word.text == "null") return MakeLiteral(item::Value());
    if (word.text == "true" || word.text == "false") {
      return MakeLiteral(item::Value(word.text == "true"));
    }
    if (word.text == "now") return MakeNode(NodeKind::kNow, {});
    if (!Take("(")) return MakePath(NodeKind::kPath, word.text);
    return ParseAggregate(word);
  }

  Result<RuleTree> ParseAggregate(const RuleToken& function) {
    const bool is_sum = function.text == "sum";
    if (!is_sum && function.text != "count") {
      return RuleError(rule_, function.at,
                       "There is no function " + function.text + "; there are sum and count");
    }
    if (Peek().kind != Token::kWord) return Unexpected("the name of a collection");
    std::string path = Next().text;
    TRY(Expect(")"));
    if (is_sum && path.find('.') == std::string::npos) {
      return RuleError(rule_, function.at,
                       "sum needs a member and its attribute, as in sum(lines.Total)");
    }
    return MakePath(is_sum ? NodeKind::kSum : NodeKind::kCount, std::move(path));
  }

  // After the opening bracket.
  Result<RuleTree> ParseList() {
    std::vector<RuleTree> members;
    if (Take("]")) return MakeNode(NodeKind::kList, {});
    do {
      TRY_ASSIGN(RuleTree member, ParseOr());
      members.push_back(std::move(member));
    } while (Take(","));
    TRY(Expect("]"));
    return MakeNode(NodeKind::kList, std::move(members));
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

Result<RuleTree> ParseRule(std::string_view rule) {
  if (rule.size() > kMaxLength) return Error::Validation("The rule is longer than 4096 bytes");
  TRY_ASSIGN(std::vector<RuleToken> tokens, ReadRuleTokens(rule));
  if (tokens.size() == 1) return Error::Validation("The rule is empty");
  return RuleParser(rule, std::move(tokens)).Parse();
}

}  // namespace monotable::model
