#include "engine/key_check.h"

#include <fmt/format.h>

#include "encoding/ordered_key.h"
#include "table/definition.h"

namespace monotable::engine {
namespace {

using encoding::KeyBytes;
using item::Type;
using table::KeyAttribute;

enum class Source { kKey, kItem, kUpdate };

std::string_view EmptyKind(const item::Value& value) {
  return value.is(Type::kString) ? "string" : "binary";
}

Error KeyDoesNotMatch() {
  return Error::Validation("The provided key element does not match the schema");
}

// The message lacks a blank; so does the service's.
Error HashKeyTooLong() {
  return Error::Validation(fmt::format(
      "One or more parameter values were invalid: Size of hashkey has exceeded the maximum size "
      "limit of{} bytes",
      table::kMaxHashKeyBytes));
}

Error RangeKeyTooLong() {
  return Error::Validation(fmt::format(
      "One or more parameter values were invalid: Aggregated size of all range keys has exceeded "
      "the size limit of {} bytes",
      table::kMaxRangeKeyBytes));
}

Status CheckPrimaryAttribute(const KeyAttribute& attribute, const item::Item& item, Source source) {
  const item::Value* value = item.Find(attribute.name);
  if (value == nullptr) {
    if (source == Source::kKey) return KeyDoesNotMatch();
    return Error::Validation(
        fmt::format("One or more parameter values were invalid: Missing the key {} in the item",
                    attribute.name));
  }
  if (value->type() != attribute.type) {
    if (source == Source::kKey) return KeyDoesNotMatch();
    return Error::Validation(fmt::format(
        "One or more parameter values were invalid: Type mismatch for key {} expected: {} actual: "
        "{}",
        attribute.name, TypeName(attribute.type), TypeName(value->type())));
  }
  if (KeyBytes(*value) == 0) {
    return Error::Validation(fmt::format(
        "One or more parameter values are not valid. The AttributeValue for a key attribute cannot "
        "contain an empty {} value. Key: {}",
        EmptyKind(*value), attribute.name));
  }
  return {};
}

Status CheckPrimaryKey(const table::TableDefinition& table, const item::Item& item, Source source) {
  for (const auto* part : {&table.key.hash, &table.key.range}) {
    for (const KeyAttribute& attribute : *part) {
      TRY(CheckPrimaryAttribute(attribute, item, source));
    }
  }
  for (const KeyAttribute& attribute : table.key.hash) {
    if (KeyBytes(*item.Find(attribute.name)) > table::kMaxHashKeyBytes) return HashKeyTooLong();
  }
  for (const KeyAttribute& attribute : table.key.range) {
    if (KeyBytes(*item.Find(attribute.name)) > table::kMaxRangeKeyBytes) return RangeKeyTooLong();
  }
  return {};
}

Error IndexTypeMismatch(const KeyAttribute& attribute, const item::Value& value,
                        std::string_view index_name, Source source) {
  if (source == Source::kUpdate) {
    return Error::Validation(
        "The update expression attempted to update the secondary index key to unsupported type");
  }
  return Error::Validation(fmt::format(
      "One or more parameter values were invalid: Type mismatch for Index Key {} Expected: {} "
      "Actual: {} IndexName: {}",
      attribute.name, TypeName(attribute.type), TypeName(value.type()), index_name));
}

Error IndexKeyEmpty(const KeyAttribute& attribute, const item::Value& value,
                    std::string_view index_name, Source source) {
  if (source == Source::kUpdate) {
    return Error::Validation(fmt::format(
        "One or more parameter values are not valid. The update expression attempted to update a "
        "secondary index key to a value that is not supported. The AttributeValue for a key "
        "attribute cannot contain an empty {} value.",
        EmptyKind(value)));
  }
  return Error::Validation(fmt::format(
      "One or more parameter values are not valid. A value specified for a secondary index key is "
      "not supported. The AttributeValue for a key attribute cannot contain an empty {} value. "
      "IndexName: {}, IndexKey: {}",
      EmptyKind(value), index_name, attribute.name));
}

// What is checked: a new item as a whole, an updated item only where it differs from the old one.
struct Candidate {
  const item::Item& item;
  const item::Item* old_item = nullptr;  // set for an update
  Source source = Source::kItem;

  // The value to be checked; nullptr if there is none.
  const item::Value* Find(std::string_view name) const {
    const item::Value* value = item.Find(name);
    if (value == nullptr || old_item == nullptr) return value;
    const item::Value* old_value = old_item->Find(name);
    return old_value != nullptr && *old_value == *value ? nullptr : value;
  }
};

Status CheckIndexAttributes(const std::vector<KeyAttribute>& attributes, bool is_hash,
                            std::string_view index_name, const Candidate& candidate) {
  const Source source = candidate.source;
  for (const KeyAttribute& attribute : attributes) {
    const item::Value* value = candidate.Find(attribute.name);
    if (value == nullptr) continue;  // the item has no entry in this index, or the same as before
    if (value->type() != attribute.type) {
      return IndexTypeMismatch(attribute, *value, index_name, source);
    }
    const size_t bytes = KeyBytes(*value);
    if (bytes == 0) return IndexKeyEmpty(attribute, *value, index_name, source);
    if (is_hash && bytes > table::kMaxHashKeyBytes) return HashKeyTooLong();
    if (!is_hash && bytes > table::kMaxRangeKeyBytes) return RangeKeyTooLong();
  }
  return {};
}

Status CheckIndexKeys(const table::TableDefinition& table, const Candidate& candidate) {
  for (const table::IndexDefinition& index : table.indexes) {
    TRY(CheckIndexAttributes(index.key.hash, true, index.name, candidate));
    TRY(CheckIndexAttributes(index.key.range, false, index.name, candidate));
  }
  return {};
}

}  // namespace

Status CheckKey(const table::TableDefinition& table, const item::Item& key) {
  if (key.size() != table.key.hash.size() + table.key.range.size()) return KeyDoesNotMatch();
  return CheckPrimaryKey(table, key, Source::kKey);
}

Status CheckItem(const table::TableDefinition& table, const item::Item& item) {
  TRY(CheckPrimaryKey(table, item, Source::kItem));
  return CheckIndexKeys(table, {item});
}

Status CheckUpdatedIndexKeys(const table::TableDefinition& table, const item::Item& old_item,
                             const item::Item& updated) {
  return CheckIndexKeys(table, {updated, &old_item, Source::kUpdate});
}

Status CheckKeyPaths(const table::TableDefinition& table,
                     std::span<const std::string_view> nested) {
  for (const std::string_view name : nested) {
    if (!table.key.Has(name)) continue;
    return Error::Validation(fmt::format(
        "Key attributes must be scalars; list random access '[]' and map lookup '.' are not "
        "allowed: Key: {}",
        name));
  }
  return {};
}

item::Item KeyOf(const table::TableDefinition& table, const item::Item& item) {
  item::Item key;
  for (const auto* part : {&table.key.hash, &table.key.range}) {
    for (const KeyAttribute& attribute : *part) {
      if (const item::Value* value = item.Find(attribute.name)) key.Set(attribute.name, *value);
    }
  }
  return key;
}

Result<item::Item> KeyOf(const table::TableDefinition& table, encoding::ItemView image) {
  item::Item key;
  for (const auto* part : {&table.key.hash, &table.key.range}) {
    for (const table::KeyAttribute& attribute : *part) {
      const auto value = image.Find(attribute.name);
      if (!value || value->type() != attribute.type) {
        return Error::Internal("A stored item lacks an attribute of its key.");
      }
      TRY_ASSIGN(item::Value decoded, value->Decode());
      key.Set(attribute.name, std::move(decoded));
    }
  }
  return key;
}

}  // namespace monotable::engine
