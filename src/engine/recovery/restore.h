#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "engine/engine.h"
#include "engine/jobs.h"
#include "error/result.h"
#include "storage/store.h"
#include "table/definition.h"

// Restoring tables, from a backup or from the past of a table. The target is in the catalog from
// the start, with the status CREATING; a job copies the items, fills the indexes and makes the
// table active. The functions are thread-safe.
namespace monotable::engine {

// What a restore takes its items from.
struct Restore {
  std::string backup_id;         // empty: from the past of a table
  table::TableDefinition table;  // the source; its id is that under which the items are
  table::LogMoment moment;       // of the past
  uint32_t target_id = 0;
};
Result<Restore> RestoreOf(const Job& job);

// The present state of the store: a reader, and the position in the log up to which the reader sees
// everything. The reader sees all commits that were acknowledged before the call.
struct Present {
  std::shared_ptr<const storage::Reader> reader;
  table::LogMoment moment;
};
Result<Present> SeePresent(Engine& engine);
// The definition of a table as the reader sees it; nullopt if there is no such table.
Result<std::optional<table::TableDefinition>> FindTableIn(const storage::Reader& reader,
                                                          const std::string& name);

// Puts the target into the catalog and begins to fill it. The reader keeps the source readable,
// even if it is deleted meanwhile. The ids of the target are assigned here.
Result<TablePtr> BeginRestore(Engine& engine, table::TableDefinition target, Restore restore,
                              std::shared_ptr<const storage::Reader> reader);

// Registers the work of backups and restores with the engine's jobs and continues those of earlier
// processes.
Status StartRecovery(Engine& engine);

}  // namespace monotable::engine
