#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "error/result.h"
#include "storage/store.h"
#include "table/definition.h"

namespace monotable::server {

// What was found in one table.
struct TableAudit {
  int64_t items = 0;
  int64_t index_entries = 0;
  std::string digest;  // server/table_digest.h
  // What does not fit together, one line each; only the first ones.
  std::vector<std::string> problems;
};

// Told after every few thousand items how many have been read.
using AuditProgress = std::function<void(int64_t items)>;

// Reads a whole table and checks all that follows from its items: that each is under its own key,
// has its entries in the indexes and its place among the expiries, that there are no others, and
// that the counters of items and bytes of the table, its indexes and its item collections agree.
// Indexes and expiries that are still being filled are left out. The reader must be a snapshot. An
// error means that the store could not be read.
Result<TableAudit> AuditTable(const storage::Reader& reader, const table::TableDefinition& table,
                              const AuditProgress& progress = nullptr);

}  // namespace monotable::server
