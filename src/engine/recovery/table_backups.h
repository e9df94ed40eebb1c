#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/engine.h"
#include "engine/jobs.h"
#include "engine/recovery/table_copy.h"
#include "error/result.h"
#include "storage/store.h"
#include "table/definition.h"

// Backups of tables. A backup is a job that copies the items of one moment to a table id that is
// not in the catalog. Its record has the definition of the table, so the backup outlives the table.
// The functions are thread-safe.
namespace monotable::engine {

enum class BackupType { kUser, kSystem };

struct Backup {
  std::string id;  // of its job
  std::string name;
  BackupType type = BackupType::kUser;
  table::TableDefinition table;  // as it was
  int64_t item_count = 0;
  int64_t size_bytes = 0;
  int64_t created_at_ms = 0;
  std::optional<int64_t> expires_at_ms;
  uint32_t data_table_id = 0;
  bool available = false;  // otherwise it is being made
};

// How long the service keeps the backup that it makes when a table is deleted.
inline constexpr int64_t kSystemBackupLifeMs = int64_t{35} * 24 * 3'600'000;

std::string BackupArn(const Engine& engine, const Backup& backup);
// The id of a backup from its ARN; empty if the text is not such an ARN.
std::string_view BackupIdOf(std::string_view arn);

// Begins a backup of a table as a moment of the store shows it.
Result<Backup> BeginBackup(Engine& engine, std::shared_ptr<const storage::Reader> moment,
                           const table::TableDefinition& table, std::string name);

// The size of a table according to its counters.
CopyFigures FiguresOf(const Engine& engine, const table::TableDefinition& table);

// The backup that a table with point-in-time recovery leaves behind when it is deleted: its items
// stay where they are. Written with Jobs::Put in the commit that deletes the table.
Job DeletedTableBackup(const Engine& engine, const table::TableDefinition& table,
                       const CopyFigures& figures);

// nullopt if there is no such backup.
Result<std::optional<Backup>> FindBackup(Engine& engine, std::string_view arn);
Result<std::vector<Backup>> ListBackups(Engine& engine);  // oldest first
// Whether a table is being restored from the backup.
Result<bool> IsBeingRestored(Engine& engine, const Backup& backup);
// Removes a backup and its data.
Status RemoveBackup(Engine& engine, const Backup& backup);

// Removes the backups that have expired.
Status TrimBackups(Engine& engine);

// Handles a backup that an earlier process began: the moment that it should hold is gone with that
// process, so the backup is removed rather than made of another moment.
Result<item::Item> GiveUpBackup(Engine& engine, const Job& job);

}  // namespace monotable::engine
