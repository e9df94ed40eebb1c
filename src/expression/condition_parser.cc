#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>

#include "expression/condition_tree.h"
#include "expression/expression_parser.h"
#include "expression/parse_cache.h"

namespace monotable::expression {
namespace {

constexpr size_t kMaxInOperands = 100;
constexpr std::array<std::string_view, 5> kConditionKeywords = {"AND", "OR", "NOT", "IN",
                                                                "BETWEEN"};

struct Function {
  std::string_view name;
  size_t operands;
  std::optional<ConditionOp> op;  // none for size, which is an operand itself
};

constexpr std::array<Function, 6> kFunctions = {{
    {"attribute_exists", 1, ConditionOp::kAttributeExists},
    {"attribute_not_exists", 1, ConditionOp::kAttributeNotExists},
    {"attribute_type", 2, ConditionOp::kAttributeType},
    {"begins_with", 2, ConditionOp::kBeginsWith},
    {"contains", 2, ConditionOp::kContains},
    {"size", 1, std::nullopt},
}};

std::optional<ConditionOp> Comparator(TokenKind kind) {
  switch (kind) {
    case TokenKind::kEqual:
      return ConditionOp::kEqual;
    case TokenKind::kNotEqual:
      return ConditionOp::kNotEqual;
    case TokenKind::kLess:
      return ConditionOp::kLess;
    case TokenKind::kLessEqual:
      return ConditionOp::kLessEqual;
    case TokenKind::kGreater:
      return ConditionOp::kGreater;
    case TokenKind::kGreaterEqual:
      return ConditionOp::kGreaterEqual;
    default:
      return std::nullopt;
  }
}

// Recursive descent over OR, AND, NOT, comparisons and parentheses. Whether parentheses hold a
// condition or an operand, as in (size(a)) < :v, is known only after they close, so everything is a
// Term until its place demands one or the other.
class ConditionParser : public Parser {
 public:
  ConditionParser(std::string_view parameter, std::string_view text)
      : Parser(parameter, text, kConditionKeywords) {}

  Result<ParsedCondition> Parse() {
    TRY(Start());
    TRY_ASSIGN(const Term term, ParseOr());
    TRY(AsCondition(term));
    TRY(Finish());
    tree_.references = TakeReferences();
    return std::move(tree_);
  }

 private:
  struct Term {
    std::optional<uint32_t> condition;  // its node
    Operand operand;                    // if it is not a condition
    std::string_view function;          // the name, if it is a function
    bool parenthesized = false;

    static Term Condition(uint32_t node) { return {node, {}, {}, false}; }
  };

  Result<Term> ParseOr();
  Result<Term> ParseAnd();
  Result<Term> ParseNot();
  Result<Term> ParseComparison();
  Result<Term> ParseBetween(const Operand& left);
  Result<Term> ParseIn(const Operand& left);
  Result<Term> ParsePrimary();
  Result<Term> ParseParentheses();
  Result<Term> ParseFunction();
  Term Call(const Function& function, const std::vector<Operand>& arguments);

  Result<Operand> ParseOperand();
  // The operands between parentheses, with the closing one.
  Result<std::vector<Operand>> ParseOperands();

  // The node of a term that stands where a condition belongs, or the operand of a term that stands
  // where an operand belongs. A function in the wrong place is a complaint; anything else is a
  // syntax error.
  Result<uint32_t> AsCondition(const Term& term);
  Result<Operand> AsOperand(const Term& term);

  ParsedCondition tree_;
  size_t depth_ = 0;
};

Result<ConditionParser::Term> ConditionParser::ParseOr() {
  TRY_ASSIGN(Term first, ParseAnd());
  if (!AtKeyword("OR")) return first;
  TRY_ASSIGN(const uint32_t node, AsCondition(first));
  std::vector<uint32_t> nodes{node};
  while (AcceptKeyword("OR")) {
    TRY(CountOperator());
    TRY_ASSIGN(const Term next, ParseAnd());
    TRY_ASSIGN(const uint32_t next_node, AsCondition(next));
    nodes.push_back(next_node);
  }
  return Term::Condition(tree_.AddLogical(ConditionOp::kOr, nodes));
}

Result<ConditionParser::Term> ConditionParser::ParseAnd() {
  TRY_ASSIGN(Term first, ParseNot());
  if (!AtKeyword("AND")) return first;
  TRY_ASSIGN(const uint32_t node, AsCondition(first));
  std::vector<uint32_t> nodes{node};
  while (AcceptKeyword("AND")) {
    TRY(CountOperator());
    TRY_ASSIGN(const Term next, ParseNot());
    TRY_ASSIGN(const uint32_t next_node, AsCondition(next));
    nodes.push_back(next_node);
  }
  return Term::Condition(tree_.AddLogical(ConditionOp::kAnd, nodes));
}

Result<ConditionParser::Term> ConditionParser::ParseNot() {
  if (!AcceptKeyword("NOT")) return ParseComparison();
  TRY(CountOperator());
  TRY_ASSIGN(const Term negated, ParseNot());
  TRY_ASSIGN(const uint32_t node, AsCondition(negated));
  return Term::Condition(tree_.AddLogical(ConditionOp::kNot, std::array{node}));
}

Result<ConditionParser::Term> ConditionParser::ParseComparison() {
  TRY_ASSIGN(Term left, ParsePrimary());
  const std::optional<ConditionOp> comparator = Comparator(current().kind);
  if (!comparator && !AtKeyword("BETWEEN") && !AtKeyword("IN")) return left;
  TRY_ASSIGN(const Operand first, AsOperand(left));
  TRY(CountOperator());
  if (AcceptKeyword("BETWEEN")) return ParseBetween(first);
  if (AcceptKeyword("IN")) return ParseIn(first);
  Advance();
  TRY_ASSIGN(const Operand second, ParseOperand());
  return Term::Condition(tree_.Add(*comparator, std::array{first, second}));
}

Result<ConditionParser::Term> ConditionParser::ParseBetween(const Operand& left) {
  TRY_ASSIGN(const Operand low, ParseOperand());
  if (!AcceptKeyword("AND")) return SyntaxError();
  TRY_ASSIGN(const Operand high, ParseOperand());
  return Term::Condition(tree_.Add(ConditionOp::kBetween, std::array{left, low, high}));
}

Result<ConditionParser::Term> ConditionParser::ParseIn(const Operand& left) {
  TRY(Expect(TokenKind::kOpen));
  TRY_ASSIGN(std::vector<Operand> operands, ParseOperands());
  if (operands.size() > kMaxInOperands) {
    Complain("The IN operator is provided with too many operands; number of operands: " +
             std::to_string(operands.size()));
  }
  operands.insert(operands.begin(), left);
  return Term::Condition(tree_.Add(ConditionOp::kIn, operands));
}

Result<ConditionParser::Term> ConditionParser::ParsePrimary() {
  if (At(TokenKind::kOpen)) return ParseParentheses();
  if (AtFunction()) return ParseFunction();
  Term term;
  if (At(TokenKind::kValue)) {
    term.operand.kind = Operand::Kind::kValue;
    TRY_ASSIGN(term.operand.slot, ParseValue());
  } else {
    TRY_ASSIGN(term.operand.slot, ParsePath());
  }
  return term;
}

Result<ConditionParser::Term> ConditionParser::ParseParentheses() {
  if (++depth_ > kMaxNesting) return Invalid(kRedundantParentheses);
  Advance();
  TRY_ASSIGN(Term term, ParseOr());
  TRY(Expect(TokenKind::kClose));
  --depth_;
  if (term.parenthesized) Complain(kRedundantParentheses);
  term.parenthesized = true;
  return term;
}

Result<ConditionParser::Term> ConditionParser::ParseFunction() {
  TRY(CountOperator());
  const std::string_view name = Advance().text;
  TRY(Expect(TokenKind::kOpen));
  const auto function = std::ranges::find(kFunctions, name, &Function::name);
  if (function == kFunctions.end()) {
    const bool of_updates = name == "if_not_exists" || name == "list_append";
    Complain((of_updates ? "The function is not allowed in a condition expression; function: "
                         : "Invalid function name; function: ") +
             std::string(name));
  }
  TRY_ASSIGN(const std::vector<Operand> arguments, ParseOperands());
  // The parser has already complained about an unknown function, so it may pass as any kind of
  // term.
  if (function == kFunctions.end()) return Call(kFunctions.front(), arguments);
  if (arguments.size() != function->operands) {
    Complain(WrongOperandCount(name, arguments.size()));
  }
  return Call(*function, arguments);
}

ConditionParser::Term ConditionParser::Call(const Function& function,
                                            const std::vector<Operand>& arguments) {
  Term term;
  term.function = function.name;
  if (function.op) {
    term.condition = tree_.Add(*function.op, arguments);
    return term;
  }
  term.operand = arguments.front();
  if (term.operand.is_size) Complain(WrongOperandType(function.name, item::Type::kNumber));
  term.operand.is_size = true;
  return term;
}

Result<Operand> ConditionParser::ParseOperand() {
  TRY_ASSIGN(const Term term, ParsePrimary());
  return AsOperand(term);
}

Result<std::vector<Operand>> ConditionParser::ParseOperands() {
  // Functions nest here without adding parentheses, so the depth is checked again.
  if (++depth_ > kMaxNesting) return Invalid(kRedundantParentheses);
  std::vector<Operand> operands;
  do {
    TRY_ASSIGN(const Operand operand, ParseOperand());
    operands.push_back(operand);
  } while (Accept(TokenKind::kComma));
  TRY(Expect(TokenKind::kClose));
  --depth_;
  return operands;
}

Result<uint32_t> ConditionParser::AsCondition(const Term& term) {
  if (term.condition) return *term.condition;
  if (term.function.empty()) return SyntaxError();
  Complain(MisusedFunction(term.function));
  return 0;
}

Result<Operand> ConditionParser::AsOperand(const Term& term) {
  if (!term.condition) return term.operand;
  if (term.function.empty()) return SyntaxError();
  Complain(MisusedFunction(term.function));
  return Operand{};
}

}  // namespace

std::string_view OpName(ConditionOp op) {
  switch (op) {
    case ConditionOp::kAnd:
      return "AND";
    case ConditionOp::kOr:
      return "OR";
    case ConditionOp::kNot:
      return "NOT";
    case ConditionOp::kEqual:
      return "=";
    case ConditionOp::kNotEqual:
      return "<>";
    case ConditionOp::kLess:
      return "<";
    case ConditionOp::kLessEqual:
      return "<=";
    case ConditionOp::kGreater:
      return ">";
    case ConditionOp::kGreaterEqual:
      return ">=";
    case ConditionOp::kBetween:
      return "BETWEEN";
    case ConditionOp::kIn:
      return "IN";
    case ConditionOp::kAttributeExists:
      return "attribute_exists";
    case ConditionOp::kAttributeNotExists:
      return "attribute_not_exists";
    case ConditionOp::kAttributeType:
      return "attribute_type";
    case ConditionOp::kBeginsWith:
      return "begins_with";
    case ConditionOp::kContains:
      return "contains";
  }
  return "";
}

uint32_t ParsedCondition::AddLogical(ConditionOp op, std::span<const uint32_t> below) {
  nodes.push_back(
      {op, static_cast<uint32_t>(children.size()), static_cast<uint32_t>(below.size())});
  children.insert(children.end(), below.begin(), below.end());
  return static_cast<uint32_t>(nodes.size() - 1);
}

uint32_t ParsedCondition::Add(ConditionOp op, std::span<const Operand> of) {
  nodes.push_back({op, static_cast<uint32_t>(operands.size()), static_cast<uint32_t>(of.size())});
  operands.insert(operands.end(), of.begin(), of.end());
  return static_cast<uint32_t>(nodes.size() - 1);
}

Result<std::shared_ptr<const ParsedCondition>> ParseConditionTree(std::string_view text,
                                                                  std::string_view parameter) {
  thread_local ParseCache<ParsedCondition> cache;
  return cache.FindOrParse(text, [&] { return ConditionParser(parameter, text).Parse(); });
}

}  // namespace monotable::expression
