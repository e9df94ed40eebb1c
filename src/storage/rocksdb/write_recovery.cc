#include "storage/rocksdb/write_recovery.h"

#include <algorithm>

#include <rocksdb/env.h>

namespace monotable::storage {

namespace {

constexpr std::chrono::milliseconds kFirstPatience(5);
constexpr std::chrono::milliseconds kMostPatience(1000);
// An error that comes so late after the last attempt is a new one.
constexpr std::chrono::seconds kNewError(10);

}  // namespace

// Lesser errors stop only compactions, and RocksDB resumes those without touching memtables.
void WriteRecovery::OnErrorRecoveryBegin(rocksdb::BackgroundErrorReason /*reason*/,
                                         rocksdb::Status error, bool* auto_recovery) {
  if (error.severity() < rocksdb::Status::Severity::kHardError) return;
  *auto_recovery = false;
  stopped_ = true;
}

void WriteRecovery::Resume(rocksdb::DB& db, uint64_t room) {
  if (!stopped_) return;
  const auto now = std::chrono::steady_clock::now();
  if (now < next_try_) return;
  if (now > next_try_ + kNewError) patience_ = kFirstPatience;
  next_try_ = now + patience_;
  patience_ = std::min(2 * patience_, kMostPatience);
  uint64_t free = 0;
  if (db.GetEnv()->GetFreeSpace(db.GetName(), &free).ok() && free < room) return;
  // A write that fails again sets this again.
  stopped_ = false;
  if (!db.Resume().ok()) stopped_ = true;
}

}  // namespace monotable::storage
