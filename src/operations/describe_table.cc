#include <utility>

#include "operations/table_errors.h"
#include "operations/tables.h"

namespace monotable::operations {

// The catalog shows a change from the moment it is decided, so that writes follow it at once. What
// is described must not be taken back by a crash, nor be ahead of its counters: one more update
// waits for all that were decided before it. If that fails, so did they.
Result<TableDescription> DescribeTable(engine::Engine& engine, const std::string& table_name) {
  const std::string_view name = engine::Engine::TableNameOf(table_name);
  engine::TablePtr table = engine.catalog().Find(name);
  const Status settled =
      storage::UpdateAndWait(engine.store(), {}, [](auto, const auto&, storage::Batch*) {});
  if (!settled) table = engine.catalog().Find(name);
  if (table == nullptr) return TableNotFound(name);
  if (table->status == table::TableStatus::kCreating) {
    return Describe(engine, std::move(table), "CREATING");
  }
  const bool updating = IsFillingIndex(*table);
  return Describe(engine, std::move(table), updating ? "UPDATING" : "ACTIVE");
}

}  // namespace monotable::operations
