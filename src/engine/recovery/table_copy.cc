#include "engine/recovery/table_copy.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "encoding/keyspace.h"
#include "engine/backfill.h"
#include "engine/index_entries.h"

namespace monotable::engine {
namespace {

using encoding::ItemView;
using table::IndexStatus;
using table::TableDefinition;
using table::TableStatus;

constexpr size_t kItemsBetweenChecks = 1024;
constexpr size_t kCollectionsPerUpdate = 1024;

// Returns the table that a change found under the name, if it is the one that is being created.
bool IsBeingCreated(const TableDefinition* table, uint32_t table_id) {
  return table != nullptr && table->id == table_id && table->status == TableStatus::kCreating;
}

Error Gone() {
  return Error(ErrorCode::kResourceNotFound, "The table is gone.");
}

// Counts the bytes of item collections, which a table with local indexes keeps by partition: those
// of its items and of their entries in local indexes. Items come in key order, so that a partition
// is over when the next one begins.
class CollectionCount {
 public:
  CollectionCount(storage::Store& store, const TableDefinition& table)
      : store_(store), table_(table), enabled_(table.HasLocalIndex()) {}

  Status Add(ItemView item) {
    if (!enabled_) return {};
    const auto hash = item.Find(table_.key.hash.front().name);
    if (!hash) return Error::Internal("An item lacks its partition key.");
    TRY_ASSIGN(const item::Value value, hash->Decode());
    if (!partition_ || *partition_ != value) {
      TRY(EndPartition());
      partition_ = value;
    }
    bytes_ += static_cast<int64_t>(item.ChargedSize());
    for (const table::IndexDefinition& index : table_.indexes) {
      if (index.kind != table::IndexKind::kLocal) continue;
      const auto entry = IndexEntry::Of(table_, index, item);
      if (entry) bytes_ += static_cast<int64_t>(entry->charged_size());
    }
    return {};
  }

  Status Finish() {
    TRY(EndPartition());
    return Write();
  }

 private:
  Status EndPartition() {
    if (!partition_) return {};
    const item::Value* const hash[] = {&*partition_};
    counted_.emplace_back(
        encoding::CollectionBytesKey(
            table_.id, encoding::PartitionPrefix(table_.id, encoding::kTableItems, hash)),
        std::exchange(bytes_, 0));
    partition_.reset();
    return counted_.size() < kCollectionsPerUpdate ? Status() : Write();
  }

  Status Write() {
    TRY(storage::UpdateAndWait(store_, {}, [this](auto, const auto&, storage::Batch* batch) {
      for (const auto& [key, bytes] : counted_) batch->Increment(key, bytes);
    }));
    counted_.clear();
    return {};
  }

  storage::Store& store_;
  const TableDefinition& table_;
  const bool enabled_;
  std::optional<item::Value> partition_;
  int64_t bytes_ = 0;  // of the partition so far
  std::vector<std::pair<std::string, int64_t>> counted_;
};

// Resets the table to the beginning of its creation and returns it.
Result<TablePtr> StartAfresh(Engine& engine, const TablePtr& table) {
  const auto decide = [&table](const TableDefinition* current, uint32_t) -> Catalog::Decision {
    if (!IsBeingCreated(current, table->id)) return Gone();
    TableDefinition next = *current;
    for (table::IndexDefinition& index : next.indexes) index.status = IndexStatus::kCreating;
    return std::optional(std::move(next));
  };
  const auto also = [&table](const storage::Commit&, storage::Batch* batch) {
    batch->DeleteRange(encoding::TableRange(table->id));
    batch->DeleteRange(encoding::CountersRange(table->id));
    for (const table::IndexDefinition& index : table->indexes) {
      batch->Delete(encoding::BackfillKey(table->id, index.id));
    }
  };
  return engine.catalog().Change(table->name, decide, also);
}

Status MakeReady(Engine& engine, const TableDefinition& table, const CopyFigures& figures) {
  const auto decide = [&table](const TableDefinition* current, uint32_t) -> Catalog::Decision {
    if (!IsBeingCreated(current, table.id)) return Gone();
    TableDefinition next = *current;
    next.status = TableStatus::kActive;
    return std::optional(std::move(next));
  };
  const auto also = [&table, &figures](const storage::Commit&, storage::Batch* batch) {
    batch->Increment(encoding::ItemCountKey(table.id, encoding::kTableItems), figures.items);
    batch->Increment(encoding::ItemBytesKey(table.id, encoding::kTableItems), figures.bytes);
  };
  TRY(engine.catalog().Change(table.name, decide, also));
  return {};
}

}  // namespace

ItemSource StoredItems(const storage::Reader& reader, uint32_t table_id) {
  return [&reader, table_id](const PastVisitor& visit, const std::stop_token& stop) -> Status {
    const auto cursor = reader.Scan(encoding::ItemsRange(table_id, encoding::kTableItems),
                                    storage::Direction::kForward);
    for (size_t i = 0; cursor->Valid(); cursor->Next(), ++i) {
      if (i % kItemsBetweenChecks == 0 && stop.stop_requested()) return Stopped();
      TRY(visit(cursor->key(), ItemView(cursor->value())));
    }
    return cursor->status();
  };
}

Result<CopyFigures> CopyItems(storage::Store& store, const ItemSource& source, uint32_t target_id,
                              const std::stop_token& stop) {
  CopyFigures figures;
  TRY_ASSIGN(const auto bulk, store.StartBulkWrite());
  const auto copy = [&](std::string_view key, ItemView item) -> Status {
    ++figures.items;
    figures.bytes += static_cast<int64_t>(item.ChargedSize());
    return bulk->Put(encoding::MovedItemKey(key, target_id), item.record());
  };
  TRY(source(copy, stop));
  TRY(bulk->Finish());
  return figures;
}

Status CreateFrom(Engine& engine, uint32_t table_id, const ItemSource& source,
                  const std::stop_token& stop) {
  const TablePtr found = engine.catalog().FindById(table_id);
  if (!IsBeingCreated(found.get(), table_id)) return {};
  TRY_ASSIGN(const TablePtr table, StartAfresh(engine, found));
  CollectionCount collections(engine.store(), *table);
  const ItemSource counted = [&](const PastVisitor& visit, const auto& stop_here) {
    return source(
        [&](std::string_view key, ItemView item) -> Status {
          TRY(collections.Add(item));
          return visit(key, item);
        },
        stop_here);
  };
  TRY_ASSIGN(const CopyFigures figures, CopyItems(engine.store(), counted, table_id, stop));
  TRY(collections.Finish());
  TRY(FillIndexesOf(engine, table, stop));
  if (stop.stop_requested()) return Stopped();
  return MakeReady(engine, *table, figures);
}

Status AbandonTable(Engine& engine, uint32_t table_id) {
  const TablePtr table = engine.catalog().FindById(table_id);
  if (!IsBeingCreated(table.get(), table_id)) return {};
  const auto decide = [table_id](const TableDefinition* current, uint32_t) -> Catalog::Decision {
    if (!IsBeingCreated(current, table_id)) return Gone();
    return std::optional<TableDefinition>();
  };
  TRY(engine.catalog().Change(table->name, decide));
  return {};
}

}  // namespace monotable::engine
