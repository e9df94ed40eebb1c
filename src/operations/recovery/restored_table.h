#pragma once

#include "operations/recovery/recovery.h"

namespace monotable::operations {

// The definition of a table that is restored: the keys, indexes, billing and encryption of its
// source, or the overrides of the request. Tags, streams, time to live, point-in-time recovery and
// deletion protection are not restored, as in the service.
Result<table::TableDefinition> RestoredTable(const engine::Engine& engine,
                                             const table::TableDefinition& source,
                                             const std::string& name,
                                             const RestoreOverrides& overrides);

}  // namespace monotable::operations
