#pragma once

#include <rocksdb/options.h>

#include "storage/rocksdb/rocksdb_store.h"

namespace monotable::storage {

// The settings of RocksDB that our options stand for.
rocksdb::Options MakeRocksDbOptions(const RocksDbOptions& options);

}  // namespace monotable::storage
