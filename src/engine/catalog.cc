#include "engine/catalog.h"

#include <algorithm>
#include <array>
#include <future>
#include <unordered_map>
#include <utility>

#include "encoding/keyspace.h"
#include "encoding/stored_definition.h"
#include "encoding/varint.h"
#include "engine/change_log.h"

namespace monotable::engine {
namespace {

constexpr uint32_t kFirstTableId = 1;

struct NameHash {
  using is_transparent = void;
  size_t operator()(std::string_view name) const { return std::hash<std::string_view>()(name); }
};

// An index id is never used twice within a table, so the id tells whether an index is still there.
bool HasIndex(const table::TableDefinition& table, uint16_t id) {
  return std::any_of(table.indexes.begin(), table.indexes.end(),
                     [id](const table::IndexDefinition& index) { return index.id == id; });
}

void EndStream(const encoding::ChangePosition& now, table::TableDefinition* table) {
  if (!table->streams.empty() && !table->streams.back().end) {
    table->streams.back().end = encoding::MomentOf(now);
  }
}

// Streams and recovery begin and end at a position in the log, which is known only at the commit.
void KeepHistory(const table::TableDefinition* before, const encoding::ChangePosition& now,
                 table::TableDefinition* after) {
  const bool open = !after->streams.empty() && !after->streams.back().end;
  const bool same =
      after->stream.enabled && open && after->streams.back().label == after->latest_stream_label;
  if (!same) EndStream(now, after);
  if (after->stream.enabled && !same) {
    after->streams.push_back({after->latest_stream_label,
                              after->stream.view_type,
                              after->stream.enabled_at_ms,
                              {encoding::MomentOf(now)},
                              std::nullopt});
  }
  for (table::StreamDefinition& stream : after->streams) {
    for (table::LogMoment& generation : stream.generations) {
      if (generation.sequence == 0) generation = encoding::MomentOf(now);
    }
  }
  std::erase_if(after->streams, [&](const table::StreamDefinition& stream) {
    return stream.end && stream.end->time_ms < now.time_ms - kStreamLifeMs;
  });
  const bool was_recoverable = before != nullptr && before->point_in_time_recovery.enabled;
  if (after->point_in_time_recovery.enabled && !was_recoverable) {
    after->point_in_time_recovery.enabled_at_ms = now.time_ms;
  }
}

void RemoveTable(const table::TableDefinition& table, const encoding::ChangePosition& now,
                 storage::Batch* batch) {
  batch->Delete(encoding::CatalogKey(table.name));
  if (table.point_in_time_recovery.enabled) {
    for (const table::IndexDefinition& index : table.indexes) {
      batch->DeleteRange(encoding::ItemsRange(table.id, index.id));
    }
  } else {
    batch->DeleteRange(encoding::TableRange(table.id));
  }
  batch->DeleteRange(encoding::CountersRange(table.id));
  batch->DeleteRange(encoding::ExpiriesRange(table.id));
  if (table.streams.empty()) {
    batch->DeleteRange(encoding::ChangesRange(table.id));
  } else {
    table::TableDefinition dropped = table;
    EndStream(now, &dropped);
    dropped.status = table::TableStatus::kDeleting;
    dropped.point_in_time_recovery = {};
    batch->Put(encoding::DroppedTableKey(table.id), encoding::EncodeDefinition(dropped));
  }
  batch->Delete(encoding::BackfillKey(table.id, encoding::kTableItems));
  for (const table::IndexDefinition& index : table.indexes) {
    if (index.status != table::IndexStatus::kActive) {
      batch->Delete(encoding::BackfillKey(table.id, index.id));
    }
  }
}

void RemoveIndex(uint32_t table_id, uint16_t index_id, storage::Batch* batch) {
  batch->DeleteRange(encoding::ItemsRange(table_id, index_id));
  batch->Delete(encoding::ItemCountKey(table_id, index_id));
  batch->Delete(encoding::ItemBytesKey(table_id, index_id));
  batch->Delete(encoding::BackfillKey(table_id, index_id));
}

Result<uint32_t> DecodeNextId(std::optional<std::string_view> record) {
  if (!record) return kFirstTableId;
  uint64_t id = 0;
  if (!encoding::ReadVarint(&*record, &id) || !std::in_range<uint32_t>(id)) {
    return Error::Internal("The record of the next table id is damaged.");
  }
  return static_cast<uint32_t>(id);
}

void PutNextId(uint32_t id, storage::Batch* batch) {
  std::string record;
  encoding::AppendVarint(id, &record);
  batch->Put(encoding::NextTableIdKey(), record);
}

}  // namespace

struct Catalog::Snapshot {
  std::unordered_map<std::string, TablePtr, NameHash, std::equal_to<>> by_name;
  std::unordered_map<uint32_t, TablePtr> by_id;
};

// One change on its way through the store. The change starts from the stored record, not from the
// snapshot in memory, because the record includes all updates decided before.
class Catalog::ChangeUpdate : public storage::Update {
 public:
  ChangeUpdate(Catalog& catalog, const std::string& name, Catalog::Decide decide, Also also)
      : catalog_(catalog),
        name_(name),
        decide_(std::move(decide)),
        also_(std::move(also)),
        keys_{storage::NamedKey{encoding::CatalogKey(name)},
              storage::NamedKey{encoding::NextTableIdKey()}} {}

  std::future<Result<TablePtr>> GetFuture() { return promise_.get_future(); }

  std::span<const storage::NamedKey> keys() const override { return keys_; }

  void Decide(const storage::Current& current, const storage::Commit& commit,
              storage::Batch* batch) override {
    Retract();
    answer_ = Apply(current.values[0], current.values[1], commit, batch);
  }

  void Done(Status status) override {
    if (!status) {
      Retract();
      promise_.set_value(std::move(status).error());
      return;
    }
    if (published_) catalog_.Settle(this, name_, made_);
    promise_.set_value(std::move(answer_));
  }

 private:
  Result<TablePtr> Apply(std::optional<std::string_view> record,
                         std::optional<std::string_view> next_id, const storage::Commit& commit,
                         storage::Batch* batch) {
    const encoding::ChangePosition now = catalog_.LogPosition(commit);
    TRY_ASSIGN(const uint32_t new_id, DecodeNextId(next_id));
    TablePtr current;
    if (record) {
      TRY_ASSIGN(auto definition, encoding::DecodeDefinition(*record));
      current = std::make_shared<const table::TableDefinition>(std::move(definition));
    }
    TRY_ASSIGN(std::optional<table::TableDefinition> next, decide_(current.get(), new_id));
    if (also_) also_(commit, batch);
    if (!next) {
      if (current) {
        RemoveTable(*current, now, batch);
        Publish(nullptr);
      }
      return current;
    }
    if (!current) {
      PutNextId(new_id + 1, batch);
    } else {
      for (const table::IndexDefinition& index : current->indexes) {
        if (!HasIndex(*next, index.id)) RemoveIndex(current->id, index.id, batch);
      }
    }
    KeepHistory(current.get(), now, &*next);
    batch->Put(keys_[0].bytes, encoding::EncodeDefinition(*next));
    Publish(std::make_shared<const table::TableDefinition>(std::move(*next)));
    return made_;
  }

  void Retract() {
    if (published_) catalog_.Retract(this, name_);
    published_ = false;
  }

  void Publish(TablePtr next) {
    made_ = std::move(next);
    published_ = true;
    catalog_.Publish(this, name_, made_);
  }

  Catalog& catalog_;
  const std::string name_;
  const Catalog::Decide decide_;
  const Also also_;
  const std::array<storage::NamedKey, 2> keys_;
  std::promise<Result<TablePtr>> promise_;
  // The result of the last Decide.
  bool published_ = false;
  TablePtr made_;
  Result<TablePtr> answer_ = TablePtr();
};

Catalog::Catalog(storage::Store& store)
    : store_(store), current_(std::make_shared<const Snapshot>()), newest_(current_.get()) {}

Catalog::~Catalog() = default;

Result<std::unique_ptr<Catalog>> Catalog::Open(storage::Store& store) {
  std::unique_ptr<Catalog> catalog(new Catalog(store));
  TRY(catalog->Load());
  return catalog;
}

Status Catalog::Load() {
  auto loaded = std::make_shared<Snapshot>();
  const auto cursor = store_.Latest().Scan(encoding::CatalogRange(), storage::Direction::kForward);
  for (; cursor->Valid(); cursor->Next()) {
    TRY_ASSIGN(auto definition, encoding::DecodeDefinition(cursor->value()));
    auto table = std::make_shared<const table::TableDefinition>(std::move(definition));
    loaded->by_name.emplace(table->name, table);
    loaded->by_id.emplace(table->id, table);
  }
  TRY(cursor->status());
  for (const auto& [id, table] : loaded->by_id) TRY(FindNewestChange(*table));
  const std::lock_guard lock(mutex_);
  current_ = std::move(loaded);
  newest_.store(current_.get(), std::memory_order_release);
  return {};
}

// A stream that begins or ends has a time in the log, as a change has.
Status Catalog::FindNewestChange(const table::TableDefinition& table) {
  newest_change_ms_ = std::max(newest_change_ms_, table.point_in_time_recovery.enabled_at_ms);
  for (const table::StreamDefinition& stream : table.streams) {
    newest_change_ms_ = std::max(newest_change_ms_, stream.generations.back().time_ms);
    if (stream.end) newest_change_ms_ = std::max(newest_change_ms_, stream.end->time_ms);
  }
  for (uint8_t shard = 0; shard < encoding::kShards; ++shard) {
    const auto cursor = store_.Latest().Scan(encoding::ChangesRange(table.id, shard),
                                             storage::Direction::kBackward);
    TRY(cursor->status());
    if (!cursor->Valid()) continue;
    const auto newest = encoding::DecodeChangeKey(cursor->key());
    if (newest) newest_change_ms_ = std::max(newest_change_ms_, newest->time_ms);
  }
  return {};
}

encoding::ChangePosition Catalog::LogPosition(const storage::Commit& commit,
                                              uint32_t position) const {
  return {std::max(commit.time_ms, newest_change_ms_), commit.sequence, position};
}

Result<uint32_t> Catalog::TakeTableId() {
  Result<uint32_t> taken = uint32_t{0};
  TRY(storage::UpdateAndWait(store_, {encoding::NextTableIdKey()},
                             [&taken](auto values, const auto&, storage::Batch* batch) {
                               taken = DecodeNextId(values[0]);
                               if (taken) PutNextId(*taken + 1, batch);
                             }));
  return taken;
}

Result<std::vector<TablePtr>> Catalog::Dropped() const {
  std::vector<TablePtr> tables;
  const auto cursor =
      store_.Latest().Scan(encoding::DroppedTablesRange(), storage::Direction::kForward);
  for (; cursor->Valid(); cursor->Next()) {
    TRY_ASSIGN(auto definition, encoding::DecodeDefinition(cursor->value()));
    tables.push_back(std::make_shared<const table::TableDefinition>(std::move(definition)));
  }
  TRY(cursor->status());
  return tables;
}

// Every request calls this function, so as long as nothing changes it takes no lock and writes to
// no shared memory: each thread keeps the snapshot that it used last, with a control block of its
// own, so that cores do not compete for the reference count. Because the thread keeps the snapshot
// alive, an equal address means the same snapshot.
const std::shared_ptr<const Catalog::Snapshot>& Catalog::Current() const {
  thread_local std::shared_ptr<const Snapshot> mine;
  if (mine.get() != newest_.load(std::memory_order_acquire)) {
    std::shared_ptr<const Snapshot> shared;
    {
      const std::lock_guard lock(mutex_);
      shared = current_;
    }
    const Snapshot* snapshot = shared.get();
    mine = std::shared_ptr<const Snapshot>(snapshot, [kept = std::move(shared)](const void*) {});
  }
  return mine;
}

TablePtr Catalog::Find(std::string_view name) const {
  const auto& snapshot = Current();
  const auto found = snapshot->by_name.find(name);
  if (found == snapshot->by_name.end()) return nullptr;
  return TablePtr(snapshot, found->second.get());
}

TablePtr Catalog::FindById(uint32_t id) const {
  const auto& snapshot = Current();
  const auto found = snapshot->by_id.find(id);
  if (found == snapshot->by_id.end()) return nullptr;
  return TablePtr(snapshot, found->second.get());
}

std::vector<std::string> Catalog::Names() const {
  std::vector<std::string> names;
  for (const auto& [name, table] : Current()->by_name) names.push_back(name);
  std::sort(names.begin(), names.end());
  return names;
}

std::vector<TablePtr> Catalog::All() const {
  std::vector<TablePtr> tables;
  for (const auto& [name, table] : Current()->by_name) tables.push_back(table);
  return tables;
}

Result<TablePtr> Catalog::Change(const std::string& name, Decide decide, Also also) {
  auto update = std::make_unique<ChangeUpdate>(*this, name, std::move(decide), std::move(also));
  auto answer = update->GetFuture();
  store_.Submit(std::move(update));
  return answer.get();
}

void Catalog::Publish(const ChangeUpdate* change, const std::string& name, TablePtr made) {
  const std::lock_guard lock(mutex_);
  const auto [pending, first] = pending_.try_emplace(name);
  if (first) {
    const auto found = current_->by_name.find(name);
    if (found != current_->by_name.end()) pending->second.durable = found->second;
  }
  pending->second.decided.emplace_back(change, made);
  Replace(name, std::move(made));
}

void Catalog::Retract(const ChangeUpdate* change, const std::string& name) {
  const std::lock_guard lock(mutex_);
  const auto pending = pending_.find(name);
  if (pending != pending_.end()) Remove(change, pending);
}

void Catalog::Settle(const ChangeUpdate* change, const std::string& name, TablePtr made) {
  const std::lock_guard lock(mutex_);
  const auto pending = pending_.find(name);
  pending->second.durable = std::move(made);
  Remove(change, pending);
}

void Catalog::Remove(const ChangeUpdate* change, std::map<std::string, Pending>::iterator pending) {
  auto& [name, changes] = *pending;
  std::erase_if(changes.decided, [change](const auto& other) { return other.first == change; });
  Replace(name, changes.decided.empty() ? changes.durable : changes.decided.back().second);
  if (changes.decided.empty()) pending_.erase(pending);
}

void Catalog::Replace(const std::string& name, TablePtr next) {
  const auto present = current_->by_name.find(name);
  if (present == current_->by_name.end() ? next == nullptr : present->second == next) return;
  auto snapshot = std::make_shared<Snapshot>(*current_);
  if (const auto found = snapshot->by_name.find(name); found != snapshot->by_name.end()) {
    snapshot->by_id.erase(found->second->id);
    snapshot->by_name.erase(found);
  }
  if (next) {
    snapshot->by_id.emplace(next->id, next);
    snapshot->by_name.emplace(name, std::move(next));
  }
  current_ = std::move(snapshot);
  newest_.store(current_.get(), std::memory_order_release);
}

}  // namespace monotable::engine
