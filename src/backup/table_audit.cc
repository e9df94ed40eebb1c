#include "backup/table_audit.h"

#include <array>
#include <optional>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <xxhash.h>

#include "encoding/keyspace.h"
#include "encoding/stored_definition.h"
#include "engine/expiry.h"
#include "engine/index_entries.h"
#include "engine/write.h"
#include "storage/store.h"
#include "wire/attribute_value.h"

namespace monotable::backup {
namespace {

using encoding::ItemView;
using table::IndexDefinition;

constexpr size_t kMaxProblems = 10;
constexpr int64_t kProgressStep = 8192;

std::unique_ptr<storage::Cursor> Walk(const storage::Reader& reader, const storage::Range& range) {
  return reader.Scan(range, storage::Direction::kForward);
}

// The audit of one table.
class Auditor {
 public:
  Auditor(const storage::Reader& reader, const table::TableDefinition& table)
      : reader_(reader), table_(table) {
    for (const IndexDefinition& index : table.indexes) {
      if (index.status != table::IndexStatus::kCreating) indexes_.push_back({&index, {}});
    }
  }

  Result<TableAudit> Run(const AuditProgress& progress) {
    const auto cursor = Walk(reader_, encoding::ItemsRange(table_.id, encoding::kTableItems));
    TableDigest digest;
    for (; cursor->Valid(); cursor->Next()) {
      digest.Add(cursor->key(), cursor->value());
      TRY(CheckItem(cursor->key(), cursor->value()));
      if (progress && sum_.entries % kProgressStep == 0) progress(sum_.entries);
    }
    TRY(cursor->status());
    TRY(EndCollection());
    TRY(CheckCounters(encoding::kTableItems, sum_, "the table"));
    for (const CheckedIndex& index : indexes_) TRY(CheckIndex(index));
    if (lists_expiries()) TRY(CheckExpiries());
    audit_.items = sum_.entries;
    audit_.digest = digest.Hex();
    return std::move(audit_);
  }

 private:
  struct Sum {
    int64_t entries = 0;
    int64_t bytes = 0;

    void Add(size_t charged) {
      ++entries;
      bytes += static_cast<int64_t>(charged);
    }
  };
  struct CheckedIndex {
    const IndexDefinition* definition;
    Sum sum;  // of the entries that the items must have
  };

  bool lists_expiries() const { return table_.time_to_live.enabled && table_.time_to_live.filled; }

  void Report(std::string problem) {
    if (audit_.problems.size() < kMaxProblems) audit_.problems.push_back(std::move(problem));
  }

  // The key of an item as JSON, for messages.
  std::string Describe(const item::Item& item) const {
    item::Item key;
    for (const auto* part : {&table_.key.hash, &table_.key.range}) {
      for (const table::KeyAttribute& attribute : *part) {
        if (const item::Value* value = item.Find(attribute.name)) key.Set(attribute.name, *value);
      }
    }
    std::string text;
    json::Writer writer(&text);
    wire::EncodeItem(key, &writer);
    return text;
  }

  bool HasKey(const item::Item& item) const {
    for (const auto* part : {&table_.key.hash, &table_.key.range}) {
      for (const table::KeyAttribute& attribute : *part) {
        const item::Value* value = item.Find(attribute.name);
        if (value == nullptr || value->type() != attribute.type) return false;
      }
    }
    return true;
  }

  Status CheckItem(std::string_view key, std::string_view record) {
    const ItemView view(record);
    sum_.Add(view.ChargedSize());
    const auto item = encoding::DecodeItem(record);
    if (!item || !HasKey(*item) || encoding::ItemKey(table_, *item) != key) {
      Report(fmt::format("item number {} is damaged or not under its own key", sum_.entries));
      return {};
    }
    auto collection_bytes = static_cast<int64_t>(view.ChargedSize());
    for (CheckedIndex& index : indexes_) {
      const auto entry = engine::IndexEntry::Of(table_, *index.definition, view);
      if (!entry) continue;
      index.sum.Add(entry->charged_size());
      if (index.definition->kind == table::IndexKind::kLocal) {
        collection_bytes += static_cast<int64_t>(entry->charged_size());
      }
      std::string found;
      TRY_ASSIGN(const bool there, reader_.Get(entry->key(), &found));
      if (there && found == entry->value()) continue;
      Report(fmt::format("index {} {} {}", index.definition->name,
                         there ? "has another image of" : "lacks", Describe(*item)));
    }
    TRY(CheckExpiry(key, view, *item));
    return AddToCollection(*item, collection_bytes);
  }

  Status CheckExpiry(std::string_view key, ItemView view, const item::Item& item) {
    if (!lists_expiries()) return {};
    const auto second = engine::ExpirySecond(table_, view);
    if (!second) return {};
    ++expiries_;
    std::string ignored;
    TRY_ASSIGN(const bool there,
               reader_.Get(encoding::ExpiryKey(table_.id, *second, key), &ignored));
    if (!there) Report(fmt::format("the expiry of {} is not listed", Describe(item)));
    return {};
  }

  // The items of one collection are next to each other in key order.
  Status AddToCollection(const item::Item& item, int64_t bytes) {
    if (!table_.HasLocalIndex()) return {};
    std::string counter = engine::CollectionKey(table_, item);
    if (counter != collection_counter_) {
      TRY(EndCollection());
      collection_counter_ = std::move(counter);
      collection_ = Describe(item);
      collection_bytes_ = 0;
    }
    collection_bytes_ += bytes;
    return {};
  }

  Status EndCollection() {
    if (collection_counter_.empty()) return {};
    TRY_ASSIGN(const int64_t counted, storage::ReadCounter(reader_, collection_counter_));
    if (counted != collection_bytes_) {
      Report(fmt::format("the collection of {} counts {} bytes instead of {}", collection_, counted,
                         collection_bytes_));
    }
    return {};
  }

  Status CheckCounters(uint16_t index_id, const Sum& sum, std::string_view what) {
    TRY_ASSIGN(const int64_t entries,
               storage::ReadCounter(reader_, encoding::ItemCountKey(table_.id, index_id)));
    TRY_ASSIGN(const int64_t bytes,
               storage::ReadCounter(reader_, encoding::ItemBytesKey(table_.id, index_id)));
    if (entries == sum.entries && bytes == sum.bytes) return {};
    Report(fmt::format("{} counts {} items and {} bytes instead of {} and {}", what, entries, bytes,
                       sum.entries, sum.bytes));
    return {};
  }

  // CheckItem has looked up every entry that an item must have. If the index holds more entries
  // than that, some belong to no item.
  Status CheckIndex(const CheckedIndex& index) {
    const std::string name = fmt::format("index {}", index.definition->name);
    TRY(CheckCounters(index.definition->id, index.sum, name));
    const auto cursor = Walk(reader_, encoding::ItemsRange(table_.id, index.definition->id));
    int64_t entries = 0;
    for (; cursor->Valid(); cursor->Next()) ++entries;
    TRY(cursor->status());
    audit_.index_entries += entries;
    if (entries > index.sum.entries) return FindStray(*index.definition);
    return {};
  }

  Status FindStray(const IndexDefinition& index) {
    const auto cursor = Walk(reader_, encoding::ItemsRange(table_.id, index.id));
    for (; cursor->Valid(); cursor->Next()) {
      const auto projected = encoding::DecodeItem(cursor->value());
      if (!projected || !HasKey(*projected)) {
        Report(fmt::format("index {} has a damaged entry", index.name));
        continue;
      }
      std::string record;
      TRY_ASSIGN(const bool there, reader_.Get(encoding::ItemKey(table_, *projected), &record));
      std::optional<engine::IndexEntry> entry;
      if (there) entry = engine::IndexEntry::Of(table_, index, ItemView(record));
      if (entry && entry->key() == cursor->key()) continue;
      Report(fmt::format("index {} has {}, which should not be there", index.name,
                         Describe(*projected)));
    }
    return cursor->status();
  }

  Status CheckExpiries() {
    const auto cursor = Walk(reader_, encoding::ExpiriesRange(table_.id));
    int64_t listed = 0;
    for (; cursor->Valid(); cursor->Next()) ++listed;
    TRY(cursor->status());
    if (listed > expiries_) {
      Report(fmt::format("{} expiries are listed, but {} items expire", listed, expiries_));
    }
    return {};
  }

  const storage::Reader& reader_;
  const table::TableDefinition& table_;
  TableAudit audit_;
  Sum sum_;
  std::vector<CheckedIndex> indexes_;
  int64_t expiries_ = 0;
  // The collection that the walk is in: the key of its counter, its first item, its bytes so far.
  std::string collection_counter_;
  std::string collection_;
  int64_t collection_bytes_ = 0;
};

}  // namespace

TableDigest::TableDigest() : state_(XXH3_createState()) {
  XXH3_128bits_reset(state_);
}

TableDigest::~TableDigest() {
  XXH3_freeState(state_);
}

// The lengths are part of the digest, so that no two lists of items have the same bytes. The
// table's id is left out of the keys.
void TableDigest::Add(std::string_view key, std::string_view value) {
  key.remove_prefix(encoding::kItemPrefixBytes);
  std::array<char, 8> lengths;
  for (size_t i = 0; i < 4; ++i) {
    lengths[i] = static_cast<char>(key.size() >> (8 * i));
    lengths[4 + i] = static_cast<char>(value.size() >> (8 * i));
  }
  XXH3_128bits_update(state_, lengths.data(), lengths.size());
  XXH3_128bits_update(state_, key.data(), key.size());
  XXH3_128bits_update(state_, value.data(), value.size());
}

std::string TableDigest::Hex() const {
  const XXH128_hash_t hash = XXH3_128bits_digest(state_);
  return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
}

Result<std::vector<table::TableDefinition>> TablesOf(const storage::Reader& reader) {
  const auto cursor = reader.Scan(encoding::CatalogRange(), storage::Direction::kForward);
  std::vector<table::TableDefinition> tables;
  for (; cursor->Valid(); cursor->Next()) {
    TRY_ASSIGN(table::TableDefinition table, encoding::DecodeDefinition(cursor->value()));
    if (table.status != table::TableStatus::kCreating) tables.push_back(std::move(table));
  }
  TRY(cursor->status());
  return tables;
}

Result<std::string> DigestOf(const storage::Reader& reader, const table::TableDefinition& table,
                             const std::stop_token& stop) {
  const auto cursor = reader.Scan(encoding::ItemsRange(table.id, encoding::kTableItems),
                                  storage::Direction::kForward);
  TableDigest digest;
  for (; cursor->Valid(); cursor->Next()) {
    if (stop.stop_requested()) return Error(ErrorCode::kUnavailable, "The server is stopping.");
    digest.Add(cursor->key(), cursor->value());
  }
  TRY(cursor->status());
  return digest.Hex();
}

Result<TableAudit> AuditTable(const storage::Reader& reader, const table::TableDefinition& table,
                              const AuditProgress& progress) {
  return Auditor(reader, table).Run(progress);
}

}  // namespace monotable::backup
