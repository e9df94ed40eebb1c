#pragma once

#include "engine/engine.h"
#include "error/result.h"
#include "operations/tables.h"
#include "table/definition.h"

namespace monotable::operations {

// What CreateTable makes of a request, with all its checks: everything about the table except its
// id. Nothing is written.
Result<table::TableDefinition> BuildDefinition(const engine::Engine& engine,
                                               const CreateTableRequest& request);

}  // namespace monotable::operations
