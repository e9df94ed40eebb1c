#include "model/rule/rule_type.h"

#include <algorithm>
#include <utility>

#include "model/instant.h"

namespace monotable::model {
namespace {

using Kind = RuleType::Kind;

// Why a value of an enum cannot be this one; empty if it can.
std::string WhyNoValue(const RuleType& type, const EnumModel* values) {
  if (values == nullptr || values->open || values->Find(type.text) != nullptr) return "";
  return "\"" + type.text + "\" is not a value of " + values->name;
}

// Whether two enums have a value in common.
bool Overlap(const EnumModel* a, const EnumModel* b) {
  if (a == nullptr || b == nullptr || a == b || a->open || b->open) return true;
  return std::any_of(a->values.begin(), a->values.end(),
                     [&](const EnumModel::Value& value) { return b->Find(value.text) != nullptr; });
}

}  // namespace

RuleType Simple(Kind kind) {
  RuleType type;
  type.kind = kind;
  return type;
}

RuleType ListOf(RuleType element) {
  RuleType type = Simple(Kind::kList);
  type.element = std::make_shared<RuleType>(std::move(element));
  return type;
}

std::string Described(const RuleType& type) {
  switch (type.kind) {
    case Kind::kAny:
      return "any value";
    case Kind::kNull:
      return "null";
    case Kind::kBoolean:
      return "true or false";
    case Kind::kInteger:
      return "an integer";
    case Kind::kDecimal:
      return "a decimal";
    case Kind::kText:
      return "text";
    case Kind::kWord:
      return "the value " + type.text;
    case Kind::kEnum:
      return type.values != nullptr ? "a value of " + type.values->name : "a value of an enum";
    case Kind::kInstant:
      return "an instant";
    case Kind::kDate:
      return "a date";
    case Kind::kDuration:
      return "a duration";
    case Kind::kBinary:
      return "binary";
    case Kind::kList:
      return "a list";
    case Kind::kObject:
      return "an object";
  }
  return "any value";
}

bool IsNumber(const RuleType& type) {
  return type.kind == Kind::kInteger || type.kind == Kind::kDecimal;
}
bool IsMoment(const RuleType& type) {
  return type.kind == Kind::kInstant || type.kind == Kind::kDate;
}
bool IsText(const RuleType& type) {
  return type.kind == Kind::kText || type.kind == Kind::kWord || type.kind == Kind::kEnum;
}
bool IsOpen(const RuleType& type) {
  return type.kind == Kind::kAny || type.kind == Kind::kNull;
}

std::string WhyDifferent(const RuleType& a, const RuleType& b) {
  const RuleType& word = a.kind == Kind::kEnum ? b : a;
  const RuleType& other = a.kind == Kind::kEnum ? a : b;
  const bool written = word.kind == Kind::kWord || (word.kind == Kind::kText && word.literal);
  if (written && other.kind == Kind::kEnum) return WhyNoValue(word, other.values);
  if (a.kind == Kind::kEnum && b.kind == Kind::kEnum && !Overlap(a.values, b.values)) {
    return a.values->name + " and " + b.values->name + " have no value in common";
  }
  const auto spells_moment = [](const RuleType& type) {
    return type.kind == Kind::kText && type.literal && ReadInstant(item::Value(type.text));
  };
  const bool moments =
      (IsMoment(a) && (IsMoment(b) || spells_moment(b))) || (IsMoment(b) && spells_moment(a));
  if (IsOpen(a) || IsOpen(b) || moments || (IsNumber(a) && IsNumber(b)) ||
      (IsText(a) && IsText(b)) || a.kind == b.kind) {
    return "";
  }
  return Described(a) + " and " + Described(b) + " cannot be compared";
}

RuleType JoinNumbers(const RuleType& a, const RuleType& b, bool product) {
  if (a.kind == Kind::kInteger && b.kind == Kind::kInteger) return a;
  RuleType type = Simple(Kind::kDecimal);
  const auto scale = [](const RuleType& one) {
    return one.kind == Kind::kInteger ? std::optional(0) : one.scale;
  };
  const auto left = scale(a);
  const auto right = scale(b);
  if (left && right) type.scale = product ? *left + *right : std::max(*left, *right);
  return type;
}

std::optional<RuleType> Join(const RuleType& a, const RuleType& b) {
  if (a.kind == Kind::kNull) return b;
  if (b.kind == Kind::kNull) return a;
  if (a.kind == Kind::kAny || b.kind == Kind::kAny) return Simple(Kind::kAny);
  if (IsNumber(a) && IsNumber(b)) return JoinNumbers(a, b, false);
  if (IsMoment(a) && IsMoment(b)) return a.kind == b.kind ? a : Simple(Kind::kInstant);
  if (IsText(a) && IsText(b)) {
    if (a.kind == Kind::kEnum && b.kind == Kind::kEnum && a.values == b.values) return a;
    return Simple(Kind::kText);
  }
  if (a.kind == b.kind) return a;
  return std::nullopt;
}

std::string WhyNotAssigned(const RuleType& from, const TypeModel& to, const EnumModel* values) {
  if (IsOpen(from) || to.kind == TypeKind::kAny) return "";
  std::string no =
      Described(from) + " cannot be stored in an attribute of type " + DescribeType(to);
  switch (to.kind) {
    case TypeKind::kString:
      return IsText(from) ? "" : no;
    case TypeKind::kInteger:
      if (from.kind == Kind::kDecimal && from.scale != 0) {
        return "the result may have digits after the point, and the attribute is an integer";
      }
      return IsNumber(from) ? "" : no;
    case TypeKind::kDecimal:
      return IsNumber(from) ? "" : no;
    case TypeKind::kBoolean:
      return from.kind == Kind::kBoolean ? "" : no;
    case TypeKind::kInstant:
    case TypeKind::kDate:
      if (from.kind == Kind::kText && from.literal && ReadInstant(item::Value(from.text))) {
        return "";
      }
      return IsMoment(from) ? "" : no;
    case TypeKind::kBinary:
      return from.kind == Kind::kBinary ? "" : no;
    case TypeKind::kEnum:
      if (from.kind == Kind::kWord || from.literal) return WhyNoValue(from, values);
      if (from.kind == Kind::kEnum && !Overlap(from.values, values)) return no;
      return IsText(from) ? "" : no;
    case TypeKind::kList:
    case TypeKind::kSet:
      return from.kind == Kind::kList ? "" : no;
    default:
      return from.kind == Kind::kObject ? "" : no;
  }
}

}  // namespace monotable::model
