#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "entities/application.h"

// Between an entity's attributes and the item that the table holds.
namespace monotable::entities {

// An entity's item taken apart. Values are in the form in which they are stored.
struct Record {
  // By the names of the model, flat. Includes the attributes that are read out of keys.
  item::Map attributes;
  item::Map extra;  // top-level attributes that neither model nor design knows; kept as they are
  int64_t version = 0;  // of the version attribute; 0 if it has none
};

// Takes a stored item apart. An item that was written past the model may lack anything.
Result<Record> RecordOf(const Entity& entity, const item::Item& item);

// An attribute by its path (Address.City); null if it is not there.
const item::Value* FindPath(const item::Map& attributes, std::string_view path);

// Whether two values that may be missing are the same.
bool AreSame(const item::Value* one, const item::Value* other);
// Gives an attribute a value, or removes the attribute if there is no value.
void SetOrRemove(std::string_view name, const item::Value* value, item::Map* attributes);

// The key attributes of the table for a record (or for just the attributes that the key is made
// of); nothing if one is missing. A value that may not be part of a key is a problem that names it.
Result<std::optional<item::Item>> PrimaryKey(const Entity& entity, const item::Map& attributes);

// The item to store: attributes in their places, the keys of table and indexes made anew, type and
// version, and the expiry. Refuses a record that lacks a part of its primary key.
Result<item::Item> ItemOf(const Entity& entity, const Record& record);

// A value read out of a key's text, in the stored form of the attribute's type; nothing if the text
// does not spell one.
std::optional<item::Value> ValueOfKeyText(const model::TypeModel& type, std::string_view text);

}  // namespace monotable::entities
