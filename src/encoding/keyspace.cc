#include "encoding/keyspace.h"

#include <algorithm>

#include <xxhash.h>

#include "encoding/ordered_key.h"
#include "table/definition.h"

namespace monotable::encoding {
namespace {

using item::Type;

// The first byte of every key. The values are on disk, so they must never change.
enum class Area : char {
  kLocks = 0,
  kServer = 1,
  kCatalog = 2,
  kItems = 3,
  kChanges = storage::kLogPrefix,
  kTokens = 5,
  kBackfill = 6,
  kCounters = 7,
  kDroppedTables = 8,
  kExpiries = 9,
  kJobs = 10,
};

enum class CounterKind : char { kItemCount = 0, kItemBytes = 1, kExpired = 2 };

// The index id under which the counters of item collections live.
constexpr uint16_t kCollections = 0xFFFF;

template <typename Integer>
void AppendBigEndian(Integer value, std::string* out) {
  for (int shift = static_cast<int>(sizeof(Integer)) * 8 - 8; shift >= 0; shift -= 8) {
    out->push_back(static_cast<char>(value >> shift));
  }
}

// Takes an integer from the front of a key that is long enough.
template <typename Integer>
Integer TakeBigEndian(std::string_view* key) {
  Integer value = 0;
  for (size_t i = 0; i < sizeof(Integer); ++i) {
    value = static_cast<Integer>((value << 8) | static_cast<unsigned char>((*key)[i]));
  }
  key->remove_prefix(sizeof(Integer));
  return value;
}

std::string Start(Area area) {
  std::string key;
  key.reserve(64);
  key.push_back(static_cast<char>(area));
  return key;
}

std::string StartTable(Area area, uint32_t table_id) {
  std::string key = Start(area);
  AppendBigEndian(table_id, &key);
  return key;
}

std::string StartItems(uint32_t table_id, uint16_t index_id) {
  std::string key = StartTable(Area::kItems, table_id);
  AppendBigEndian(index_id, &key);
  return key;
}

storage::Range Under(std::string prefix) {
  std::string end = PrefixEnd(prefix);
  return {std::move(prefix), std::move(end)};
}

// The first 32 bits of the hash decide the segment, so they come first in the key.
uint32_t PartitionHash(std::string_view components) {
  return static_cast<uint32_t>(XXH3_64bits(components.data(), components.size()) >> 32);
}

constexpr size_t kHashOffset = kItemPrefixBytes;
constexpr size_t kHashBytes = 4;

// Leaves room for the hash, which FinishPartition fills in once the partition key is appended.
std::string StartPartition(uint32_t table_id, uint16_t index_id) {
  std::string key = StartItems(table_id, index_id);
  key.append(kHashBytes, '\0');
  return key;
}

void FinishPartition(std::string* key) {
  const uint32_t hash = PartitionHash(std::string_view(*key).substr(kHashOffset + kHashBytes));
  for (size_t i = 0; i < kHashBytes; ++i) {
    (*key)[kHashOffset + i] = static_cast<char>(hash >> (24 - 8 * i));
  }
}

// Appends the components of an index key. Returns false if the item has no entry in the index,
// because an attribute is missing, of another type, empty or too long. Writes refuse the latter
// three, but items written before the index was defined may have them.
template <typename Find>
bool AppendComponents(const std::vector<table::KeyAttribute>& attributes, size_t max_bytes,
                      const Find& find, std::string* key) {
  for (const table::KeyAttribute& attribute : attributes) {
    const auto value = find(attribute.name);
    if (!value || value->type() != attribute.type) return false;
    const size_t bytes = KeyBytes(*value);
    if (bytes == 0 || bytes > max_bytes) return false;
    AppendKeyComponent(*value, key);
  }
  return true;
}

template <typename Find>
std::optional<std::string> MakeIndexKey(const table::TableDefinition& table,
                                        const table::IndexDefinition& index, const Find& find) {
  std::string key = StartPartition(table.id, index.id);
  if (!AppendComponents(index.key.hash, table::kMaxHashKeyBytes, find, &key)) return std::nullopt;
  FinishPartition(&key);
  if (!AppendComponents(index.key.range, table::kMaxRangeKeyBytes, find, &key)) {
    return std::nullopt;
  }
  // The table's key makes entries of items with equal index keys distinct. Entries of a local index
  // share the partition key already.
  if (index.kind == table::IndexKind::kGlobal &&
      !AppendComponents(table.key.hash, table::kMaxHashKeyBytes, find, &key)) {
    return std::nullopt;
  }
  if (!AppendComponents(table.key.range, table::kMaxRangeKeyBytes, find, &key)) {
    return std::nullopt;
  }
  return key;
}

std::string CounterKey(uint32_t table_id, uint16_t index_id, CounterKind kind) {
  std::string key = StartTable(Area::kCounters, table_id);
  AppendBigEndian(index_id, &key);
  key.push_back(static_cast<char>(kind));
  return key;
}

}  // namespace

std::string FormatKey() {
  return Start(Area::kServer) + "format";
}

std::string NextTableIdKey() {
  return Start(Area::kServer) + "next-table-id";
}

std::string ScrubKey() {
  return Start(Area::kServer) + "scrub";
}

std::string CatalogKey(std::string_view table_name) {
  return Start(Area::kCatalog).append(table_name);
}

storage::Range CatalogRange() {
  return Under(Start(Area::kCatalog));
}

std::string ItemKey(const table::TableDefinition& table, const item::Item& item) {
  std::string key = StartPartition(table.id, kTableItems);
  for (const table::KeyAttribute& attribute : table.key.hash) {
    AppendKeyComponent(*item.Find(attribute.name), &key);
  }
  FinishPartition(&key);
  for (const table::KeyAttribute& attribute : table.key.range) {
    AppendKeyComponent(*item.Find(attribute.name), &key);
  }
  return key;
}

std::optional<std::string> IndexKey(const table::TableDefinition& table,
                                    const table::IndexDefinition& index, const item::Item& item) {
  return MakeIndexKey(table, index, [&](std::string_view name) { return item.Find(name); });
}

std::optional<std::string> IndexKey(const table::TableDefinition& table,
                                    const table::IndexDefinition& index,
                                    const AttributeLookup& item) {
  return MakeIndexKey(table, index, [&](std::string_view name) { return item.Find(name); });
}

std::string PartitionPrefix(uint32_t table_id, uint16_t index_id,
                            std::span<const item::Value* const> hash) {
  std::string key = StartPartition(table_id, index_id);
  for (const item::Value* value : hash) AppendKeyComponent(*value, &key);
  FinishPartition(&key);
  return key;
}

storage::Range ItemsRange(uint32_t table_id, uint16_t index_id) {
  return Under(StartItems(table_id, index_id));
}

storage::Range SegmentRange(uint32_t table_id, uint16_t index_id, uint32_t segment,
                            uint32_t total_segments) {
  storage::Range range = ItemsRange(table_id, index_id);
  // The segment's share of the 2^32 hash values.
  const auto first_hash = [&](uint64_t s) {
    return static_cast<uint32_t>((s << 32) / total_segments);
  };
  const std::string prefix = range.begin;
  if (segment > 0) AppendBigEndian(first_hash(segment), &range.begin);
  if (segment + 1 < total_segments) {
    range.end = prefix;
    AppendBigEndian(first_hash(segment + 1ULL), &range.end);
  }
  return range;
}

storage::Range TableRange(uint32_t table_id) {
  return Under(StartTable(Area::kItems, table_id));
}

std::string ItemCountKey(uint32_t table_id, uint16_t index_id) {
  return CounterKey(table_id, index_id, CounterKind::kItemCount);
}

std::string ItemBytesKey(uint32_t table_id, uint16_t index_id) {
  return CounterKey(table_id, index_id, CounterKind::kItemBytes);
}

storage::Range CountersRange(uint32_t table_id) {
  return Under(StartTable(Area::kCounters, table_id));
}

std::string CollectionBytesKey(uint32_t table_id, std::string_view partition_prefix) {
  std::string key = StartTable(Area::kCounters, table_id);
  AppendBigEndian(kCollections, &key);
  return key.append(partition_prefix.substr(kHashOffset));
}

std::string MovedItemKey(std::string_view item_key, uint32_t table_id) {
  return StartItems(table_id, kTableItems).append(item_key.substr(kItemPrefixBytes));
}

uint8_t ShardOf(std::string_view item_key) {
  static_assert(256 % kShards == 0);
  return static_cast<uint8_t>(static_cast<unsigned char>(item_key[kHashOffset]) / (256 / kShards));
}

std::string ChangeKey(uint32_t table_id, uint8_t shard, const ChangePosition& position) {
  std::string key = StartTable(Area::kChanges, table_id);
  AppendBigEndian(shard, &key);
  AppendBigEndian(static_cast<uint64_t>(position.time_ms), &key);
  AppendBigEndian(position.sequence, &key);
  AppendBigEndian(position.position, &key);
  return key;
}

std::optional<ChangePosition> DecodeChangeKey(std::string_view key) {
  constexpr size_t kBefore = 6;  // area, table id, shard
  constexpr size_t kPosition = sizeof(int64_t) + sizeof(uint64_t) + sizeof(uint32_t);
  if (key.size() != kBefore + kPosition) return std::nullopt;
  key.remove_prefix(kBefore);
  ChangePosition position;
  position.time_ms = static_cast<int64_t>(TakeBigEndian<uint64_t>(&key));
  position.sequence = TakeBigEndian<uint64_t>(&key);
  position.position = TakeBigEndian<uint32_t>(&key);
  return position;
}

storage::Range ChangesRange() {
  return Under(Start(Area::kChanges));
}

storage::Range ChangesRange(uint32_t table_id) {
  return Under(StartTable(Area::kChanges, table_id));
}

storage::Range ChangesRange(uint32_t table_id, uint8_t shard) {
  std::string prefix = StartTable(Area::kChanges, table_id);
  AppendBigEndian(shard, &prefix);
  return Under(std::move(prefix));
}

std::string DroppedTableKey(uint32_t table_id) {
  return StartTable(Area::kDroppedTables, table_id);
}

storage::Range DroppedTablesRange() {
  return Under(Start(Area::kDroppedTables));
}

std::string ExpiryKey(uint32_t table_id, int64_t second, std::string_view item_key) {
  std::string key = StartTable(Area::kExpiries, table_id);
  AppendBigEndian(static_cast<uint64_t>(second), &key);
  return key.append(item_key.substr(std::min(item_key.size(), kItemPrefixBytes)));
}

std::optional<Expiry> DecodeExpiryKey(std::string_view key) {
  if (key.size() < 1 + sizeof(uint32_t) + sizeof(uint64_t) + kHashBytes) return std::nullopt;
  key.remove_prefix(1);
  const auto table_id = TakeBigEndian<uint32_t>(&key);
  Expiry expiry;
  expiry.second = static_cast<int64_t>(TakeBigEndian<uint64_t>(&key));
  expiry.item_key = StartItems(table_id, kTableItems).append(key);
  return expiry;
}

storage::Range ExpiriesRange(uint32_t table_id) {
  return Under(StartTable(Area::kExpiries, table_id));
}

storage::Range ExpiriesRange(uint32_t table_id, int64_t from_second, int64_t to_second) {
  return {ExpiryKey(table_id, from_second, {}), ExpiryKey(table_id, to_second, {})};
}

std::string ExpiredCountKey(uint32_t table_id) {
  return CounterKey(table_id, kTableItems, CounterKind::kExpired);
}

std::string JobKey(uint8_t kind, std::string_view id) {
  std::string key = Start(Area::kJobs);
  AppendBigEndian(kind, &key);
  return key.append(id);
}

storage::Range JobsRange(uint8_t kind) {
  return Under(JobKey(kind, {}));
}

std::string TokenKey(int64_t bucket, std::string_view token) {
  std::string key = Start(Area::kTokens);
  AppendBigEndian(static_cast<uint64_t>(bucket), &key);
  return key.append(token);
}

storage::Range TokensBefore(int64_t bucket) {
  return {Start(Area::kTokens), TokenKey(bucket, {})};
}

std::string LockKey(std::string_view name) {
  return Start(Area::kLocks).append(name);
}

std::string BackfillKey(uint32_t table_id, uint16_t index_id) {
  std::string key = StartTable(Area::kBackfill, table_id);
  AppendBigEndian(index_id, &key);
  return key;
}

}  // namespace monotable::encoding
