#pragma once

#include <optional>
#include <string>

#include "engine/engine.h"
#include "error/result.h"
#include "item/value.h"
#include "operations/query.h"
#include "operations/selection.h"
#include "storage/store.h"
#include "table/definition.h"

// The steps that Query and Scan have in common once their parameters are parsed.
namespace monotable::operations {

// A table, or one of its indexes.
struct ReadTarget {
  engine::TablePtr table;
  const table::IndexDefinition* index = nullptr;  // part of *table

  const table::KeySchema& key() const { return index == nullptr ? table->key : index->key; }
  uint16_t index_id() const;
};

// Finds what a request names, and checks that it can be read in this way now.
Result<ReadTarget> FindReadTarget(engine::Engine& engine, const std::string& table_name,
                                  const std::optional<std::string>& index_name,
                                  bool consistent_read);

// The stored key that an ExclusiveStartKey stands for. It must have the attributes of the table's
// key and of the index key, and no others. The message of the error is only the reason: Query and
// Scan word it differently.
Result<std::string> StoredStartKey(const ReadTarget& target, const item::Item& start_key);

struct PagedRead {
  storage::Range range = {};
  storage::Direction direction = storage::Direction::kForward;
  std::optional<int64_t> limit = {};
  bool needs_table_items = false;  // see NeedsTableItems
  bool consistent_read = false;
  ReturnConsumedCapacity return_consumed_capacity = ReturnConsumedCapacity::kNone;
};

// Reads the page and charges for it. The table is named in the answer as in the request.
Result<PageResponse> Answer(engine::Engine& engine, const std::string& table_name,
                            const ReadTarget& target, const Selection& selection, PagedRead read);

}  // namespace monotable::operations
