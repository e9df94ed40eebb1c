#include "entities/read/entity_matcher.h"

#include <algorithm>

namespace monotable::entities {

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
