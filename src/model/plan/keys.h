#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/model.h"

// Where an entity is in a table or in one of its indexes.
namespace monotable::model {

inline bool Contains(const std::vector<std::string>& names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

// The names of a key's attributes; range is empty if the key has none.
struct KeyNames {
  std::string hash;
  std::string range;
};
// Of the table, or of an index by its name; nothing if there is no such index.
std::optional<KeyNames> KeyNamesOf(const TableModel& table, std::string_view index);

// What an entity's key attributes are made of.
struct KeyTexts {
  Template hash;
  std::optional<Template> range;
  const KeyModel* declared = nullptr;  // null if the index is on attributes of the table's own key
};
// Of the table (index empty) or an index; nothing if the entity is not in that index.
std::optional<KeyTexts> KeyTextsOf(const TableModel& table, const EntityModel& entity,
                                   std::string_view index);

// An attribute by its path (address.city); null if the entity does not declare it.
const AttributeModel* FindAttribute(const EntityModel& entity, std::string_view path);

// Whether every item has it, because a client must give it or the server fills it in.
bool AlwaysPresent(const Model& model, const EntityModel& entity, std::string_view path);

// How an attribute is named in the stored item: in its envelope, if the entity has one.
std::string StoredPath(const EntityModel& entity, std::string_view path);

// The first attribute of the entity that the index does not hold; empty if it holds all, as the
// table itself does.
std::string FirstMissing(const TableModel& table, const EntityModel& entity,
                         std::string_view index);

}  // namespace monotable::model
