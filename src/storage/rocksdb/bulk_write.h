#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>

#include "error/result.h"
#include "storage/rocksdb/database.h"
#include "storage/rocksdb/rocksdb_writer.h"
#include "storage/store.h"

namespace monotable::storage {

// The bulk writes of a database. Each one gathers its keys in table files of its own, which become
// part of the database at once and without being copied (RocksDB calls this ingestion). Until then
// the files are in a folder beside the database's own files, so that they can be moved instead of
// copied. Thread-safe.
//
// Ingestion may use numbers of RocksDB's sequence, never returns any, and stores the newest with
// the files, so what rocksdb_writer.h says about sequences still holds.
class BulkWrites {
 public:
  // Removes the files that an earlier process left unfinished.
  BulkWrites(const Database* database, Writer* writer, size_t file_bytes);
  BulkWrites(const BulkWrites&) = delete;
  BulkWrites& operator=(const BulkWrites&) = delete;

  Result<std::unique_ptr<BulkWrite>> Start();

  // No bulk write becomes visible while the lock is held.
  std::unique_lock<std::mutex> Pause() { return std::unique_lock(ingesting_); }

 private:
  class Writing;

  rocksdb::DB& db_;
  Writer& writer_;
  const size_t file_bytes_;
  const std::filesystem::path folder_;
  std::atomic<uint64_t> started_ = 0;
  std::mutex ingesting_;
};

}  // namespace monotable::storage
