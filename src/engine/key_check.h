#pragma once

#include <span>
#include <string_view>

#include "encoding/item.h"
#include "error/result.h"
#include "item/value.h"
#include "table/definition.h"

// Checks of key attributes against a table's schema, with the service's wording.
namespace monotable::engine {

// A Key parameter: exactly the key attributes, of the right types, not empty, not too long.
Status CheckKey(const table::TableDefinition& table, const item::Item& key);

// A whole item: has the key attributes, right types, sizes; what it has of the attributes of any
// index key is of the right type and not empty.
Status CheckItem(const table::TableDefinition& table, const item::Item& item);

// Only the index part of CheckItem, worded for the result of an update, and only for attributes
// that the update changed: an item that was there before an index may not fit it.
Status CheckUpdatedIndexKeys(const table::TableDefinition& table, const item::Item& old_item,
                             const item::Item& updated);

// Expressions may name key attributes, but not lead into them: nested holds the attributes into
// which the paths of an expression lead.
Status CheckKeyPaths(const table::TableDefinition& table, std::span<const std::string_view> nested);

// The key attributes of an item alone.
item::Item KeyOf(const table::TableDefinition& table, const item::Item& item);
// The same from an encoded image, of which nothing else is decoded. An image that lacks one, or has
// one of another type, is damaged.
Result<item::Item> KeyOf(const table::TableDefinition& table, encoding::ItemView image);

}  // namespace monotable::engine
