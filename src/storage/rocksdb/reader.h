#pragma once

#include <memory>
#include <string>
#include <string_view>

#include <rocksdb/db.h>

#include "storage/store.h"

namespace monotable::storage {

// Reads the newest state of a database, or the one of a snapshot. Thread-safe.
class RocksDbReader : public Reader {
 public:
  enum class Moment { kLatest, kNow };

  // kNow takes a snapshot that lasts as long as the reader.
  RocksDbReader(rocksdb::DB* db, Moment moment);
  ~RocksDbReader() override;
  RocksDbReader(const RocksDbReader&) = delete;
  RocksDbReader& operator=(const RocksDbReader&) = delete;

  Result<bool> Get(std::string_view key, std::string* value) const override;
  std::unique_ptr<Cursor> Scan(const Range& range, Direction direction) const override;

 private:
  rocksdb::DB& db_;
  rocksdb::ReadOptions options_;
};

}  // namespace monotable::storage
