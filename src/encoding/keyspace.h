#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "encoding/item.h"
#include "item/value.h"
#include "table/definition.h"

// Where everything lives in the one ordered keyspace of a store; mirrored by
// docs/storage-format.md. Items of a table and entries of an index sort by a hash of the partition
// key, then by the partition key, then by the sort key: a partition is one range, and so is a
// segment of a parallel scan.
namespace monotable::encoding {

struct KeyRange {
  std::string begin;  // included
  std::string end;    // excluded
};

inline constexpr uint16_t kTableItems = 0;  // the index id under which a table's own items live

// Server-wide records.
std::string FormatKey();
std::string NextTableIdKey();
std::string CatalogKey(std::string_view table_name);
KeyRange CatalogRange();

// The key of an item, from the item or just its key attributes, which have been checked.
std::string ItemKey(const table::TableDefinition& table, const item::Item& item);

// The key of an item's entry in an index; nullopt where the item has no entry, because it lacks an
// attribute of the index key (sparse index). Attribute types have been checked.
std::optional<std::string> IndexKey(const table::TableDefinition& table,
                                    const table::IndexDefinition& index, const item::Item& item);
// The same from an encoded item.
std::optional<std::string> IndexKey(const table::TableDefinition& table,
                                    const table::IndexDefinition& index, ItemView item);

// The common beginning of all keys of one partition of a table (index_id kTableItems) or index;
// hash holds the values of the partition key attributes in schema order. Sort key components
// (encoding/key.h) follow it.
std::string PartitionPrefix(uint32_t table_id, uint16_t index_id,
                            std::span<const item::Value* const> hash);

// All items of a table or entries of an index, and a segment of them.
KeyRange ItemsRange(uint32_t table_id, uint16_t index_id);
KeyRange SegmentRange(uint32_t table_id, uint16_t index_id, uint32_t segment,
                      uint32_t total_segments);
// A table's items and all its index entries: what dropping it removes.
KeyRange TableRange(uint32_t table_id);

// Counters of items and of their charged bytes, by table or index.
std::string ItemCountKey(uint32_t table_id, uint16_t index_id);
std::string ItemBytesKey(uint32_t table_id, uint16_t index_id);
KeyRange CountersRange(uint32_t table_id);
// Bytes of one item collection (a partition of a table that has local indexes).
std::string CollectionBytesKey(uint32_t table_id, std::string_view partition_prefix);

// The change log of a table, ordered by commit sequence, then by position within the commit.
std::string ChangeKey(uint32_t table_id, uint64_t sequence, uint32_t position);
KeyRange ChangesRange(uint32_t table_id);

// Idempotency tokens are kept in buckets of ten minutes, so that old ones go in one range delete.
std::string TokenKey(int64_t bucket, std::string_view token);
KeyRange TokensBefore(int64_t bucket);

// How far the backfill of an index has come: the last item key done.
std::string BackfillKey(uint32_t table_id, uint16_t index_id);

}  // namespace monotable::encoding
