#include "model/type.h"

#include <algorithm>

#include <fmt/format.h>

namespace monotable::model {
namespace {

std::string ElementOf(const TypeModel& type) {
  return type.element ? DescribeType(*type.element) : "any";
}

std::string InstantText(const TypeModel& type) {
  switch (type.stored) {
    case InstantForm::kIso:
      return type.milliseconds ? "instant (ISO 8601, milliseconds)" : "instant (ISO 8601)";
    case InstantForm::kBrazilian:
      return "instant (DD/MM/YYYY HH:mm:ss)";
    case InstantForm::kEpoch:
      return "instant (epoch seconds)";
    case InstantForm::kEpochMillis:
      return "instant (epoch milliseconds)";
  }
  return "instant";
}

// The type without its constraints.
std::string BaseText(const TypeModel& type) {
  switch (type.kind) {
    case TypeKind::kString:
      return type.format.empty() ? "string" : type.format;
    case TypeKind::kInteger:
      return "integer";
    case TypeKind::kDecimal:
      if (type.scale) return fmt::format("decimal({}, {})", type.precision, *type.scale);
      return "decimal";
    case TypeKind::kBoolean:
      return "boolean";
    case TypeKind::kInstant:
      return InstantText(type);
    case TypeKind::kDate:
      return "date";
    case TypeKind::kBinary:
      return "binary";
    case TypeKind::kEnum:
      return type.enum_name;
    case TypeKind::kObject:
      return "object";
    case TypeKind::kList:
      return ElementOf(type) + "[]";
    case TypeKind::kSet:
      return fmt::format("set({})", ElementOf(type));
    case TypeKind::kMap:
      return fmt::format("map({})", ElementOf(type));
    case TypeKind::kAny:
      return "any";
  }
  return "any";
}

// 1 to 999, at least 1, at most 999; empty without bounds.
std::string Bounds(const std::string& least, const std::string& most) {
  if (!least.empty() && !most.empty()) return fmt::format("{} to {}", least, most);
  if (!least.empty()) return "at least " + least;
  if (!most.empty()) return "at most " + most;
  return "";
}

std::string Limits(const TypeModel& type) {
  std::string values = Bounds(type.minimum ? type.minimum->ToString() : "",
                              type.maximum ? type.maximum->ToString() : "");
  const std::string lengths = Bounds(type.min_length ? std::to_string(*type.min_length) : "",
                                     type.max_length ? std::to_string(*type.max_length) : "");
  if (!values.empty()) return values;
  if (lengths.empty()) return "";
  return lengths + (type.kind == TypeKind::kString ? " characters" : " members");
}

}  // namespace

const EnumModel::Value* EnumModel::Find(std::string_view text) const {
  const auto found = std::find_if(values.begin(), values.end(),
                                  [&](const Value& value) { return value.text == text; });
  return found == values.end() ? nullptr : &*found;
}

bool EnumModel::Allows(std::string_view from, std::string_view to) const {
  if (from == to || transitions != Transitions::kListed) return true;
  const std::vector<std::string> allowed = AllowedFrom(from);
  return std::find(allowed.begin(), allowed.end(), to) != allowed.end();
}

std::vector<std::string> EnumModel::AllowedFrom(std::string_view from) const {
  if (transitions == Transitions::kListed) {
    const auto found = std::find_if(listed.begin(), listed.end(),
                                    [&](const Transition& one) { return one.from == from; });
    return found == listed.end() ? std::vector<std::string>() : found->to;
  }
  std::vector<std::string> others;
  for (const Value& value : values) {
    if (value.text != from) others.push_back(value.text);
  }
  return others;
}

const TypeModel* TypeModel::FindPath(std::string_view path) const {
  const TypeModel* type = this;
  while (!path.empty()) {
    if (type->kind == TypeKind::kAny) return type;
    const std::string_view step = path.substr(0, path.find('.'));
    if (type->kind == TypeKind::kMap) {
      type = type->element.get();
    } else {
      const auto found = std::find_if(type->attributes.begin(), type->attributes.end(),
                                      [&](const AttributeModel& one) { return one.name == step; });
      if (found == type->attributes.end()) return nullptr;
      type = &found->type;
    }
    path.remove_prefix(std::min(step.size() + 1, path.size()));
  }
  return type;
}

std::string DescribeType(const TypeModel& type) {
  std::string text = BaseText(type);
  const bool named = !type.name.empty() && type.kind != TypeKind::kEnum && type.name != text;
  if (named) text = type.kind == TypeKind::kObject ? type.name : type.name + ": " + text;
  if (const std::string limits = Limits(type); !limits.empty()) text += ", " + limits;
  return text;
}

}  // namespace monotable::model
