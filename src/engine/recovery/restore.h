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
// the start, being created; a job gives it its items and indexes and makes it ready.
namespace monotable::engine {

// What a restore takes its items from.
struct Restore {
  std::string backup_id;         // empty: from the past of a table
  table::TableDefinition table;  // the source; its id is that under which the items are
  table::LogMoment moment;       // of the past
  uint32_t target_id = 0;
};
Result<Restore> RestoreOf(const Job& job);

// A moment of the store that can be gone back to: a reader, and the place in the log up to which
// everything is in it. All commits that were acknowledged before are.
struct Present {
  std::shared_ptr<const storage::Reader> reader;
  table::LogMoment moment;
};
Result<Present> SeePresent(Engine& engine);
// The definition that a table had then; nullopt if there was none.
Result<std::optional<table::TableDefinition>> FindTableIn(const storage::Reader& reader,
                                                          const std::string& name);

// Puts the target into the catalog and begins to fill it. The reader holds the source, whatever
// becomes of it meanwhile. The ids of the target are assigned here.
Result<TablePtr> BeginRestore(Engine& engine, table::TableDefinition target, Restore restore,
                              std::shared_ptr<const storage::Reader> reader);

// Takes over the backups and restores of the engine, those of earlier processes too.
Status StartRecovery(Engine& engine);

}  // namespace monotable::engine
