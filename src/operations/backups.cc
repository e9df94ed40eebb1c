#include "operations/backups.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "engine/change_log.h"
#include "engine/recovery/restore.h"
#include "operations/table_errors.h"

namespace monotable::operations {

BackupDescription Describe(const engine::Engine& engine, engine::Backup backup) {
  BackupDescription description;
  description.arn = engine::BackupArn(engine, backup);
  description.table_arn = engine.TableArn(backup.table.name);
  description.backup = std::move(backup);
  return description;
}

Result<engine::Backup> FindBackup(engine::Engine& engine, const std::string& arn) {
  TRY_ASSIGN(std::optional<engine::Backup> backup, engine::FindBackup(engine, arn));
  if (!backup) return BackupNotFound(arn);
  return std::move(*backup);
}

Result<BackupDescription> DescribeBackup(engine::Engine& engine, const std::string& backup_arn) {
  TRY_ASSIGN(engine::Backup backup, FindBackup(engine, backup_arn));
  return Describe(engine, std::move(backup));
}

// The backup is of the moment of the request: it has every write that was answered before, and
// none that came after the answer.
Result<BackupDescription> CreateBackup(engine::Engine& engine, const CreateBackupRequest& request) {
  const std::string name(engine::Engine::TableNameOf(request.table_name));
  std::shared_ptr<const storage::Reader> moment = engine.store().Snapshot();
  TRY_ASSIGN(const auto table, engine::FindTableIn(*moment, name));
  if (!table) return SourceTableNotFound(name);
  if (table->status == table::TableStatus::kCreating) return BackupsBeingEnabled(name);
  TRY_ASSIGN(engine::Backup backup,
             engine::BeginBackup(engine, std::move(moment), *table, request.backup_name));
  return Describe(engine, std::move(backup));
}

Result<BackupDescription> DeleteBackup(engine::Engine& engine, const std::string& backup_arn) {
  TRY_ASSIGN(engine::Backup backup, FindBackup(engine, backup_arn));
  if (!backup.available) return BackupInUse();
  TRY_ASSIGN(const bool restored, engine::IsBeingRestored(engine, backup));
  if (restored) return BackupInUse();
  TRY(engine::RemoveBackup(engine, backup));
  BackupDescription description = Describe(engine, std::move(backup));
  description.deleted = true;
  return description;
}

namespace {

constexpr int64_t kBackupsPageSize = 100;

bool HasType(engine::BackupType type, BackupTypeFilter filter) {
  switch (filter) {
    case BackupTypeFilter::kUser:
      return type == engine::BackupType::kUser;
    case BackupTypeFilter::kSystem:
      return type == engine::BackupType::kSystem;
    case BackupTypeFilter::kAwsBackup:
      return false;
    case BackupTypeFilter::kAll:
      return true;
  }
  return false;
}

bool Matches(const ListBackupsRequest& request, const engine::Backup& backup) {
  if (request.table_name && engine::Engine::TableNameOf(*request.table_name) != backup.table.name) {
    return false;
  }
  if (request.from_ms && backup.created_at_ms < *request.from_ms) return false;
  if (request.until_ms && backup.created_at_ms >= *request.until_ms) return false;
  // Ids are in the order of the list, so the backup to start after need not exist any more.
  if (request.exclusive_start_backup_arn &&
      backup.id <= engine::BackupIdOf(*request.exclusive_start_backup_arn)) {
    return false;
  }
  return HasType(backup.type, request.type.value_or(BackupTypeFilter::kUser));
}

}  // namespace

Result<ListBackupsResponse> ListBackups(engine::Engine& engine, const ListBackupsRequest& request) {
  TRY_ASSIGN(std::vector<engine::Backup> backups, engine::ListBackups(engine));
  const auto limit = static_cast<size_t>(
      std::clamp<int64_t>(request.limit.value_or(kBackupsPageSize), 1, kBackupsPageSize));
  ListBackupsResponse response;
  for (engine::Backup& backup : backups) {
    if (!Matches(request, backup)) continue;
    if (response.backups.size() == limit) {
      response.last_evaluated_backup_arn = response.backups.back().arn;
      break;
    }
    response.backups.push_back(Describe(engine, std::move(backup)));
  }
  return response;
}

namespace {

using table::PointInTimeRecovery;

constexpr int64_t kTrimMarginMs = 60'000;

ContinuousBackupsDescription DescribeRecovery(const table::TableDefinition& table, int64_t now_ms) {
  const PointInTimeRecovery& recovery = table.point_in_time_recovery;
  if (!recovery.enabled) return {};
  const int64_t earliest_ms = engine::EarliestRestorableMs(table, now_ms);
  return {true, recovery.days, earliest_ms, std::max(earliest_ms, now_ms)};
}

// A longer period does not bring back what has been trimmed under the shorter one, nor what is
// being trimmed right now.
void SetDays(const table::TableDefinition& current, int64_t days, int64_t now_ms,
             PointInTimeRecovery* next) {
  if (current.point_in_time_recovery.enabled && days > next->days) {
    const int64_t kept_since_ms = engine::EarliestRestorableMs(current, now_ms);
    if (kept_since_ms > next->enabled_at_ms) next->enabled_at_ms = kept_since_ms + kTrimMarginMs;
  }
  next->days = days;
}

}  // namespace

Result<ContinuousBackupsDescription> UpdateContinuousBackups(
    engine::Engine& engine, const UpdateContinuousBackupsRequest& request) {
  if (!request.enabled && request.recovery_period_days) {
    return InvalidParameter(
        "RecoveryPeriodInDays can only be specified when PointInTimeRecoveryEnabled is true");
  }
  const std::string name(engine::Engine::TableNameOf(request.table_name));
  const int64_t now_ms = engine.clock().NowMs();
  const auto decide = [&](const table::TableDefinition* current,
                          uint32_t) -> engine::Catalog::Decision {
    if (current == nullptr) return SourceTableNotFound(name);
    if (current->status == table::TableStatus::kCreating) return BackupsBeingEnabled(name);
    table::TableDefinition next = *current;
    if (request.enabled) {
      const int64_t days = request.recovery_period_days.value_or(PointInTimeRecovery().days);
      SetDays(*current, days, now_ms, &next.point_in_time_recovery);
      next.point_in_time_recovery.enabled = true;
    } else {
      next.point_in_time_recovery = {};
    }
    return std::optional(std::move(next));
  };
  TRY_ASSIGN(const engine::TablePtr table, engine.catalog().Change(name, decide));
  return DescribeRecovery(*table, engine.clock().NowMs());
}

Result<ContinuousBackupsDescription> DescribeContinuousBackups(engine::Engine& engine,
                                                               const std::string& table_name) {
  const std::string_view name = engine::Engine::TableNameOf(table_name);
  const engine::TablePtr table = engine.catalog().Find(name);
  if (table == nullptr) return SourceTableNotFound(name);
  return DescribeRecovery(*table, engine.clock().NowMs());
}

}  // namespace monotable::operations
