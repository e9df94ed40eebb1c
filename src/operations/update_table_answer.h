#pragma once

#include "operations/tables.h"

namespace monotable::operations {

// What UpdateTable answers. The service answers while the change is under way: most of what changes
// is still as it was, an index that goes is still there.
TableDescription DescribeDuring(engine::Engine& engine, const UpdateTableRequest& request,
                                const table::TableDefinition& before,
                                const table::TableDefinition& after);

}  // namespace monotable::operations
