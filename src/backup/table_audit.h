#pragma once

#include <cstdint>
#include <functional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "error/result.h"
#include "storage/store.h"
#include "table/definition.h"

struct XXH3_state_s;

// Proof that a copy of a table is whole: a digest of its items, and an audit of everything that
// follows from them.
namespace monotable::backup {

// A checksum over the keys and items of a table in key order: XXH3 with 128 bits. Two tables with
// the same items have the same digest, whatever the tables are called. Not thread-safe.
class TableDigest {
 public:
  TableDigest();
  ~TableDigest();
  TableDigest(const TableDigest&) = delete;
  TableDigest& operator=(const TableDigest&) = delete;

  // Adds an item as it is stored.
  void Add(std::string_view key, std::string_view value);
  // 32 hexadecimal digits.
  std::string Hex() const;

 private:
  XXH3_state_s* state_;
};

// The tables that a reader of a store sees, without those that are still being created.
Result<std::vector<table::TableDefinition>> TablesOf(const storage::Reader& reader);

// Reads all items of a table. Returns an error if it is asked to stop.
Result<std::string> DigestOf(const storage::Reader& reader, const table::TableDefinition& table,
                             const std::stop_token& stop);

// The findings about one table.
struct TableAudit {
  int64_t items = 0;
  int64_t index_entries = 0;
  std::string digest;  // of all items; see TableDigest
  // One line for each thing that does not fit together; only the first ones.
  std::vector<std::string> problems;
};

// Is called after every few thousand items with the number of items read so far.
using AuditProgress = std::function<void(int64_t items)>;

// Reads a whole table and checks everything that follows from its items: each item is under its own
// key, has its entries in the indexes and its place among the expiries; there are no other entries
// and expiries; and the counters of items and bytes of the table, its indexes and its item
// collections agree. Indexes and expiries that are still being filled are left out. The reader must
// be a snapshot. An error means that the store could not be read.
Result<TableAudit> AuditTable(const storage::Reader& reader, const table::TableDefinition& table,
                              const AuditProgress& progress = nullptr);

}  // namespace monotable::backup
