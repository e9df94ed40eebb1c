#include "engine/recovery/table_backups.h"

#include <utility>

#include "encoding/keyspace.h"
#include "encoding/record_reader.h"
#include "encoding/stored_definition.h"
#include "engine/recovery/restore.h"
#include "telemetry/log.h"

namespace monotable::engine {
namespace {

using item::Number;
using item::Value;

constexpr std::string_view kArnPart = "/backup/";

// The words are on disk, so they must never change.
constexpr encoding::Words<BackupType, 2> kTypes = {
    {{BackupType::kUser, "USER"}, {BackupType::kSystem, "SYSTEM"}}};

item::Item RecordOf(const Backup& backup) {
  item::Item record;
  record.Set("name", Value(backup.name));
  for (const auto& [type, word] : kTypes) {
    if (type == backup.type) record.Set("type", Value(word));
  }
  record.Set("table", Value(item::Binary{encoding::EncodeDefinition(backup.table)}));
  record.Set("item_count", Value(Number::FromInt(backup.item_count)));
  record.Set("size_bytes", Value(Number::FromInt(backup.size_bytes)));
  record.Set("created_at_ms", Value(Number::FromInt(backup.created_at_ms)));
  if (backup.expires_at_ms) {
    record.Set("expires_at_ms", Value(Number::FromInt(*backup.expires_at_ms)));
  }
  record.Set("data_table_id", Value(Number::FromInt(backup.data_table_id)));
  return record;
}

Result<Backup> BackupOf(const Job& job) {
  Backup backup;
  backup.id = job.id;
  backup.available = job.state == JobState::kDone;
  bool damaged = false;
  const encoding::RecordReader reader(job.record, &damaged);
  reader.Read("name", &backup.name);
  reader.Read("type", kTypes, &backup.type);
  reader.Read("item_count", &backup.item_count);
  reader.Read("size_bytes", &backup.size_bytes);
  reader.Read("created_at_ms", &backup.created_at_ms);
  reader.Read("expires_at_ms", &backup.expires_at_ms);
  reader.Read("data_table_id", &backup.data_table_id);
  const Value* table = job.record.Find("table");
  if (damaged || backup.data_table_id == 0 || table == nullptr || !table->is(item::Type::kBinary)) {
    return Error::Internal("The record of a backup is damaged.");
  }
  TRY_ASSIGN(backup.table, encoding::DecodeDefinition(table->binary()));
  return backup;
}

Backup NewBackup(const Engine& engine, const table::TableDefinition& table, std::string name,
                 const CopyFigures& figures) {
  Backup backup;
  backup.created_at_ms = engine.clock().NowMs();
  backup.id = Jobs::NewId(backup.created_at_ms);
  backup.name = std::move(name);
  backup.table = table;
  backup.item_count = figures.items;
  backup.size_bytes = figures.bytes;
  return backup;
}

Job JobOf(const Backup& backup) {
  const JobState state = backup.available ? JobState::kDone : JobState::kRunning;
  return {JobKind::kBackup, backup.id, state, RecordOf(backup)};
}

// Removes a backup that could not be made, because the service has no failed backups.
Status GiveUp(Engine& engine, const Backup& backup, std::string_view why) {
  telemetry::Log(telemetry::LogLevel::kError, "Backup {} of table {} is removed: {}", backup.name,
                 backup.table.name, why);
  return RemoveBackup(engine, backup);
}

Result<item::Item> MakeBackup(Engine& engine, const storage::Reader& moment, Backup backup,
                              const std::stop_token& stop) {
  const auto copied =
      CopyItems(engine.store(), StoredItems(moment, backup.table.id), backup.data_table_id, stop);
  if (copied) {
    backup.item_count = copied->items;
    backup.size_bytes = copied->bytes;
  } else if (stop.stop_requested()) {
    return copied.error();
  } else {
    TRY(GiveUp(engine, backup, copied.error().message()));
  }
  return RecordOf(backup);
}

}  // namespace

std::string BackupArn(const Engine& engine, const Backup& backup) {
  return engine.TableArn(backup.table.name).append(kArnPart).append(backup.id);
}

std::string_view BackupIdOf(std::string_view arn) {
  const size_t part = arn.find(kArnPart);
  return part == std::string_view::npos ? std::string_view() : arn.substr(part + kArnPart.size());
}

Result<Backup> BeginBackup(Engine& engine, std::shared_ptr<const storage::Reader> moment,
                           const table::TableDefinition& table, std::string name) {
  Backup backup = NewBackup(engine, table, std::move(name), FiguresOf(engine, table));
  TRY_ASSIGN(backup.data_table_id, engine.catalog().TakeTableId());
  TRY(engine.jobs().Begin(
      JobOf(backup), nullptr,
      [&engine, moment = std::move(moment), backup](const Job&, const std::stop_token& stop) {
        return MakeBackup(engine, *moment, backup, stop);
      }));
  return backup;
}

CopyFigures FiguresOf(const Engine& engine, const table::TableDefinition& table) {
  return {engine.Counter(encoding::ItemCountKey(table.id, encoding::kTableItems)),
          engine.Counter(encoding::ItemBytesKey(table.id, encoding::kTableItems))};
}

Job DeletedTableBackup(const Engine& engine, const table::TableDefinition& table,
                       const CopyFigures& figures) {
  Backup backup = NewBackup(engine, table, table.name + "$DeletedTableBackup", figures);
  backup.type = BackupType::kSystem;
  backup.expires_at_ms = backup.created_at_ms + kSystemBackupLifeMs;
  backup.data_table_id = table.id;
  backup.available = true;
  return JobOf(backup);
}

Result<std::optional<Backup>> FindBackup(Engine& engine, std::string_view arn) {
  TRY_ASSIGN(const std::optional<Job> job, engine.jobs().Find(JobKind::kBackup, BackupIdOf(arn)));
  if (!job) return std::optional<Backup>();
  TRY_ASSIGN(Backup backup, BackupOf(*job));
  if (BackupArn(engine, backup) != arn) return std::optional<Backup>();
  return std::optional(std::move(backup));
}

Result<std::vector<Backup>> ListBackups(Engine& engine) {
  std::vector<Backup> backups;
  TRY_ASSIGN(const std::vector<Job> jobs, engine.jobs().List(JobKind::kBackup));
  for (const Job& job : jobs) {
    TRY_ASSIGN(Backup backup, BackupOf(job));
    backups.push_back(std::move(backup));
  }
  return backups;
}

Result<bool> IsBeingRestored(Engine& engine, const Backup& backup) {
  TRY_ASSIGN(const std::vector<Job> restores, engine.jobs().List(JobKind::kRestore));
  for (const Job& job : restores) {
    TRY_ASSIGN(const Restore restore, RestoreOf(job));
    if (job.state == JobState::kRunning && restore.backup_id == backup.id) return true;
  }
  return false;
}

Status RemoveBackup(Engine& engine, const Backup& backup) {
  return engine.jobs().Remove(JobKind::kBackup, backup.id, [&backup](storage::Batch* batch) {
    batch->DeleteRange(encoding::TableRange(backup.data_table_id));
  });
}

Status TrimBackups(Engine& engine) {
  TRY_ASSIGN(const std::vector<Backup> backups, ListBackups(engine));
  for (const Backup& backup : backups) {
    if (!backup.expires_at_ms || engine.clock().NowMs() < *backup.expires_at_ms) continue;
    TRY_ASSIGN(const bool restored, IsBeingRestored(engine, backup));
    if (!restored) TRY(RemoveBackup(engine, backup));
  }
  return {};
}

Result<item::Item> GiveUpBackup(Engine& engine, const Job& job) {
  TRY_ASSIGN(const Backup backup, BackupOf(job));
  TRY(GiveUp(engine, backup, "the server stopped before it was complete"));
  return job.record;
}

}  // namespace monotable::engine
