#pragma once

#include <span>
#include <string_view>

#include "encoding/item.h"
#include "error/result.h"
#include "item/value.h"
#include "table/definition.h"

// Checks of key attributes against a table's schema, with the service's wording.
namespace monotable::engine {

// Checks a Key parameter: exactly the key attributes, of the right types, not empty, not too long.
Status CheckKey(const table::TableDefinition& table, const item::Item& key);

// Checks a whole item: it has the key attributes, with the right types and sizes, and its
// attributes that are part of an index key have the right type and are not empty.
Status CheckItem(const table::TableDefinition& table, const item::Item& item);

// Checks only the index keys, with the wording for the result of an update, and only the attributes
// that the update changed: an item that is older than an index may not fit it.
Status CheckUpdatedIndexKeys(const table::TableDefinition& table, const item::Item& old_item,
                             const item::Item& updated);

// Expressions may name key attributes, but not parts of them. `nested` holds the attributes into
// which the paths of an expression lead.
Status CheckKeyPaths(const table::TableDefinition& table, std::span<const std::string_view> nested);

// Returns only the key attributes of an item.
item::Item KeyOf(const table::TableDefinition& table, const item::Item& item);
// The same from an encoded image, without decoding anything else. An image that lacks a key
// attribute, or has one of another type, is damaged.
Result<item::Item> KeyOf(const table::TableDefinition& table, encoding::ItemView image);

}  // namespace monotable::engine
