#include "entities/read/item_filter.h"

#include <algorithm>
#include <compare>
#include <utility>

#include "entities/record.h"
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
  scope.now_ms = now_ms;
  return rule.Test(scope);
}

namespace {

using encoding::ValueView;

// A member of a map by its path; the value itself if the path is empty.
std::optional<ValueView> Descend(ValueView value, std::string_view path) {
  while (!path.empty()) {
    if (value.type() != item::Type::kMap) return std::nullopt;
    const std::string_view name = path.substr(0, path.find('.'));
    path.remove_prefix(std::min(name.size() + 1, path.size()));
    encoding::MapView members = value.map();
    std::string_view found;
    do {
      if (!members.Next(&found, &value)) return std::nullopt;
    } while (found != name);
  }
  return value;
}

std::optional<ValueView> FindStored(const Entity& entity, encoding::ItemView item,
                                    std::string_view path) {
  const std::string_view name = path.substr(0, path.find('.'));
  if (entity.InEnvelope(name)) {
    const auto envelope = item.Find(entity.model->envelope);
    return envelope ? Descend(*envelope, path) : std::nullopt;
  }
  const auto value = item.Find(name);
  if (!value) return std::nullopt;
  return Descend(*value, path.substr(std::min(name.size() + 1, path.size())));
}

std::optional<item::Value> ReadOutOfKey(const Entity& entity, encoding::ItemView item,
                                        std::string_view path) {
  const model::TypeModel* type = entity.model->FindPath(path);
  if (type == nullptr) return std::nullopt;
  for (const model::KeyModel::Part& part : entity.model->primary().parts) {
    const auto text = item.Find(part.attribute);
    if (!text || text->type() != item::Type::kString) continue;
    const auto bindings = part.text.Match(text->scalar(), entity.application->key_rules());
    if (!bindings) continue;
    for (const model::Template::Binding& binding : *bindings) {
      if (binding.attribute == path) return ValueOfKeyText(*type, binding.text);
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<item::Value> ItemAttributes::Read(std::string_view path) const {
  if (const auto stored = FindStored(entity_, item_, path)) {
    auto decoded = stored->Decode();
    if (!decoded || decoded->is(item::Type::kNull)) return std::nullopt;
    return *std::move(decoded);
  }
  return ReadOutOfKey(entity_, item_, path);
}

const item::Value* ItemAttributes::Find(std::string_view path) {
  auto [place, is_new] = read_.try_emplace(std::string(path));
  if (is_new) place->second = Read(path);
  return place->second ? &*place->second : nullptr;
}

const Entity* EntityMatcher::Recognise(encoding::ItemView entry) const {
  const model::TableModel& table = *wanted_.front()->table;
  if (!table.type_attribute.empty()) {
    if (const auto type = entry.Find(table.type_attribute)) {
      const auto found = std::ranges::find_if(wanted_, [&](const Entity* entity) {
        return type->scalar() == entity->model->type_value;
      });
      return found == wanted_.end() ? nullptr : *found;
    }
  }
  // An index may not hold the type. Its entries have the table's key.
  const Entity* entity = wanted_.front()->application->Recognise(table, entry);
  return std::ranges::find(wanted_, entity) == wanted_.end() ? nullptr : entity;
}

bool HasTypeOf(const Entity& entity, encoding::ItemView item) {
  if (entity.table->type_attribute.empty()) return true;
  const auto type = item.Find(entity.table->type_attribute);
  return !type || type->scalar() == entity.model->type_value;
}

}  // namespace monotable::entities
