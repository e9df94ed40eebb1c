#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/engine.h"
#include "entities/application.h"

// Unique values: each has a marker, an internal item whose key is the value. Two writers of one
// value meet at the marker.
namespace monotable::entities {

// The names of the markers that an entity's attributes need, one for each of its unique rules;
// empty where a value is missing, which then conflicts with none, or if there is no item.
Result<std::vector<std::string>> UniqueNames(const Entity& entity, const item::Map* attributes);

// The attribute of a marker that holds the key of the item whose value it is.
inline constexpr std::string_view kMarkerOwner = "owner";
item::Item MarkerItem(const Entity& entity, const std::string& name, const item::Item& owner);

// Makes markers for the unique values of items that are older than the rule: samples, items of raw
// clients, items of an adopted table. Each table remembers for which rules that was done, so a
// table is read once. Of two items with one value the first gets the marker, and the log names the
// value.
Status AdoptUniqueValues(engine::Engine& engine, const Application& application);

// Makes the markers of one item that a raw client has just written. True if another item has one of
// its values already; that value gets no marker. The markers are written soon, not at once.
Result<bool> AdoptItem(engine::Engine& engine, const Entity& entity,
                       const encoding::EncodedItem& written);

}  // namespace monotable::entities
