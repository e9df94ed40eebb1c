#include "entities/read/filter.h"

#include <algorithm>
#include <compare>

#include "expression/comparison.h"
#include "model/instant.h"

namespace monotable::entities {
namespace {

using Comparison = Filter::Comparison;

std::partial_ordering Compare(const model::TypeModel* type, const item::Value& a,
                              const item::Value& b) {
  if (type == nullptr || type->kind != model::TypeKind::kInstant) return expression::Compare(a, b);
  const auto first = model::ReadInstant(a, type->stored);
  const auto second = model::ReadInstant(b, type->stored);
  if (!first || !second) return expression::Compare(a, b);
  return *first <=> *second;
}

bool Equal(const model::TypeModel* type, const item::Value& a, const item::Value& b) {
  return a == b || std::is_eq(Compare(type, a, b));
}

}  // namespace

bool Fits(const Entity& entity, ItemAttributes& attributes, const Filter& filter) {
  const item::Value* value = attributes.Find(filter.attribute);
  if (filter.comparison == Comparison::kExists) return value != nullptr;
  if (filter.comparison == Comparison::kMissing) return value == nullptr;
  if (value == nullptr) return filter.comparison == Comparison::kNotEqual;
  const model::TypeModel* type = entity.model->FindPath(filter.attribute);
  const auto equals = [&](const item::Value& other) { return Equal(type, *value, other); };
  if (filter.comparison == Comparison::kIn) return std::ranges::any_of(filter.values, equals);
  if (filter.values.empty()) return false;
  const item::Value& other = filter.values.front();
  switch (filter.comparison) {
    case Comparison::kEqual:
      return equals(other);
    case Comparison::kNotEqual:
      return !equals(other);
    case Comparison::kLess:
      return std::is_lt(Compare(type, *value, other));
    case Comparison::kLessOrEqual:
      return std::is_lteq(Compare(type, *value, other));
    case Comparison::kGreater:
      return std::is_gt(Compare(type, *value, other));
    case Comparison::kGreaterOrEqual:
      return std::is_gteq(Compare(type, *value, other));
    case Comparison::kBetween:
      return std::is_gteq(Compare(type, *value, other)) &&
             std::is_lteq(Compare(type, *value, filter.values.back()));
    case Comparison::kBeginsWith:
      return expression::BeginsWith(*value, other);
    case Comparison::kContains:
      return expression::Contains(*value, other);
    default:
      return false;
  }
}

bool FitsAll(const Entity& entity, ItemAttributes& attributes,
             const std::vector<std::vector<Filter>>& filters) {
  return std::ranges::all_of(filters, [&](const std::vector<Filter>& alternatives) {
    return std::ranges::any_of(
        alternatives, [&](const Filter& filter) { return Fits(entity, attributes, filter); });
  });
}

Result<bool> Holds(const model::Rule& rule, ItemAttributes& attributes, int64_t now_ms) {
  model::Rule::Scope scope;
  scope.find = attributes.Lookup();
  scope.find_all = [](std::string_view) { return std::vector<const item::Value*>(); };
  scope.now = model::StoreInstant({now_ms}, model::InstantForm::kIso, /*milliseconds=*/true);
  return rule.Test(scope);
}

}  // namespace monotable::entities
