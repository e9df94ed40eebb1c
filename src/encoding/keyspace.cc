#include "encoding/keyspace.h"

#include <xxhash.h>

#include "encoding/key.h"
#include "table/key_limits.h"

namespace monotable::encoding {
namespace {

using item::Type;

// The first byte of every key. On disk: never change one.
enum class Area : char {
  kServer = 1,
  kCatalog = 2,
  kItems = 3,
  kChanges = 4,
  kTokens = 5,
  kBackfill = 6,
  kCounters = 7,
};

enum class CounterKind : char { kItemCount = 0, kItemBytes = 1 };

// The index id under which the counters of item collections live.
constexpr uint16_t kCollections = 0xFFFF;

template <typename Integer>
void AppendBigEndian(Integer value, std::string* out) {
  for (int shift = static_cast<int>(sizeof(Integer)) * 8 - 8; shift >= 0; shift -= 8) {
    out->push_back(static_cast<char>(value >> shift));
  }
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

KeyRange Under(std::string prefix) {
  std::string end = PrefixEnd(prefix);
  return {std::move(prefix), std::move(end)};
}

// The first 32 bits of the hash decide the segment, so they come first in the key.
uint32_t PartitionHash(std::string_view components) {
  return static_cast<uint32_t>(XXH3_64bits(components.data(), components.size()) >> 32);
}

constexpr size_t kHashOffset = 7;  // area, table id, index id
constexpr size_t kHashBytes = 4;

// Leaves room for the hash; FinishPartition fills it in once the partition key is there.
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

// Appends the components of an index key; false where the item has no entry: an attribute is
// missing, of another type, empty or too long. Writes refuse the latter three, but items written
// before the index was defined may have them.
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

std::string CatalogKey(std::string_view table_name) {
  return Start(Area::kCatalog).append(table_name);
}

KeyRange CatalogRange() {
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
                                    const table::IndexDefinition& index, ItemView item) {
  return MakeIndexKey(table, index, [&](std::string_view name) { return item.Find(name); });
}

std::string PartitionPrefix(uint32_t table_id, uint16_t index_id,
                            std::span<const item::Value* const> hash) {
  std::string key = StartPartition(table_id, index_id);
  for (const item::Value* value : hash) AppendKeyComponent(*value, &key);
  FinishPartition(&key);
  return key;
}

KeyRange ItemsRange(uint32_t table_id, uint16_t index_id) {
  return Under(StartItems(table_id, index_id));
}

KeyRange SegmentRange(uint32_t table_id, uint16_t index_id, uint32_t segment,
                      uint32_t total_segments) {
  KeyRange range = ItemsRange(table_id, index_id);
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

KeyRange TableRange(uint32_t table_id) {
  return Under(StartTable(Area::kItems, table_id));
}

std::string ItemCountKey(uint32_t table_id, uint16_t index_id) {
  return CounterKey(table_id, index_id, CounterKind::kItemCount);
}

std::string ItemBytesKey(uint32_t table_id, uint16_t index_id) {
  return CounterKey(table_id, index_id, CounterKind::kItemBytes);
}

KeyRange CountersRange(uint32_t table_id) {
  return Under(StartTable(Area::kCounters, table_id));
}

std::string CollectionBytesKey(uint32_t table_id, std::string_view partition_prefix) {
  std::string key = StartTable(Area::kCounters, table_id);
  AppendBigEndian(kCollections, &key);
  return key.append(partition_prefix.substr(kHashOffset));
}

std::string ChangeKey(uint32_t table_id, uint64_t sequence, uint32_t position) {
  std::string key = StartTable(Area::kChanges, table_id);
  AppendBigEndian(sequence, &key);
  AppendBigEndian(position, &key);
  return key;
}

KeyRange ChangesRange(uint32_t table_id) {
  return Under(StartTable(Area::kChanges, table_id));
}

std::string TokenKey(int64_t bucket, std::string_view token) {
  std::string key = Start(Area::kTokens);
  AppendBigEndian(static_cast<uint64_t>(bucket), &key);
  return key.append(token);
}

KeyRange TokensBefore(int64_t bucket) {
  return {Start(Area::kTokens), TokenKey(bucket, {})};
}

std::string BackfillKey(uint32_t table_id, uint16_t index_id) {
  std::string key = StartTable(Area::kBackfill, table_id);
  AppendBigEndian(index_id, &key);
  return key;
}

}  // namespace monotable::encoding
