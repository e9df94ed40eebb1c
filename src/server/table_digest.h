#pragma once

#include <cstdint>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "error/result.h"
#include "storage/store.h"
#include "table/definition.h"

struct XXH3_state_s;

namespace monotable::server {

// A checksum over the keys and items of a table in key order: XXH3 of 128 bits. Two tables with
// the same items have the same digest, whatever their names. Not thread-safe.
class TableDigest {
 public:
  TableDigest();
  ~TableDigest();

  // A stored item, as it is in the store.
  void Add(std::string_view key, std::string_view value);
  // 32 hexadecimal digits.
  std::string Hex() const;

 private:
  XXH3_state_s* state_;
};

// The tables that a reader of a store sees, those that are still being created left out.
Result<std::vector<table::TableDefinition>> TablesOf(const storage::Reader& reader);

// Reads all items of a table. Asked to stop, it ends with an error.
Result<std::string> DigestOf(const storage::Reader& reader, const table::TableDefinition& table,
                             const std::stop_token& stop);

}  // namespace monotable::server
