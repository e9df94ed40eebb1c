#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

#include <rocksdb/db.h>
#include <rocksdb/listener.h>

namespace monotable::storage {

// Lets a database accept writes again after the disk was full. RocksDB would do that by itself on a
// thread of its own, in the middle of a group of updates: then the group would write to a new log
// with an empty memtable, from which RocksDB cannot recover (see Writer::SeedMemtable). So the
// writer does it, between two groups. Resume must not be called concurrently.
class WriteRecovery : public rocksdb::EventListener {
 public:
  // Tries to resume if the database has stopped and there is room for a memtable: at once, and then
  // less and less often, down to once a second. If it fails, the database stays as it is.
  void Resume(rocksdb::DB& db, uint64_t room);

  void OnErrorRecoveryBegin(rocksdb::BackgroundErrorReason reason, rocksdb::Status error,
                            bool* auto_recovery) override;

 private:
  std::atomic<bool> stopped_ = false;
  std::chrono::steady_clock::time_point next_try_;
  std::chrono::milliseconds patience_{0};
};

}  // namespace monotable::storage
