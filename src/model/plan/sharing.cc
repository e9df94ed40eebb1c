#include "model/plan/sharing.h"

#include <algorithm>
#include <optional>

#include "model/plan/keys.h"
#include "model/plan/shape.h"

namespace monotable::model {
namespace {

// Whether the texts that begin with one literal all sort before those that begin with the other.
bool SortsBefore(std::string_view a, std::string_view b) {
  const size_t length = std::min(a.size(), b.size());
  return a.substr(0, length) < b.substr(0, length);
}

// Whether the sort keys that `other` makes may be within the bounds. `value` and `upper` of the
// condition have attributes of `entity`.
bool MayBeInRange(const Model& model, const EntityModel& entity, const SortCondition& condition,
                  const EntityModel& other, const Template& text) {
  const std::string begin = text.Prefix();
  const std::string bound = condition.value.Prefix();
  switch (condition.comparison) {
    case WhereTerm::Comparison::kEqual:
      return TextShape::Of(model, entity, condition.value).Meets(TextShape::Of(model, other, text));
    case WhereTerm::Comparison::kBeginsWith:
      return TextShape::Of(model, entity, condition.value)
          .AndMore()
          .Meets(TextShape::Of(model, other, text));
    case WhereTerm::Comparison::kLess:
    case WhereTerm::Comparison::kLessOrEqual:
      return !SortsBefore(bound, begin);
    case WhereTerm::Comparison::kGreater:
    case WhereTerm::Comparison::kGreaterOrEqual:
      return !SortsBefore(begin, bound);
    case WhereTerm::Comparison::kBetween:
      return !SortsBefore(begin, bound) &&
             !(condition.upper && SortsBefore(condition.upper->Prefix(), begin));
  }
  return true;
}

bool IsWanted(const Model& model, const PatternModel& pattern, const std::string& entity) {
  if (entity == pattern.entity) return true;
  if (pattern.kind != PatternModel::Kind::kCollection) return false;
  const CollectionModel* collection = model.FindCollection(pattern.collection);
  return collection != nullptr && std::ranges::any_of(collection->members, [&](const auto& member) {
           return member.entity == entity;
         });
}

}  // namespace

std::vector<std::string> AlsoRead(const Model& model, const PatternModel& pattern,
                                  const ReadStep& step) {
  std::vector<std::string> names;
  const EntityModel* entity = model.FindEntity(pattern.entity);
  const TableModel* table = model.FindTable(step.table);
  if (entity == nullptr || table == nullptr) return names;
  const TextShape partition = TextShape::Of(model, *entity, step.hash);
  for (const EntityModel& other : model.entities) {
    if (other.table != step.table || IsWanted(model, pattern, other.name)) continue;
    const std::optional<KeyTexts> texts = KeyTextsOf(*table, other, step.index);
    if (!texts || !partition.Meets(TextShape::Of(model, other, texts->hash))) continue;
    if (step.range && texts->range &&
        !MayBeInRange(model, *entity, *step.range, other, *texts->range)) {
      continue;
    }
    names.push_back(other.name);
  }
  return names;
}

}  // namespace monotable::model
