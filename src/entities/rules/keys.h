#pragma once

#include <string>

#include "entities/write/plan.h"
#include "error/result.h"

// Keys: an item is where its attributes say. The primary key is made of the attributes whenever an
// item gets its place, and the keys of indexes are made anew whenever it is stored (ItemOf).
//
// Reads and locks: the place of the item, alone. Changes: the slots at the old and the new place.
// Refuses: kAlreadyExists, kKeyChange, kNotFound, kInvalid where a part of a key is missing.
namespace monotable::entities {

// The slot at the place that the attributes say.
Result<Slot*> PlaceAt(Plan* plan, const Entity& entity, const item::Map& attributes);

// Puts a new item in its place: its id is generated, and a key that is taken is avoided if the
// model says how and the client has not named the item.
Result<Slot*> PlaceNew(Plan* plan, const Entity& entity, item::Map attributes,
                       const std::string& path, bool may_bump = true);

// The slot of an item that exists and that the caller may see, by its key, or the only one that a
// parent has.
Result<Slot*> FindExisting(Plan* plan, const Entity& entity, const item::Map& key);

// Puts new attributes into a slot. The result is another slot if the key changes and the model lets
// the item move.
Result<Slot*> Rewrite(Plan* plan, Slot* slot, item::Map attributes, const std::string& path);

// Whether the primary key of an item is what its attributes make it.
Status CheckPlace(const Entity& entity, const item::Item& item);

}  // namespace monotable::entities
