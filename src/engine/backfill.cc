#include "engine/backfill.h"

#include <string>
#include <utility>
#include <vector>

#include "encoding/item.h"
#include "encoding/keyspace.h"
#include "engine/index_entries.h"
#include "storage/store.h"

namespace monotable::engine {
namespace {

// A step must be short, because the store decides it on the thread that decides all writes.
constexpr size_t kMaxStretchItems = 256;
constexpr size_t kMaxStretchBytes = 1024 * 1024;

Result<std::vector<std::string>> NextStretch(Engine& engine, const storage::Range& rest) {
  std::vector<std::string> keys;
  size_t bytes = 0;
  const auto cursor = engine.store().Latest().Scan(rest, storage::Direction::kForward);
  for (; cursor->Valid(); cursor->Next()) {
    if (keys.size() == kMaxStretchItems || bytes >= kMaxStretchBytes) break;
    keys.emplace_back(cursor->key());
    bytes += cursor->value().size();
  }
  TRY(cursor->status());
  return keys;
}

}  // namespace

Status WalkItems(Engine& engine, uint32_t table_id, const std::string& progress_key,
                 const std::function<bool()>& goes_on, const StretchVisitor& visit) {
  storage::Range rest = encoding::ItemsRange(table_id, encoding::kTableItems);
  std::string last_done;
  TRY_ASSIGN(const bool resumes, engine.store().Latest().Get(progress_key, &last_done));
  if (resumes) rest.begin = last_done + '\0';
  while (goes_on()) {
    TRY_ASSIGN(const std::vector<std::string> keys, NextStretch(engine, rest));
    if (keys.empty()) return {};
    rest.begin = keys.back() + '\0';
    TRY(storage::UpdateAndWait(engine.store(), keys,
                               [&](auto items_of_step, const auto&, storage::Batch* batch) {
                                 if (visit(keys, items_of_step, batch)) {
                                   batch->Put(progress_key, keys.back());
                                 }
                               }));
  }
  return {};
}

namespace {

using table::IndexDefinition;
using table::IndexStatus;
using table::TableDefinition;

const IndexDefinition* FindCreating(const TableDefinition* table, uint16_t index_id) {
  if (table == nullptr) return nullptr;
  for (const IndexDefinition& index : table->indexes) {
    if (index.id == index_id && index.status == IndexStatus::kCreating) return &index;
  }
  return nullptr;
}

// The filling of one index.
class IndexFill {
 public:
  IndexFill(Engine& engine, TablePtr table, uint16_t index_id, const std::stop_token& stop)
      : engine_(engine),
        table_(std::move(table)),
        index_id_(index_id),
        progress_key_(encoding::BackfillKey(table_->id, index_id)),
        stop_(stop) {}

  Status Run() {
    TRY(Walk());
    if (ended_) return {};
    TRY_ASSIGN(const Shortfall shortfall, CountShortfall());
    if (ended_) return {};
    return Finish(shortfall);
  }

 private:
  // The difference that is missing from the counters.
  struct Shortfall {
    int64_t entries = 0;
    int64_t bytes = 0;
  };

  Status Walk() {
    return WalkItems(
        engine_, table_->id, progress_key_, [this] { return !StopsHere(); },
        [this](auto, auto items, storage::Batch* batch) {
          const TablePtr table = engine_.catalog().FindById(table_->id);
          const IndexDefinition* index = FindCreating(table.get(), index_id_);
          if (index == nullptr) return false;
          for (const auto& item : items) {
            if (!item) continue;
            const auto entry = IndexEntry::Of(*table, *index, encoding::ItemView(*item));
            if (entry) batch->Put(entry->key(), entry->value());
          }
          return true;
        });
  }

  Result<Shortfall> CountShortfall() {
    const auto snapshot = engine_.store().Snapshot();
    const auto cursor =
        snapshot->Scan(encoding::ItemsRange(table_->id, index_id_), storage::Direction::kForward);
    Shortfall shortfall;
    for (; cursor->Valid(); cursor->Next()) {
      if (++shortfall.entries % 1024 == 0 && StopsHere()) return shortfall;
      shortfall.bytes += static_cast<int64_t>(encoding::ItemView(cursor->value()).ChargedSize());
    }
    TRY(cursor->status());
    TRY_ASSIGN(const int64_t counted,
               storage::ReadCounter(*snapshot, encoding::ItemCountKey(table_->id, index_id_)));
    TRY_ASSIGN(const int64_t counted_bytes,
               storage::ReadCounter(*snapshot, encoding::ItemBytesKey(table_->id, index_id_)));
    shortfall.entries -= counted;
    shortfall.bytes -= counted_bytes;
    return shortfall;
  }

  Status Finish(const Shortfall& shortfall) {
    bool dropped = false;
    const auto decide = [this, &dropped](const TableDefinition* current,
                                         uint32_t) -> Catalog::Decision {
      // Another table with the same name may have been created meanwhile.
      const bool same_table = current != nullptr && current->id == table_->id;
      dropped = !same_table || FindCreating(current, index_id_) == nullptr;
      if (dropped) return Error(ErrorCode::kResourceNotFound, "The index is gone.");
      TableDefinition next = *current;
      for (IndexDefinition& index : next.indexes) {
        if (index.id == index_id_) index.status = IndexStatus::kActive;
      }
      return std::optional(std::move(next));
    };
    const auto also = [this, &shortfall](const storage::Commit&, storage::Batch* batch) {
      batch->Delete(progress_key_);
      batch->Increment(encoding::ItemCountKey(table_->id, index_id_), shortfall.entries);
      batch->Increment(encoding::ItemBytesKey(table_->id, index_id_), shortfall.bytes);
    };
    const auto changed = engine_.catalog().Change(table_->name, decide, also);
    if (changed || dropped) return {};
    return changed.error();
  }

  // Asks whether to go on and remembers a negative answer.
  bool StopsHere() {
    const TablePtr table = engine_.catalog().FindById(table_->id);
    ended_ = stop_.stop_requested() || FindCreating(table.get(), index_id_) == nullptr;
    return ended_;
  }

  Engine& engine_;
  const TablePtr table_;
  const uint16_t index_id_;
  const std::string progress_key_;
  const std::stop_token& stop_;
  bool ended_ = false;
};

}  // namespace

Status FillIndexes(Engine& engine, const std::stop_token& stop) {
  for (const TablePtr& table : engine.catalog().All()) {
    if (table->status == table::TableStatus::kCreating) continue;
    TRY(FillIndexesOf(engine, table, stop));
  }
  return {};
}

Status FillIndexesOf(Engine& engine, const TablePtr& table, const std::stop_token& stop) {
  for (const IndexDefinition& index : table->indexes) {
    if (index.status != IndexStatus::kCreating) continue;
    if (stop.stop_requested()) return {};
    TRY(IndexFill(engine, table, index.id, stop).Run());
  }
  return {};
}

}  // namespace monotable::engine
