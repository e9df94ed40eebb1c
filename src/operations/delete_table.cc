#include <utility>

#include "operations/table_errors.h"
#include "operations/tables.h"

namespace monotable::operations {

Result<TableDescription> DeleteTable(engine::Engine& engine, const std::string& table_name) {
  const std::string name(engine::Engine::TableNameOf(table_name));
  const auto decide = [&name](const table::TableDefinition* current,
                              uint32_t) -> engine::Catalog::Decision {
    if (current == nullptr) return TableNotFound(name);
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
    return std::optional<table::TableDefinition>();
  };
  TRY_ASSIGN(engine::TablePtr dropped, engine.catalog().Change(name, decide));
  TableDescription description = Describe(engine, std::move(dropped), "DELETING");
  description.reduced = true;
  return description;
}

}  // namespace monotable::operations
