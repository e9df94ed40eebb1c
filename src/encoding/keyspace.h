#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "encoding/item.h"
#include "item/value.h"
#include "storage/store.h"
#include "table/definition.h"

// Where everything lives in the one ordered keyspace of a store; mirrored by
// docs/storage-format.md. Items of a table and entries of an index sort by a hash of the partition
// key, then by the partition key, then by the sort key: a partition is one range, and so is a
// segment of a parallel scan.
namespace monotable::encoding {

inline constexpr uint16_t kTableItems = 0;  // the index id under which a table's own items live

// Server-wide records.
std::string FormatKey();
std::string NextTableIdKey();
std::string ScrubKey();
std::string CatalogKey(std::string_view table_name);
storage::Range CatalogRange();

// The key of an item, from the item or just its key attributes, which have been checked.
std::string ItemKey(const table::TableDefinition& table, const item::Item& item);

// The key of an item's entry in an index; nullopt where the item has no entry, because it lacks an
// attribute of the index key (sparse index). Attribute types have been checked.
std::optional<std::string> IndexKey(const table::TableDefinition& table,
                                    const table::IndexDefinition& index, const item::Item& item);
// The same from an encoded item.
std::optional<std::string> IndexKey(const table::TableDefinition& table,
                                    const table::IndexDefinition& index,
                                    const AttributeLookup& item);

// The common beginning of all keys of one partition of a table (index_id kTableItems) or index;
// hash holds the values of the partition key attributes in schema order. Sort key components
// (encoding/ordered_key.h) follow it.
std::string PartitionPrefix(uint32_t table_id, uint16_t index_id,
                            std::span<const item::Value* const> hash);

// All items of a table or entries of an index, and a segment of them.
storage::Range ItemsRange(uint32_t table_id, uint16_t index_id);
storage::Range SegmentRange(uint32_t table_id, uint16_t index_id, uint32_t segment,
                            uint32_t total_segments);
// A table's items and all its index entries: everything that dropping the table removes.
storage::Range TableRange(uint32_t table_id);

// Counters of items and of their charged bytes, by table or index.
std::string ItemCountKey(uint32_t table_id, uint16_t index_id);
std::string ItemBytesKey(uint32_t table_id, uint16_t index_id);
storage::Range CountersRange(uint32_t table_id);
// Bytes of one item collection (a partition of a table that has local indexes).
std::string CollectionBytesKey(uint32_t table_id, std::string_view partition_prefix);

// The first bytes of an item's key, which say to which table the item belongs.
inline constexpr size_t kItemPrefixBytes = 7;  // area, table id, index id
// The key of the same item in another table.
std::string MovedItemKey(std::string_view item_key, uint32_t table_id);

// The change log of a table is in shards, by the hash of the partition key: all changes of an item
// are in the same one. Within a shard they are in commit order; since the time of commits never
// goes back, a moment is found by its time.
inline constexpr uint8_t kShards = 4;
struct ChangePosition {
  int64_t time_ms = 0;
  uint64_t sequence = 0;
  uint32_t position = 0;  // within the commit
  friend auto operator<=>(const ChangePosition&, const ChangePosition&) = default;
};
// The position in the log without the position within a commit.
inline table::LogMoment MomentOf(const ChangePosition& position) {
  return {position.time_ms, position.sequence};
}
uint8_t ShardOf(std::string_view item_key);
std::string ChangeKey(uint32_t table_id, uint8_t shard, const ChangePosition& position);
// nullopt if the key is damaged.
std::optional<ChangePosition> DecodeChangeKey(std::string_view key);
storage::Range ChangesRange();
storage::Range ChangesRange(uint32_t table_id);
storage::Range ChangesRange(uint32_t table_id, uint8_t shard);

// Definitions of tables that are gone, but whose streams can still be read.
std::string DroppedTableKey(uint32_t table_id);
storage::Range DroppedTablesRange();

// When items expire: by second, then by item. The entries have no value.
std::string ExpiryKey(uint32_t table_id, int64_t second, std::string_view item_key);
struct Expiry {
  int64_t second = 0;
  std::string item_key;
};
std::optional<Expiry> DecodeExpiryKey(std::string_view key);
storage::Range ExpiriesRange(uint32_t table_id);
// From one second (included) to another (excluded).
storage::Range ExpiriesRange(uint32_t table_id, int64_t from_second, int64_t to_second);
// Counts the items that time to live has deleted.
std::string ExpiredCountKey(uint32_t table_id);

// Records of jobs, by kind.
std::string JobKey(uint8_t kind, std::string_view id);
storage::Range JobsRange(uint8_t kind);

// Idempotency tokens are kept in buckets of ten minutes, so that old ones go in one range delete.
std::string TokenKey(int64_t bucket, std::string_view token);
storage::Range TokensBefore(int64_t bucket);

// A key that writes only lock: nothing is stored under it.
std::string LockKey(std::string_view name);

// How far the backfill of an index (kTableItems: of expiries) has come: the last item key done.
std::string BackfillKey(uint32_t table_id, uint16_t index_id);

}  // namespace monotable::encoding
