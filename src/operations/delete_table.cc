#include <optional>
#include <utility>

#include "engine/recovery/table_backups.h"
#include "operations/table_errors.h"
#include "operations/tables.h"

namespace monotable::operations {

Result<TableDescription> DeleteTable(engine::Engine& engine, const std::string& table_name) {
  const std::string name(engine::Engine::TableNameOf(table_name));
  const engine::TablePtr table = engine.catalog().Find(name);
  if (table == nullptr) return TableNotFound(name);
  const engine::CopyFigures figures = engine::FiguresOf(engine, *table);
  std::optional<engine::Job> backup;
  const auto decide = [&](const table::TableDefinition* current,
                          uint32_t) -> engine::Catalog::Decision {
    backup.reset();
    if (current == nullptr) return TableNotFound(name);
    if (current->status == table::TableStatus::kCreating) return TableBeingCreated(name);
    if (current->deletion_protection) {
      return Error::Validation(
          "Resource cannot be deleted as it is currently protected against deletion. Disable "
          "deletion protection first.");
    }
    if (IsFillingIndex(*current)) {
      return Error(ErrorCode::kResourceInUse,
                   "Attempt to change a resource which is still in use: Cannot delete table while "
                   "indexes are being created, updated, or deleted.");
    }
    if (current->point_in_time_recovery.enabled) {
      backup = engine::DeletedTableBackup(engine, *current, figures);
    }
    return std::optional<table::TableDefinition>();
  };
  const auto also = [&backup](const storage::Commit&, storage::Batch* batch) {
    if (backup) engine::Jobs::Put(*backup, batch);
  };
  TRY_ASSIGN(engine::TablePtr dropped, engine.catalog().Change(name, decide, also));
  TableDescription description = Describe(engine, std::move(dropped), "DELETING");
  description.reduced = true;
  return description;
}

}  // namespace monotable::operations
