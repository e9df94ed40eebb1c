#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "storage/rocksdb/database.h"
#include "storage/store.h"

namespace monotable::storage {

// Reads the newest state of a database or the state of a snapshot. Thread-safe.
class RocksDbReader : public Reader {
 public:
  enum class Moment { kLatest, kNow };

  // kNow takes a snapshot that lasts as long as the reader.
  RocksDbReader(const Database* database, Moment moment);
  ~RocksDbReader() override;
  RocksDbReader(const RocksDbReader&) = delete;
  RocksDbReader& operator=(const RocksDbReader&) = delete;

  Result<bool> Get(std::string_view key, std::string* value) const override;
  std::unique_ptr<Cursor> Scan(const Range& range, Direction direction) const override;

 private:
  const Database& database_;
  rocksdb::ReadOptions options_;
};

}  // namespace monotable::storage
