#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "encoding/item.h"
#include "engine/engine.h"
#include "entities/application.h"
#include "entities/relation.h"
#include "error/result.h"

// Finding the items of an entity: by the key that a route names, and by what the rules of a write
// ask for.
namespace monotable::entities {

struct Found {
  const Entity* entity = nullptr;
  encoding::EncodedItem item;
};

// Where a list stopped: enough to go on exactly after the last entry that was read. The bytes mean
// something to the reader alone.
struct Position {
  std::string after;
};

// The item of an entity that a route names: by its key, or (cardinality: one) the only one that its
// parent has. Nothing if there is no such item, if the item is another tenant's, or if it has
// expired and the entity hides expired items. The second function sees what the reader sees: a
// write reads from one snapshot.
Result<std::optional<Found>> FindItem(engine::Engine& engine, const Entity& entity,
                                      const item::Map& key, const Caller& caller);
Result<std::optional<Found>> FindItem(engine::Engine& engine, const storage::Reader& reader,
                                      const Entity& entity, const item::Map& key,
                                      const Caller& caller);

// The items of a relation that have these values (Relation::ValuesOf), in the order of their sort
// keys, by the narrowest read that the keys allow. Includes expired items: this is for rules, not
// for clients. A page ends after `limit` items, or when it has kMaxReadBytes; `next` says that
// there are more, and where. Without a limit it is all of them.
struct FoundPage {
  std::vector<Found> items;
  std::optional<Position> next;
};
Result<FoundPage> FindRelated(engine::Engine& engine, const storage::Reader& reader,
                              const Relation& relation, const item::Map& values,
                              std::optional<size_t> limit = std::nullopt,
                              const Position& after = {});

// Whether a pattern finds at least one item, given attributes of an item as its parameters: what
// restrict_if asks before a delete. Items of other tenants do not count.
Result<bool> FindsAnything(engine::Engine& engine, const storage::Reader& reader,
                           const Application& application, const model::PatternModel& pattern,
                           const item::Map& attributes);

// Whether the caller may see the item.
bool MaySee(const Entity& entity, encoding::ItemView item, const Caller& caller);

}  // namespace monotable::entities
