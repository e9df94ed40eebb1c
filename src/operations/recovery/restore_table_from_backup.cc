#include <memory>
#include <utility>

#include "engine/recovery/restore.h"
#include "operations/recovery/backup_description.h"
#include "operations/recovery/recovery_errors.h"
#include "operations/recovery/restored_table.h"

namespace monotable::operations {

Result<TableDescription> RestoreTableFromBackup(engine::Engine& engine,
                                                const RestoreTableFromBackupRequest& request) {
  // The reader comes first: a backup that is there afterwards is in it.
  std::shared_ptr<const storage::Reader> reader = engine.store().Snapshot();
  TRY_ASSIGN(const engine::Backup backup, FindBackup(engine, request.backup_arn));
  if (!backup.available) return BackupInUse();
  const std::string target_name(engine::Engine::TableNameOf(request.target_table_name));
  TRY_ASSIGN(table::TableDefinition target,
             RestoredTable(engine, backup.table, target_name, request.overrides));
  target.restored_from = {request.backup_arn, engine.TableArn(backup.table.name),
                          backup.created_at_ms};
  engine::Restore restore;
  restore.backup_id = backup.id;
  restore.table = backup.table;
  restore.table.id = backup.data_table_id;
  TRY_ASSIGN(engine::TablePtr created, engine::BeginRestore(engine, std::move(target),
                                                            std::move(restore), std::move(reader)));
  return Describe(engine, std::move(created), "CREATING");
}

}  // namespace monotable::operations
