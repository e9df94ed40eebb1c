#pragma once

#include <rocksdb/options.h>

#include "storage/rocksdb/rocksdb_store.h"

namespace monotable::storage {

// Translates our options into settings of RocksDB.
rocksdb::Options MakeRocksDbOptions(const RocksDbOptions& options);

// The settings of the column family for the keys of the log (storage::kLogPrefix).
rocksdb::ColumnFamilyOptions MakeLogFamilyOptions(const rocksdb::Options& options);

}  // namespace monotable::storage
