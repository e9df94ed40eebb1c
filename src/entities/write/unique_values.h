#pragma once

#include <string>
#include <vector>

#include "engine/engine.h"
#include "entities/application.h"

// Unique values: each has a marker, an internal item whose key is the value. Two writers of one
// value meet at the marker.
namespace monotable::entities {

// The names of the markers that an entity's attributes need, one for each of its unique rules;
// empty where a value is missing (which is then not unique with anything) or there is no item.
Result<std::vector<std::string>> UniqueNames(const Entity& entity, const item::Map* attributes);

item::Item MarkerItem(const Entity& entity, const std::string& name, const item::Item& owner);

// Makes markers for the unique values of items that were written before their rule was there: by
// the samples, by a raw client, in a table that was adopted. Remembers in each table for which
// rules it was done. Reads whole tables, once; of two items with one value the first has it, and
// the log names the other.
Status AdoptUniqueValues(engine::Engine& engine, const Application& application);

// The same for one item that a raw client has just written. Whether another item has one of its
// values already, so that it gets no marker. The markers are written soon, not at once.
Result<bool> AdoptItem(engine::Engine& engine, const Entity& entity,
                       const encoding::EncodedItem& written);

}  // namespace monotable::entities
