#pragma once

#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <set>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include <rocksdb/db.h>
#include <rocksdb/listener.h>

#include "storage/rocksdb/rocksdb_store.h"
#include "storage/rocksdb/table_files.h"
#include "storage/store.h"

namespace monotable::storage {

// Watches an open database for damage in its table files. Thread-safe.
//
// Reads and writes that meet damage fail; all others go on. The first time that a file is met, a
// thread reads the whole file and reports each bad block with its keys, once.
//
// A compaction that meets damage would make RocksDB refuse all writes. Instead, the families stop
// merging files, because RocksDB would try the same compaction again and again. Writes go on, reads
// get slower with time, and the operator is told.
class DamageWatch : public rocksdb::EventListener {
 public:
  explicit DamageWatch(DamageReporter report) : report_(std::move(report)) {}
  ~DamageWatch() override { Stop(); }

  // Begins to report. The reader, the database and its families must live until Stop.
  void Start(rocksdb::DB* db, std::vector<rocksdb::ColumnFamilyHandle*> families,
             const Reader* reader);
  void Stop();

  // An operation has failed.
  void Saw(const rocksdb::Status& status);
  // Reads all table files (Store::Scrub).
  Result<ScrubReport> Scrub(const ScrubOptions& options);

  void OnBackgroundError(rocksdb::BackgroundErrorReason reason, rocksdb::Status* error) override;

 private:
  void Run(const std::stop_token& stop);
  void Look(const std::string& file, const std::stop_token& stop);
  // Reports damage that was not reported before.
  void Report(const Damage& damage);
  void StopMerging();
  std::map<std::string, rocksdb::LiveFileMetaData> LiveFiles() const;

  const DamageReporter report_;
  rocksdb::DB* db_ = nullptr;
  std::vector<rocksdb::ColumnFamilyHandle*> families_;
  const Reader* reader_ = nullptr;

  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::set<std::string> seen_;                           // files; guarded by mutex_
  std::set<std::pair<std::string, uint64_t>> reported_;  // blocks; guarded by mutex_
  std::deque<std::string> waiting_;                      // files to look at; guarded by mutex_
  bool stop_merging_ = false;                            // guarded by mutex_
  bool merging_ = true;                                  // guarded by mutex_
  std::jthread thread_;
};

}  // namespace monotable::storage
