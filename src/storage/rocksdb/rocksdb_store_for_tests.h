#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "storage/rocksdb/rocksdb_store.h"
#include "storage/store.h"
#include "storage/store_conformance_fixture.h"

// Functions that several tests of the RocksDB store share.
namespace monotable::storage {

inline std::string LogKey(const std::string& key) {
  return kLogPrefix + key;
}

// Writes a key, writes the same key to the log, and increments a counter.
inline Status Put(Store& store, const std::string& key, const std::string& value) {
  return UpdateAndWait(store, {key}, [&](Values, const Commit&, Batch* batch) {
    batch->Put(key, value);
    batch->Put(LogKey(key), value);
    batch->Increment("count", 1);
  });
}

// Whether a key that Put wrote is there, together with its key in the log.
inline bool Has(Store& store, const std::string& key) {
  std::string value;
  const Result<bool> found = store.Latest().Get(key, &value);
  EXPECT_TRUE(found);
  const Result<bool> logged = store.Latest().Get(LogKey(key), &value);
  EXPECT_TRUE(logged);
  EXPECT_EQ(*found, *logged) << key;
  return found && *found;
}

inline int64_t Count(Store& store) {
  std::string value;
  const Result<bool> found = store.Latest().Get("count", &value);
  return found && *found ? DecodeCounter(value) : 0;
}

inline Entries Everything(const Reader& reader) {
  return Drain(reader.Scan({}, Direction::kForward));
}

inline std::unique_ptr<Store> Open(const std::string& path, const RocksDbOptions& options = {}) {
  auto store = OpenRocksDbStore(path, options);
  EXPECT_TRUE(store) << (store ? "" : store.error().message());
  return store ? *std::move(store) : nullptr;
}

}  // namespace monotable::storage
