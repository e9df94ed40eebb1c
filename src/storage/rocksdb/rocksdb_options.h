#pragma once

#include <memory>

#include <rocksdb/file_system.h>
#include <rocksdb/options.h>

#include "storage/rocksdb/rocksdb_store.h"

namespace monotable::storage {

// Translates our options into settings of RocksDB.
rocksdb::Options MakeRocksDbOptions(const RocksDbOptions& options);

// The settings of the column family for the keys of the log (storage::kLogPrefix).
rocksdb::ColumnFamilyOptions MakeLogFamilyOptions(const rocksdb::Options& options);

// A file system whose write-ahead logs end with the last write that succeeded.
//
// When a write to a log fails, because the disk is full or broken, a part of the data may be in the
// file; when only the sync fails, even all of it. The updates were reported as failed, so they must
// not reappear at the next start, and the torn end of the log must not keep the store from opening.
// RocksDB leaves the failed bytes in the file and writes them again when it resumes. Therefore a
// log of this file system cuts off the failed bytes and ignores all later writes: RocksDB switches
// to a new log before it accepts another update, and ignoring its second attempt keeps the failed
// updates out of the old log.
std::shared_ptr<rocksdb::FileSystem> NewLogFileSystem(
    const std::shared_ptr<rocksdb::FileSystem>& base);

}  // namespace monotable::storage
