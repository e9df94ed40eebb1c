#pragma once

#include <string>

#include "expression/key_condition.h"
#include "storage/store.h"
#include "table/definition.h"

namespace monotable::engine {

// Where the entries of a Query lie: within one partition, and there in one range.
struct QueryRange {
  std::string partition;  // with this every key of the partition begins
  storage::Range range;
};

// The entries of a table (index null) or index that match a key condition on its schema.
QueryRange RangeOf(const table::TableDefinition& table, const table::IndexDefinition* index,
                   const expression::KeyCondition& condition);

}  // namespace monotable::engine
