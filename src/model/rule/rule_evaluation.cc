#include <algorithm>
#include <compare>
#include <optional>
#include <string>
#include <utility>

#include "error/result.h"
#include "item/value.h"
#include "model/instant.h"
#include "model/rule/rule.h"
#include "model/rule/rule_tree.h"
#include "time/calendar.h"

namespace monotable::model {
namespace {

using NodeKind = RuleNode::Kind;
using Function = RuleNode::Function;
using item::Number;
using item::Type;
using item::Value;

constexpr int64_t kDayMillis = 86'400'000;

// What a part of a rule evaluates to. Values of items are borrowed, because most of them are only
// compared.
struct Operand {
  enum class Sort { kNull, kValue, kMoment, kDuration };

  Sort sort = Sort::kNull;
  const Value* borrowed = nullptr;  // of a kValue that was not made; also of a stored moment
  std::optional<Value> made;
  int64_t millis = 0;  // of a moment since 1970, of a duration its length

  bool is_null() const { return sort == Sort::kNull; }
  bool is_value() const { return sort == Sort::kValue; }
  bool is_moment() const { return sort == Sort::kMoment; }
  bool is_duration() const { return sort == Sort::kDuration; }
  bool is(Type type) const { return is_value() && value().is(type); }
  const Value& value() const { return made ? *made : *borrowed; }
};

Operand Borrow(const Value* value) {
  Operand operand;
  if (value == nullptr || value->is(Type::kNull)) return operand;
  operand.sort = Operand::Sort::kValue;
  operand.borrowed = value;
  return operand;
}

Operand Made(Value value) {
  Operand operand;
  operand.sort = Operand::Sort::kValue;
  operand.made = std::move(value);
  return operand;
}

Operand MadeMoment(int64_t millis) {
  Operand operand;
  operand.sort = Operand::Sort::kMoment;
  operand.millis = millis;
  return operand;
}

Operand MadeDuration(int64_t millis) {
  Operand operand;
  operand.sort = Operand::Sort::kDuration;
  operand.millis = millis;
  return operand;
}

std::optional<Instant> ReadMoment(const Value& value, RuleNode::Moment form) {
  switch (form) {
    case RuleNode::Moment::kIso:
      return ReadInstant(value, InstantForm::kIso);
    case RuleNode::Moment::kBrazilian:
      return ReadInstant(value, InstantForm::kBrazilian);
    case RuleNode::Moment::kEpoch:
      return ReadInstant(value, InstantForm::kEpoch);
    case RuleNode::Moment::kEpochMillis:
      return ReadInstant(value, InstantForm::kEpochMillis);
    case RuleNode::Moment::kDate:
    case RuleNode::Moment::kNo:
      break;
  }
  return ReadInstant(value);
}

// A value of an attribute that the model says is a moment.
Operand BorrowAs(const Value* value, RuleNode::Moment form) {
  Operand operand = Borrow(value);
  if (operand.is_null() || form == RuleNode::Moment::kNo) return operand;
  // Items that were written past the model may hold the moment in another form.
  auto instant = ReadMoment(*value, form);
  if (!instant) instant = ReadInstant(*value);
  if (!instant) return operand;
  operand.sort = Operand::Sort::kMoment;
  operand.millis = instant->millis;
  return operand;
}

std::string SortText(const Operand& operand) {
  switch (operand.sort) {
    case Operand::Sort::kValue:
      return "type " + std::string(item::TypeName(operand.value().type()));
    case Operand::Sort::kMoment:
      return "an instant";
    case Operand::Sort::kDuration:
      return "a duration";
    case Operand::Sort::kNull:
      break;
  }
  return "null";
}

std::optional<int64_t> MomentOf(const Operand& operand) {
  if (operand.is_moment()) return operand.millis;
  if (!operand.is_value()) return std::nullopt;
  const auto instant = ReadInstant(operand.value());
  return instant ? std::optional(instant->millis) : std::nullopt;
}

// Two texts are compared as moments only if both are moments: a name that looks like a date stays
// text beside another name. A number is a moment only beside a text or a moment, because two
// numbers compare as numbers.
std::optional<std::strong_ordering> CompareMoments(const Operand& a, const Operand& b) {
  const auto may_be = [](const Operand& one) { return one.is_moment() || one.is(Type::kString); };
  if (!may_be(a) && !may_be(b)) return std::nullopt;
  const std::optional<int64_t> left = MomentOf(a);
  const std::optional<int64_t> right = left ? MomentOf(b) : std::nullopt;
  if (!right) return std::nullopt;
  return *left <=> *right;
}

bool AreEqual(const Operand& a, const Operand& b) {
  if (a.is_duration() || b.is_duration()) return a.sort == b.sort && a.millis == b.millis;
  const auto moments = CompareMoments(a, b);
  if (moments) return *moments == 0;
  return a.is_value() && b.is_value() && a.value() == b.value();
}

Result<std::strong_ordering> Compare(const Operand& a, const Operand& b) {
  if (a.is_duration() && b.is_duration()) return a.millis <=> b.millis;
  if (const auto moments = CompareMoments(a, b)) return *moments;
  if (a.is(Type::kNumber) && b.is(Type::kNumber)) return a.value().number() <=> b.value().number();
  if (a.is(Type::kString) && b.is(Type::kString)) return a.value().string() <=> b.value().string();
  return Error::Validation(SortText(a) + " and " + SortText(b) + " have no order");
}

Result<bool> IsMember(const Operand& operand, const Operand& group) {
  if (!group.is_value()) return Error::Validation("in needs a list or a set");
  const Value& all = group.value();
  switch (all.type()) {
    case Type::kList:
      return std::any_of(all.list().begin(), all.list().end(),
                         [&](const Value& member) { return AreEqual(operand, Borrow(&member)); });
    case Type::kStringSet:
      return operand.is(Type::kString) &&
             std::binary_search(all.string_set().begin(), all.string_set().end(),
                                operand.value().string());
    case Type::kNumberSet:
      return operand.is(Type::kNumber) &&
             std::find(all.number_set().begin(), all.number_set().end(),
                       operand.value().number()) != all.number_set().end();
    default:
      return Error::Validation("in needs a list or a set, and not " + SortText(group));
  }
}

Result<bool> CompareAs(NodeKind kind, const Operand& a, const Operand& b) {
  if (kind == NodeKind::kEqual) return AreEqual(a, b);
  if (kind == NodeKind::kNotEqual) return !AreEqual(a, b);
  if (kind == NodeKind::kIn) return IsMember(a, b);
  TRY_ASSIGN(const std::strong_ordering order, Compare(a, b));
  switch (kind) {
    case NodeKind::kLess:
      return order < 0;
    case NodeKind::kLessOrEqual:
      return order <= 0;
    case NodeKind::kGreater:
      return order > 0;
    default:
      return order >= 0;
  }
}

Result<Number> Calculate(NodeKind kind, const Number& a, const Number& b) {
  switch (kind) {
    case NodeKind::kAdd:
      return Number::Add(a, b);
    case NodeKind::kMultiply:
      return Number::Multiply(a, b);
    case NodeKind::kDivide:
      return Number::Divide(a, b);
    default:
      return Number::Subtract(a, b);
  }
}

Result<Operand> MomentWithin(int64_t millis) {
  if (millis < time::kEarliestMs || millis > time::kLatestMs) {
    return Error::Validation("the moment is not between the years 1 and 9999");
  }
  return MadeMoment(millis);
}

Result<Operand> DurationOf(const Number& millis) {
  int64_t whole = 0;
  constexpr int64_t kMost = time::kLatestMs - time::kEarliestMs;
  if (!millis.RoundToScale(0).ToInt64(&whole) || whole > kMost || whole < -kMost) {
    return Error::Validation("the duration is longer than all of time");
  }
  return MadeDuration(whole);
}

Result<Operand> NumberOperand(Result<Number> number) {
  if (!number) return std::move(number).error();
  return Made(Value(*number));
}

Error CannotCalculate(const Operand& operand) {
  return Error::Validation(SortText(operand) + " cannot be calculated with");
}

// Sums and differences of moments and durations. Nothing if neither operand is one of these.
std::optional<Result<Operand>> ShiftTime(NodeKind kind, const Operand& a, const Operand& b) {
  const bool adds = kind == NodeKind::kAdd;
  if (a.is_duration() && b.is_duration()) {
    return DurationOf(Number::FromInt(adds ? a.millis + b.millis : a.millis - b.millis));
  }
  if (b.is_duration()) {
    const auto moment = MomentOf(a);
    if (!moment) return CannotCalculate(a);
    return MomentWithin(adds ? *moment + b.millis : *moment - b.millis);
  }
  if (a.is_duration() && adds) {
    const auto moment = MomentOf(b);
    if (!moment) return CannotCalculate(b);
    return MomentWithin(*moment + a.millis);
  }
  if (!adds && (a.is_moment() || b.is_moment())) {
    const auto left = MomentOf(a);
    const auto right = MomentOf(b);
    if (!left || !right) return CannotCalculate(left ? b : a);
    return DurationOf(Number::FromInt(*left - *right));
  }
  return std::nullopt;
}

// Products and quotients with durations. Nothing if no operand is one.
std::optional<Result<Operand>> ScaleTime(NodeKind kind, const Operand& a, const Operand& b) {
  const bool multiplies = kind == NodeKind::kMultiply;
  if (a.is_duration() && b.is_duration() && !multiplies) {
    return NumberOperand(Number::Divide(Number::FromInt(a.millis), Number::FromInt(b.millis)));
  }
  const Operand& duration = a.is_duration() ? a : b;
  const Operand& factor = a.is_duration() ? b : a;
  if (!duration.is_duration()) return std::nullopt;
  if (!factor.is(Type::kNumber) || (!multiplies && !a.is_duration())) {
    return CannotCalculate(factor.is(Type::kNumber) ? duration : factor);
  }
  const auto scaled = Calculate(kind, Number::FromInt(duration.millis), factor.value().number());
  if (!scaled) return scaled.error();
  return DurationOf(*scaled);
}

// A null counts as zero beside a number in sums and differences, so that a counter that was never
// written counts from zero.
Result<Operand> CalculateWith(NodeKind kind, const Operand& a, const Operand& b) {
  const bool is_sum = kind == NodeKind::kAdd || kind == NodeKind::kSubtract;
  if (a.is_null() || b.is_null()) {
    if (is_sum && b.is(Type::kNumber)) {
      return NumberOperand(Calculate(kind, Number(), b.value().number()));
    }
    if (is_sum && a.is(Type::kNumber)) return a;
    return Operand();
  }
  auto time = is_sum ? ShiftTime(kind, a, b) : ScaleTime(kind, a, b);
  if (time) return *std::move(time);
  if (!a.is(Type::kNumber)) return CannotCalculate(a);
  if (!b.is(Type::kNumber)) return CannotCalculate(b);
  return NumberOperand(Calculate(kind, a.value().number(), b.value().number()));
}

// A value of a map by its path; the value itself if the path is empty.
const Value* Descend(const Value* value, std::string_view path) {
  while (!path.empty()) {
    if (value == nullptr || !value->is(Type::kMap)) return nullptr;
    const std::string_view name = path.substr(0, path.find('.'));
    value = value->map().Find(name);
    path.remove_prefix(std::min(name.size() + 1, path.size()));
  }
  return value;
}

// Visits the members of a list, a set or a map that stands in the item itself.
Status VisitList(const Value& all, const Rule::Visit& visit) {
  bool goes_on = true;
  const auto show = [&](const Value& member) -> Status {
    TRY_ASSIGN(goes_on, visit([&](std::string_view path) { return Descend(&member, path); }));
    return {};
  };
  if (all.is(Type::kList)) {
    for (size_t i = 0; i < all.list().size() && goes_on; ++i) TRY(show(all.list()[i]));
  } else if (all.is(Type::kMap)) {
    for (auto one = all.map().begin(); one != all.map().end() && goes_on; ++one) {
      TRY(show(one->value));
    }
  } else if (all.is(Type::kStringSet)) {
    for (size_t i = 0; i < all.string_set().size() && goes_on; ++i) {
      TRY(show(Value(all.string_set()[i])));
    }
  } else if (all.is(Type::kNumberSet)) {
    for (size_t i = 0; i < all.number_set().size() && goes_on; ++i) {
      TRY(show(Value(all.number_set()[i])));
    }
  }
  return {};
}

// What an aggregate knows after some members.
struct Tally {
  int64_t count = 0;
  Number sum;
  Operand best;          // the least or the greatest so far; owns its value
  bool decided = false;  // of all and any: no other member can change the answer
};

class RuleEvaluation {
 public:
  explicit RuleEvaluation(const Rule::Scope& scope, const Rule::Find* member = nullptr)
      : scope_(scope), member_(member) {}

  Result<Operand> Evaluate(const RuleNode& node) const {
    switch (node.kind) {
      case NodeKind::kLiteral:
        return Borrow(&node.literal);
      case NodeKind::kDuration:
        return MadeDuration(node.millis);
      case NodeKind::kList:
        return EvaluateList(node);
      case NodeKind::kPath: {
        const Rule::Find& find = node.of_member && member_ != nullptr ? *member_ : scope_.find;
        return BorrowAs(find(node.path), node.moment);
      }
      case NodeKind::kNow:
        return scope_.now_ms ? MadeMoment(*scope_.now_ms) : Operand();
      case NodeKind::kAggregate:
        return EvaluateAggregate(node);
      case NodeKind::kCall:
        return EvaluateCall(node);
      case NodeKind::kOr:
      case NodeKind::kAnd:
        return EvaluateLogic(node);
      case NodeKind::kNot: {
        TRY_ASSIGN(const bool operand, Test(*node.operands[0]));
        return Made(Value(!operand));
      }
      case NodeKind::kNegate: {
        TRY_ASSIGN(const Operand operand, Evaluate(*node.operands[0]));
        if (operand.is_null()) return Operand();
        if (operand.is_duration()) return MadeDuration(-operand.millis);
        return CalculateWith(NodeKind::kSubtract, Made(Value(Number())), operand);
      }
      case NodeKind::kAdd:
      case NodeKind::kSubtract:
      case NodeKind::kMultiply:
      case NodeKind::kDivide: {
        TRY_ASSIGN(const Operand left, Evaluate(*node.operands[0]));
        TRY_ASSIGN(const Operand right, Evaluate(*node.operands[1]));
        return CalculateWith(node.kind, left, right);
      }
      default:
        return EvaluateComparison(node);
    }
  }

  Result<bool> Test(const RuleNode& node) const {
    TRY_ASSIGN(const Operand outcome, Evaluate(node));
    if (outcome.is_null()) return false;
    if (!outcome.is(Type::kBool)) {
      return Error::Validation(SortText(outcome) + " stands where true or false is needed");
    }
    return outcome.value().boolean();
  }

 private:
  Result<Operand> EvaluateList(const RuleNode& node) const {
    item::List list;
    for (const RuleTree& member : node.operands) {
      TRY_ASSIGN(const Operand value, Evaluate(*member));
      list.push_back(value.is_null() ? Value() : ValueOf(value));
    }
    return Made(Value(std::move(list)));
  }

  Result<Operand> EvaluateAggregate(const RuleNode& node) const {
    const size_t dot = std::min(node.path.find('.'), node.path.size());
    const std::string_view collection = std::string_view(node.path).substr(0, dot);
    const std::string_view attribute =
        std::string_view(node.path).substr(std::min(dot + 1, node.path.size()));
    Tally tally;
    const Rule::Visit visit = [&](const Rule::Find& find) -> Result<bool> {
      TRY(AddMember(node, attribute, find, &tally));
      return !tally.decided;
    };
    if (node.in_list) {
      const Value* all = scope_.find(collection);
      if (all != nullptr) TRY(VisitList(*all, visit));
    } else {
      if (!scope_.each) return Error::Validation(node.path + " is not known here");
      TRY(scope_.each(collection, visit));
    }
    switch (node.function) {
      case Function::kCount:
        return Made(Value(Number::FromInt(tally.count)));
      case Function::kSum:
        return Made(Value(tally.sum));
      case Function::kAvg:
        if (tally.count == 0) return Operand();
        return NumberOperand(Number::Divide(tally.sum, Number::FromInt(tally.count)));
      case Function::kAll:
        return Made(Value(!tally.decided));
      case Function::kAny:
        return Made(Value(tally.decided));
      default:
        return std::move(tally.best);
    }
  }

  // Members without the attribute do not count.
  Status AddMember(const RuleNode& node, std::string_view attribute, const Rule::Find& find,
                   Tally* tally) const {
    if (!node.operands.empty()) {
      TRY_ASSIGN(const bool holds, RuleEvaluation(scope_, &find).Test(*node.operands[0]));
      if (node.function == Function::kAll || node.function == Function::kAny) {
        tally->decided = holds == (node.function == Function::kAny);
        return {};
      }
      if (!holds) return {};
    }
    if (node.function == Function::kCount && attribute.empty()) {
      ++tally->count;
      return {};
    }
    Operand value = BorrowAs(find(attribute), node.moment);
    if (value.is_null()) return {};
    ++tally->count;
    if (node.function == Function::kSum || node.function == Function::kAvg) {
      if (!value.is(Type::kNumber)) return CannotCalculate(value);
      TRY_ASSIGN(tally->sum, Number::Add(tally->sum, value.value().number()));
    } else if (node.function == Function::kMin || node.function == Function::kMax) {
      TRY_ASSIGN(const bool better, IsBetter(node.function, value, tally->best));
      if (!better) return {};
      value.made = value.value();  // the member may be gone when the visit ends
      tally->best = std::move(value);
    }
    return {};
  }

  static Result<bool> IsBetter(Function function, const Operand& value, const Operand& best) {
    if (best.is_null()) return true;
    TRY_ASSIGN(const std::strong_ordering order, Compare(value, best));
    return function == Function::kMin ? order < 0 : order > 0;
  }

  Result<Operand> EvaluateCall(const RuleNode& node) const {
    switch (node.function) {
      case Function::kIf: {
        TRY_ASSIGN(const bool holds, Test(*node.operands[0]));
        return Evaluate(*node.operands[holds ? 1 : 2]);
      }
      case Function::kConcat:
        return EvaluateConcat(node);
      case Function::kCoalesce:
        for (const RuleTree& operand : node.operands) {
          TRY_ASSIGN(Operand value, Evaluate(*operand));
          if (!value.is_null()) return value;
        }
        return Operand();
      case Function::kDays:
        return EvaluateDays(node);
      default:
        break;
    }
    Operand best;
    for (const RuleTree& operand : node.operands) {
      TRY_ASSIGN(Operand value, Evaluate(*operand));
      if (value.is_null()) continue;
      TRY_ASSIGN(const bool better, IsBetter(node.function, value, best));
      if (better) best = std::move(value);
    }
    return best;
  }

  // What is missing adds nothing to the text; a text of missing parts alone is missing.
  Result<Operand> EvaluateConcat(const RuleNode& node) const {
    std::string text;
    bool has_part = false;
    for (const RuleTree& operand : node.operands) {
      TRY_ASSIGN(const Operand value, Evaluate(*operand));
      if (value.is_null()) continue;
      has_part = has_part || operand->kind != NodeKind::kLiteral;
      if (value.is(Type::kString)) {
        text += value.value().string();
      } else if (value.is(Type::kNumber)) {
        value.value().number().AppendTo(&text);
      } else if (value.is(Type::kBool)) {
        text += value.value().boolean() ? "true" : "false";
      } else if (value.is_moment()) {
        text += time::Format(value.millis,
                             value.millis % 1000 == 0 ? time::kIsoSeconds : time::kIsoMilliseconds);
      } else {
        return Error::Validation(SortText(value) + " cannot be a part of a text");
      }
    }
    if (!has_part) return Operand();
    return Made(Value(std::move(text)));
  }

  // Whole days from the first moment to the second; negative if the second is earlier.
  Result<Operand> EvaluateDays(const RuleNode& node) const {
    TRY_ASSIGN(const Operand from, Evaluate(*node.operands[0]));
    TRY_ASSIGN(const Operand to, Evaluate(*node.operands[1]));
    if (from.is_null() || to.is_null()) return Operand();
    const auto begin = MomentOf(from);
    const auto end = MomentOf(to);
    if (!begin || !end) return CannotCalculate(begin ? to : from);
    return Made(Value(Number::FromInt((*end - *begin) / kDayMillis)));
  }

  // The right side is not evaluated if the left side decides.
  Result<Operand> EvaluateLogic(const RuleNode& node) const {
    TRY_ASSIGN(const bool left, Test(*node.operands[0]));
    if (left == (node.kind == NodeKind::kOr)) return Made(Value(left));
    TRY_ASSIGN(const bool right, Test(*node.operands[1]));
    return Made(Value(right));
  }

  Result<Operand> EvaluateComparison(const RuleNode& node) const {
    TRY_ASSIGN(const Operand left, Evaluate(*node.operands[0]));
    TRY_ASSIGN(const Operand right, Evaluate(*node.operands[1]));
    if (!left.is_null() && !right.is_null()) {
      TRY_ASSIGN(const bool holds, CompareAs(node.kind, left, right));
      return Made(Value(holds));
    }
    // Only null equals null, and null has no order.
    const bool both_null = left.is_null() && right.is_null();
    return Made(Value((node.kind == NodeKind::kEqual && both_null) ||
                      (node.kind == NodeKind::kNotEqual && !both_null)));
  }

 public:
  // The value to store; the caller has seen that it is not null.
  static Value ValueOf(const Operand& operand) {
    if (operand.made) return *operand.made;
    if (operand.borrowed != nullptr) return *operand.borrowed;
    if (operand.is_moment()) return Value(time::Format(operand.millis, time::kIsoMilliseconds));
    return Value(Number::FromInt(operand.millis));
  }

 private:
  const Rule::Scope& scope_;
  const Rule::Find* member_;  // finds attributes of the member that a condition is about
};

Error CannotEvaluate(const std::string& rule, const Error& why) {
  return Error::Validation("The rule \"" + rule + "\" cannot be evaluated: " + why.message());
}

}  // namespace

Result<bool> Rule::Test(const Scope& scope) const {
  if (root_ == nullptr) return Error::Internal("A rule without text was tested");
  Result<bool> result = RuleEvaluation(scope).Test(*root_);
  if (!result) return CannotEvaluate(text_, result.error());
  return result;
}

Result<std::optional<item::Value>> Rule::Evaluate(const Scope& scope) const {
  if (root_ == nullptr) return Error::Internal("A rule without text was evaluated");
  const Result<Operand> result = RuleEvaluation(scope).Evaluate(*root_);
  if (!result) return CannotEvaluate(text_, result.error());
  if (result->is_null()) return std::optional<item::Value>();
  return std::optional(RuleEvaluation::ValueOf(*result));
}

}  // namespace monotable::model
