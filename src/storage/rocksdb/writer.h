#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <thread>
#include <vector>

#include "storage/commit_clock.h"
#include "storage/rocksdb/database.h"
#include "storage/rocksdb/rocksdb_store.h"
#include "storage/rocksdb/write_group.h"
#include "storage/update_queue.h"

namespace monotable::storage {

// Runs the updates of a database on one thread, in groups. A group is decided in order, written to
// RocksDB as one batch and synced once; meanwhile the next group gathers in the queue, so the more
// there is to do, the less each update pays for the disk. Since RocksDB shows a batch to readers
// only after it is in the log (and synced), nobody sees what could still be lost.
//
// When the disk is full, the group fails, and RocksDB takes no more writes until there is room for
// a memtable again; it looks for that every five seconds. Reading goes on.
//
// Sequences start after RocksDB's own newest sequence number, L. RocksDB gives each record of a
// batch a number of its own, and each of our sequences goes to an update with at least one record
// in the log. So after k updates ours is L + k, and the log has a record with a number of L + k or
// more: the next start, which begins after the newest number in the log, begins after all of ours.
// A group that fails gives its sequences back, and they were not stored anywhere.
class Writer {
 public:
  Writer(const Database* database, const RocksDbOptions& options);
  // Finishes the updates that were submitted.
  ~Writer();
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;

  void Submit(std::unique_ptr<Update> update) { queue_.Push(std::move(update)); }

  // Keeps the next group from starting for as long as the lock is held. Whoever changes memtables
  // must hold it, since each group relies on what it found there (see SeedMemtable).
  std::unique_lock<std::mutex> Pause();

  // Writes what is in memory to table files while updates wait.
  rocksdb::Status Flush();
  // The same in the background, while updates go on.
  rocksdb::Status StartFlush();

  // The database now says something about the keys of a range that came past this writer.
  void ForgetCounters(const Range& range);

 private:
  using Updates = std::span<std::unique_ptr<Update>>;

  void Run();
  // Runs as many of the updates as make a group; returns the others.
  Updates RunGroup(Updates updates);
  rocksdb::Status Write();
  // Sees to it that the next write does not find the memtable empty.
  rocksdb::Status SeedMemtable();

  const Database& database_;
  // Held while a group runs. Who waits for it holds next_, so the next turn is theirs.
  std::mutex running_;
  std::mutex next_;
  const size_t write_buffer_bytes_;
  rocksdb::WriteOptions write_options_;
  UpdateQueue queue_;
  CommitClock clock_;
  WriteGroup group_;
  std::vector<rocksdb::Status> decided_;
  std::thread thread_;
};

}  // namespace monotable::storage
