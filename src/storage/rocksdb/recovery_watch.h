#pragma once

#include <atomic>
#include <mutex>

#include <rocksdb/listener.h>
#include <rocksdb/status.h>

namespace monotable::storage {

// Knows whether RocksDB recovers from an error by itself, as it does when a full disk has room
// again. Recovering exchanges the memtables and the log, on a thread of RocksDB. Thread-safe.
class RecoveryWatch final : public rocksdb::EventListener {
 public:
  // The error from which RocksDB recovers now; OK if there is none.
  rocksdb::Status error() const {
    if (!recovering_) return rocksdb::Status::OK();
    const std::lock_guard lock(mutex_);
    return error_;
  }

  // RocksDB calls this on the thread that has met the error, before it recovers,
  void OnErrorRecoveryBegin(rocksdb::BackgroundErrorReason /*reason*/, rocksdb::Status error,
                            bool* recovers) override {
    if (!*recovers) return;
    const std::lock_guard lock(mutex_);
    error_ = error;
    recovering_ = true;
  }
  // and this when it has recovered or given up. In the latter case it refuses writes from now on.
  void OnErrorRecoveryEnd(const rocksdb::BackgroundErrorRecoveryInfo& /*info*/) override {
    const std::lock_guard lock(mutex_);
    error_ = rocksdb::Status::OK();
    recovering_ = false;
  }

 private:
  mutable std::mutex mutex_;
  rocksdb::Status error_;                 // guarded by mutex_
  std::atomic<bool> recovering_ = false;  // whether there is an error_
};

}  // namespace monotable::storage
