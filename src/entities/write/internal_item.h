#pragma once

#include <string>

#include "entities/application.h"

namespace monotable::entities {

// Items that the rules need beside those of the entities: markers of unique values and counters of
// ids. They are in the table of their entity, so that they go with it wherever it goes, and no
// entity recognises them.
inline constexpr std::string_view kInternalPrefix = "MONOTABLE#";

// The key of such an item in the table of an entity: its hash attribute is the prefix with the
// name, its range attribute the prefix.
item::Item InternalKey(const Entity& of_table, const std::string& name);
// Whether a key is one of those.
bool IsInternal(const model::TableModel& table, const item::Item& key);

}  // namespace monotable::entities
