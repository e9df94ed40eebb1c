#include "engine/recovery/restore.h"

#include <utility>

#include "encoding/keyspace.h"
#include "encoding/record_reader.h"
#include "encoding/stored_definition.h"
#include "engine/change_log.h"
#include "engine/recovery/history.h"
#include "engine/recovery/table_backups.h"
#include "engine/recovery/table_copy.h"
#include "telemetry/log.h"

namespace monotable::engine {
namespace {

using item::Number;
using item::Value;
using table::TableDefinition;

item::Item RecordOf(const Restore& restore) {
  item::Item record;
  record.Set("backup_id", Value(restore.backup_id));
  record.Set("table", Value(item::Binary{encoding::EncodeDefinition(restore.table)}));
  record.Set("time_ms", Value(Number::FromInt(restore.moment.time_ms)));
  record.Set("sequence", Value(Number::FromInt(static_cast<int64_t>(restore.moment.sequence))));
  record.Set("target_id", Value(Number::FromInt(restore.target_id)));
  return record;
}

ItemSource SourceIn(const storage::Reader& reader, const Restore& restore) {
  if (!restore.backup_id.empty()) return StoredItems(reader, restore.table.id);
  return [&reader, &restore](const PastVisitor& visit, const std::stop_token& stop) {
    return WalkPast({reader, restore.table, restore.moment}, visit, stop);
  };
}

// Whether the source of a restore that an earlier process began is still there.
Status CheckSource(Engine& engine, const Restore& restore) {
  if (!restore.backup_id.empty()) {
    TRY_ASSIGN(const auto backup, engine.jobs().Find(JobKind::kBackup, restore.backup_id));
    if (backup && backup->state == JobState::kDone) return {};
    return Error(ErrorCode::kBackupNotFound, "its backup is gone");
  }
  const TablePtr table = engine.catalog().FindById(restore.table.id);
  const bool there = table != nullptr && table->point_in_time_recovery.enabled &&
                     EarliestRestorableMs(*table, engine.clock().NowMs()) <= restore.moment.time_ms;
  if (there) return {};
  return Error(ErrorCode::kInvalidRestoreTime, "the past of its source is gone");
}

// A restore is over when its table is ready or can never become ready; nothing asks for its record
// afterwards.
Result<item::Item> FinishRestore(Engine& engine, const Job& job, const Restore& restore,
                                 const Status& created, const std::stop_token& stop) {
  if (!created) {
    if (stop.stop_requested()) return created.error();
    const TablePtr target = engine.catalog().FindById(restore.target_id);
    telemetry::Log(telemetry::LogLevel::kError, "Table {} could not be restored and is removed: {}",
                   target == nullptr ? "" : target->name, created.error().message());
    TRY(AbandonTable(engine, restore.target_id));
  }
  TRY(engine.jobs().Remove(job.kind, job.id));
  return job.record;
}

Result<item::Item> RestoreAgain(Engine& engine, const Job& job, const std::stop_token& stop) {
  TRY_ASSIGN(const Restore restore, RestoreOf(job));
  // The reader is made first: a backup that is still there afterwards is in the reader.
  const auto reader = engine.store().Snapshot();
  Status created = CheckSource(engine, restore);
  if (created) created = CreateFrom(engine, restore.target_id, SourceIn(*reader, restore), stop);
  return FinishRestore(engine, job, restore, created, stop);
}

}  // namespace

Result<Restore> RestoreOf(const Job& job) {
  Restore restore;
  bool damaged = false;
  const encoding::RecordReader reader(job.record, &damaged);
  reader.Read("backup_id", &restore.backup_id);
  reader.Read("time_ms", &restore.moment.time_ms);
  reader.Read("sequence", &restore.moment.sequence);
  reader.Read("target_id", &restore.target_id);
  const Value* table = job.record.Find("table");
  if (damaged || restore.target_id == 0 || table == nullptr || !table->is(item::Type::kBinary)) {
    return Error::Internal("The record of a restore is damaged.");
  }
  TRY_ASSIGN(restore.table, encoding::DecodeDefinition(table->binary()));
  return restore;
}

Result<Present> SeePresent(Engine& engine) {
  Present present;
  // The store runs updates in order: when this update is done, all earlier ones are visible, and
  // all later ones have a later position. This update writes nothing, so the next one gets its
  // sequence.
  TRY(storage::UpdateAndWait(
      engine.store(), {}, [&](auto, const storage::Commit& commit, storage::Batch*) {
        const encoding::ChangePosition place = engine.catalog().LogPosition(commit);
        present.moment = {place.time_ms, place.sequence - 1};
      }));
  present.reader = engine.store().Snapshot();
  return present;
}

Result<std::optional<TableDefinition>> FindTableIn(const storage::Reader& reader,
                                                   const std::string& name) {
  std::string record;
  TRY_ASSIGN(const bool found, reader.Get(encoding::CatalogKey(name), &record));
  if (!found) return std::optional<TableDefinition>();
  TRY_ASSIGN(TableDefinition definition, encoding::DecodeDefinition(record));
  return std::optional(std::move(definition));
}

Result<TablePtr> BeginRestore(Engine& engine, TableDefinition target, Restore restore,
                              std::shared_ptr<const storage::Reader> reader) {
  target.status = table::TableStatus::kCreating;
  for (table::IndexDefinition& index : target.indexes) {
    index.status = table::IndexStatus::kCreating;
  }
  Job job{JobKind::kRestore, Jobs::NewId(engine.clock().NowMs()), JobState::kRunning, {}};
  const auto decide = [&](const TableDefinition* current, uint32_t new_id) -> Catalog::Decision {
    if (current != nullptr) {
      return Error(ErrorCode::kTableAlreadyExists, "Table already exists: " + target.name);
    }
    target.id = new_id;
    restore.target_id = new_id;
    job.record = RecordOf(restore);
    return std::optional(target);
  };
  const auto also = [&job](const storage::Commit&, storage::Batch* batch) {
    Jobs::Put(job, batch);
  };
  TRY_ASSIGN(TablePtr created, engine.catalog().Change(target.name, decide, also));
  engine.jobs().BeginStored(job.kind, job.id,
                            [&engine, reader = std::move(reader), restore = std::move(restore)](
                                const Job& begun, const std::stop_token& stop) {
                              const Status status = CreateFrom(engine, restore.target_id,
                                                               SourceIn(*reader, restore), stop);
                              return FinishRestore(engine, begun, restore, status, stop);
                            });
  return created;
}

Status StartRecovery(Engine& engine) {
  TRY(engine.jobs().SetWork(JobKind::kBackup, [&engine](const Job& job, const std::stop_token&) {
    return GiveUpBackup(engine, job);
  }));
  return engine.jobs().SetWork(JobKind::kRestore,
                               [&engine](const Job& job, const std::stop_token& stop) {
                                 return RestoreAgain(engine, job, stop);
                               });
}

}  // namespace monotable::engine
