#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <rocksdb/db.h>
#include <rocksdb/perf_level.h>

#include "storage/rocksdb/damage_watch.h"
#include "storage/rocksdb/recovery_watch.h"
#include "storage/store.h"

namespace monotable::storage {

inline rocksdb::Slice SliceOf(std::string_view text) {
  return {text.data(), text.size()};
}

// The column families of a database, with their settings.
std::vector<rocksdb::ColumnFamilyDescriptor> FamiliesOf(const rocksdb::Options& options);

// Tells RocksDB not to count what this thread does. By default it counts every comparison of keys,
// and nobody asks for the counts.
inline void CountNothing() {
  thread_local bool told = false;
  if (std::exchange(told, true)) return;
  rocksdb::SetPerfLevel(rocksdb::PerfLevel::kDisable);
}

// An open RocksDB database. The keys of the log (storage::kLogPrefix) are in a column family of
// their own: otherwise they would fill the memtable that holds frequently written items, and they
// need neither filters nor many compactions. Batches, snapshots and checkpoints cover both
// families, so only the speed shows that there are two. Thread-safe.
class Database {
 public:
  // Opens the database of a folder. Older databases have the log keys in the family of all other
  // keys; opening moves them.
  static rocksdb::Status Open(const rocksdb::Options& options, const std::string& folder,
                              std::unique_ptr<Database>* database);

  // Opens a database that may be damaged, for reading what can be read, and changes nothing.
  static rocksdb::Status OpenToRead(const rocksdb::Options& options, const std::string& folder,
                                    std::unique_ptr<Database>* database);

  ~Database();
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  rocksdb::DB& db() const { return *db_; }
  // All families of the database.
  const std::vector<rocksdb::ColumnFamilyHandle*>& families() const { return families_; }

  rocksdb::ColumnFamilyHandle* FamilyOf(std::string_view key) const {
    return IsLogKey(key) ? log() : items();
  }

  // A part of a range whose keys are all in the same family.
  struct Part {
    rocksdb::ColumnFamilyHandle* family;
    Range range;
  };
  // The family of all keys of a range, or nullptr if the range covers several families.
  rocksdb::ColumnFamilyHandle* FamilyOf(const Range& range) const;
  // The parts of a range that is not empty, in order.
  std::vector<Part> Split(const Range& range) const;

  // Tells the watch, if there is one, about an operation that has failed.
  void Saw(const rocksdb::Status& status) const {
    if (watch_ != nullptr) watch_->Saw(status);
  }
  // The watch must outlive the database.
  void SetWatch(DamageWatch* watch) { watch_ = watch; }

  // The error from which RocksDB recovers now, by itself; OK if there is none. Only for a database
  // that was opened to be written.
  rocksdb::Status RecoversFrom() const { return recovery_->error(); }

  // The sum of a property over the families.
  uint64_t IntProperty(const std::string& name) const;

 private:
  Database(std::unique_ptr<rocksdb::DB> db, std::vector<rocksdb::ColumnFamilyHandle*> families)
      : db_(std::move(db)), families_(std::move(families)) {}

  rocksdb::ColumnFamilyHandle* items() const { return families_[0]; }
  rocksdb::ColumnFamilyHandle* log() const { return families_[1]; }
  rocksdb::Status MoveLogKeys();

  const std::unique_ptr<rocksdb::DB> db_;
  const std::vector<rocksdb::ColumnFamilyHandle*> families_;
  DamageWatch* watch_ = nullptr;
  std::shared_ptr<const RecoveryWatch> recovery_;
};

}  // namespace monotable::storage
