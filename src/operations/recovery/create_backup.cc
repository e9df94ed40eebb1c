#include <memory>
#include <utility>

#include "engine/recovery/restore.h"
#include "operations/recovery/backup_description.h"
#include "operations/recovery/recovery_errors.h"

namespace monotable::operations {

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

}  // namespace monotable::operations
