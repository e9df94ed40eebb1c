#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "encoding/item.h"
#include "engine/write.h"
#include "error/result.h"
#include "table/definition.h"

// The pure part of a write: what it makes of one item.
namespace monotable::engine {

// The bytes of an item as the store has them; nullopt if there is no item.
using StoredValue = std::optional<std::string_view>;

// One item between its old and its new image. The views point into the store's value, the request
// or updated.
struct ItemChange {
  StoredValue old_item;
  StoredValue new_item;
  encoding::EncodedItem updated;  // holds the new image of a kUpdate

  bool changes_anything() const { return old_item != new_item; }
};

std::optional<encoding::ItemView> ViewOf(const StoredValue& value);

// The size that the service charges for an item; 0 if there is none.
size_t ChargedSize(const StoredValue& value);

// Finds the new image of an item from its old one, under the current definition of the table. An
// error says why the write is refused.
Status DecideItem(const ItemWrite& write, const table::TableDefinition& table, ItemChange* change);

}  // namespace monotable::engine
