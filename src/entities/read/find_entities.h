#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "encoding/item.h"
#include "engine/engine.h"
#include "entities/application.h"
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

// All items of a child entity that belong to one parent, in the order of their sort keys: those in
// the partition of the parent, except for those whose attributes name another parent in the same
// partition. Includes expired items and items of any tenant: this is for rules, not for clients.
Result<std::vector<Found>> FindMembers(engine::Engine& engine, const storage::Reader& reader,
                                       const Entity& parent, const Entity& child,
                                       const item::Map& parent_attributes);

// All items of an entity whose attribute has this value, whole, found by the index (or the table)
// whose partition key is made of that attribute alone: the sales of a buyer by BUYER#{BuyerId}. An
// error if there is no such index. Expired items are included.
Result<std::vector<Found>> FindReferring(engine::Engine& engine, const storage::Reader& reader,
                                         const Entity& referring, std::string_view attribute,
                                         const item::Value& value);

// The same in pages, in the order of the index. A page ends after `limit` items, or when it has
// kMaxReadBytes; `next` says that there are more, and where. Without a limit it is all of them.
struct Reference {
  const Entity* referring = nullptr;
  std::string_view attribute;
  item::Value value;
};
struct FoundPage {
  std::vector<Found> items;
  std::optional<Position> next;
};
Result<FoundPage> FindReferringPage(engine::Engine& engine, const storage::Reader& reader,
                                    const Reference& reference, std::optional<size_t> limit,
                                    const Position& after);

// Whether a pattern finds at least one item, given attributes of an item as its parameters: what
// restrict_if asks before a delete. Looks as an operator does, at all tenants' items.
Result<bool> FindsAnything(engine::Engine& engine, const storage::Reader& reader,
                           const Application& application, const model::PatternModel& pattern,
                           const item::Map& attributes);

// Whether the caller may see the item.
bool MaySee(const Entity& entity, encoding::ItemView item, const Caller& caller);

}  // namespace monotable::entities
