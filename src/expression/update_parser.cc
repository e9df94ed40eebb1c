#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "expression/expression_parser.h"
#include "expression/parse_cache.h"
#include "expression/update_tree.h"

namespace monotable::expression {
namespace {

using Action = ParsedUpdate::Action;
using UpdateOperand = ParsedUpdate::Operand;

constexpr std::array<std::string_view, 4> kUpdateKeywords = {"SET", "REMOVE", "ADD", "DELETE"};
constexpr std::array<Action::Kind, 4> kSections = {Action::Kind::kSet, Action::Kind::kRemove,
                                                   Action::Kind::kAdd, Action::Kind::kDelete};
constexpr std::array<std::string_view, 6> kConditionFunctions = {
    "attribute_exists", "attribute_not_exists",
    "attribute_type",   "begins_with",
    "contains",         "size"};

class UpdateParser : public Parser {
 public:
  explicit UpdateParser(std::string_view text)
      : Parser("UpdateExpression", text, kUpdateKeywords) {}

  Result<ParsedUpdate> Parse() {
    TRY(Start());
    do {
      TRY(ParseSection());
    } while (!At(TokenKind::kEnd));
    TRY(Finish());
    update_.references = TakeReferences();
    return std::move(update_);
  }

 private:
  struct Term {
    uint32_t operand = 0;
    bool is_sum = false;  // or a difference
    bool parenthesized = false;
  };

  Status ParseSection();
  Status ParseAction(Action::Kind kind);
  // operand | operand + operand | operand - operand
  Result<Term> ParseSum();
  Result<Term> ParseTerm();
  Result<Term> ParseParentheses();
  Result<uint32_t> ParseOperand();
  Result<uint32_t> ParseFunction();
  Result<std::vector<uint32_t>> ParseArguments();
  uint32_t Call(std::string_view name, const std::vector<uint32_t>& arguments);

  ParsedUpdate update_;
  std::array<bool, kSections.size()> seen_{};
  size_t depth_ = 0;
};

Status UpdateParser::ParseSection() {
  if (!At(TokenKind::kKeyword)) return SyntaxError();
  const auto keyword = std::ranges::find_if(
      kUpdateKeywords, [this](std::string_view name) { return AtKeyword(name); });
  const auto section = static_cast<size_t>(keyword - kUpdateKeywords.begin());
  if (std::exchange(seen_[section], true)) {
    Complain("The \"" + std::string(*keyword) +
             "\" section can only be used once in an update expression;");
  }
  Advance();
  do {
    TRY(ParseAction(kSections[section]));
  } while (Accept(TokenKind::kComma));
  return {};
}

Status UpdateParser::ParseAction(Action::Kind kind) {
  Action action;
  action.kind = kind;
  TRY_ASSIGN(action.path, ParsePath());
  if (kind == Action::Kind::kSet) {
    TRY(Expect(TokenKind::kEqual));
    TRY(CountOperator());
    TRY_ASSIGN(const Term value, ParseSum());
    action.operand = value.operand;
  } else if (kind != Action::Kind::kRemove) {
    TRY(CountOperator());
    TRY_ASSIGN(const uint32_t slot, ParseValue());
    action.operand = update_.AddOperand({UpdateOperand::Kind::kValue, slot, 0});
  }
  update_.actions.push_back(action);
  return {};
}

Result<UpdateParser::Term> UpdateParser::ParseSum() {
  TRY_ASSIGN(Term left, ParseTerm());
  if (!At(TokenKind::kPlus) && !At(TokenKind::kMinus)) return left;
  if (left.is_sum) return SyntaxError();
  TRY(CountOperator());
  const bool plus = Advance().kind == TokenKind::kPlus;
  TRY_ASSIGN(const uint32_t right, ParseOperand());
  const auto kind = plus ? UpdateOperand::Kind::kPlus : UpdateOperand::Kind::kMinus;
  return Term{update_.AddOperand({kind, left.operand, right}), true, false};
}

Result<UpdateParser::Term> UpdateParser::ParseTerm() {
  if (At(TokenKind::kOpen)) return ParseParentheses();
  Term term;
  if (AtFunction()) {
    TRY_ASSIGN(term.operand, ParseFunction());
  } else if (At(TokenKind::kValue)) {
    TRY_ASSIGN(const uint32_t slot, ParseValue());
    term.operand = update_.AddOperand({UpdateOperand::Kind::kValue, slot, 0});
  } else {
    TRY_ASSIGN(const uint32_t slot, ParsePath());
    term.operand = update_.AddOperand({UpdateOperand::Kind::kPath, slot, 0});
  }
  return term;
}

Result<UpdateParser::Term> UpdateParser::ParseParentheses() {
  if (++depth_ > kMaxNesting) return Invalid(kRedundantParentheses);
  Advance();
  TRY_ASSIGN(Term term, ParseSum());
  TRY(Expect(TokenKind::kClose));
  --depth_;
  if (term.parenthesized) Complain(kRedundantParentheses);
  term.parenthesized = true;
  return term;
}

Result<uint32_t> UpdateParser::ParseOperand() {
  TRY_ASSIGN(const Term term, ParseTerm());
  if (term.is_sum) return SyntaxError();
  return term.operand;
}

Result<uint32_t> UpdateParser::ParseFunction() {
  TRY(CountOperator());
  const std::string_view name = Advance().text;
  if (name != "if_not_exists" && name != "list_append") {
    const bool of_conditions = std::ranges::count(kConditionFunctions, name) > 0;
    Complain((of_conditions ? "The function is not allowed in an update expression; function: "
                            : "Invalid function name; function: ") +
             std::string(name));
  }
  TRY(Expect(TokenKind::kOpen));
  TRY_ASSIGN(const std::vector<uint32_t> arguments, ParseArguments());
  if (arguments.size() != 2) {
    Complain(WrongOperandCount(name, arguments.size()));
    return arguments.front();
  }
  return Call(name, arguments);
}

Result<std::vector<uint32_t>> UpdateParser::ParseArguments() {
  std::vector<uint32_t> arguments;
  do {
    TRY_ASSIGN(const uint32_t argument, ParseOperand());
    arguments.push_back(argument);
  } while (Accept(TokenKind::kComma));
  TRY(Expect(TokenKind::kClose));
  return arguments;
}

uint32_t UpdateParser::Call(std::string_view name, const std::vector<uint32_t>& arguments) {
  if (name == "list_append") {
    return update_.AddOperand({UpdateOperand::Kind::kListAppend, arguments[0], arguments[1]});
  }
  const UpdateOperand& first = update_.operands[arguments[0]];
  if (first.kind != UpdateOperand::Kind::kPath) Complain(NeedsPath(name));
  return update_.AddOperand({UpdateOperand::Kind::kIfNotExists, first.first, arguments[1]});
}

}  // namespace

uint32_t ParsedUpdate::AddOperand(UpdateOperand operand) {
  operands.push_back(operand);
  return static_cast<uint32_t>(operands.size() - 1);
}

Result<std::shared_ptr<const ParsedUpdate>> ParseUpdateTree(std::string_view text) {
  thread_local ParseCache<ParsedUpdate> cache;
  return cache.FindOrParse(text, [&] { return UpdateParser(text).Parse(); });
}

}  // namespace monotable::expression
