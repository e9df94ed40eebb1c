#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <memory_resource>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <unordered_map>
#include <vector>

#include <rocksdb/write_batch.h>

#include "storage/rocksdb/database.h"
#include "storage/rocksdb/rocksdb_store.h"
#include "storage/store.h"
#include "storage/update_queue.h"

namespace monotable::storage {

// The updates that are written together. The group decides them one after the other, so that each
// sees what those before it wrote, and gathers their writes for RocksDB. Not thread-safe.
//
// Increments are added up over the group and written as absolute values. The values are remembered
// from group to group, so a counter costs one record per group and no read.
class WriteGroup : private Batch {
 public:
  explicit WriteGroup(const Database* database);

  // Runs Update::Decide. If the keys cannot be read, the update leaves no trace in the group.
  // *wrote tells whether the update added any records to the batch. An exception of the update
  // leaves a group that must be cleared.
  rocksdb::Status Decide(Update& update, const Commit& commit, bool* wrote);

  // Completes the batch when everything is decided.
  void Seal();

  rocksdb::WriteBatch* batch() { return &batch_; }
  // What the group writes so far, and what it has read for its updates.
  size_t bytes() const { return batch_.GetDataSize(); }
  size_t read_bytes() const { return read_bytes_; }

  // Makes room for the next group. If the group failed, it left nothing behind, so its changes of
  // counters are forgotten.
  void Clear(bool success);

  // Another writer has written to a range. Forgets the remembered counters of the range, so that
  // they are read again when needed, and what is known about values read before `next`.
  void Forget(const Range& range, uint64_t next);

 private:
  struct Hash {
    using is_transparent = void;
    size_t operator()(std::string_view key) const { return std::hash<std::string_view>()(key); }
  };
  // What the group did to a key: a deletion, or a value, given by its offset in the batch, whose
  // memory moves as it grows.
  struct Written {
    bool present;
    size_t offset;
    size_t size;
  };
  using Overlay = std::pmr::unordered_map<std::string_view, Written, Hash, std::equal_to<>>;
  struct Counter {
    int64_t count;
    bool changed;  // by this group
  };
  using Counters = std::unordered_map<std::string, Counter, Hash, std::equal_to<>>;

  void Put(std::string_view key, std::string_view value) override;
  void Delete(std::string_view key) override;
  void DeleteRange(const Range& range) override;
  void Increment(std::string_view key, int64_t delta) override;

  // Reads the values of an update, then compares its ranges. *bytes grows by what was read;
  // *accepted is false if that is too much for the update.
  rocksdb::Status ReadValues(Update& update, size_t* bytes, bool* accepted);
  rocksdb::Status CompareRanges(Update& update, size_t* bytes, bool* accepted);
  rocksdb::Status Compare(const SeenRange& seen, size_t* bytes, bool* as_seen) const;
  // What the group did to the keys of a range; nullopt: deleted.
  using Pending = std::map<std::string_view, std::optional<std::string>>;
  Pending PendingIn(const Range& range) const;
  // The current value of a key, in a slice of our own or of the block cache.
  rocksdb::Status Read(std::string_view key, rocksdb::PinnableSlice* value, bool* found);
  // A range that the group has removed and that contains the key, or null.
  const Range* RemovedAround(std::string_view key) const;
  void ForgetCounters(const Range& range);
  // Notes that the update writes the key.
  void Mark(std::string_view key);
  // Whether a key may have been written after an update. Never wrong when it says no.
  bool WrittenAfter(std::string_view key, uint64_t sequence) const;
  bool WrittenAfter(const Range& range, uint64_t sequence) const;
  void Remember(std::string_view key, Written written);
  void Forget(Counters::iterator counter);
  void PutCounter(const Counters::value_type& counter);
  // A key after all existing keys, including those of the group.
  std::string EndOfKeys() const;

  const Database& database_;
  const rocksdb::ReadOptions read_options_;
  rocksdb::WriteBatch batch_;

  // The memory of the overlay is released at once after each group.
  std::vector<std::byte> first_memory_;
  std::pmr::monotonic_buffer_resource memory_;
  std::optional<Overlay> overlay_;
  // Removed by this group; later writes into these ranges are in the overlay. Each has an end.
  std::vector<Range> removed_;

  Counters counters_;
  std::vector<Counters::value_type*> changed_counters_;

  size_t read_bytes_ = 0;
  uint64_t first_sequence_ = 0;  // of the group; 0 if it has none yet

  // When the keys were written last, in this process: the sequence of the newest update that wrote
  // a key with this hash. An update that has read its values by itself is spared a second reading
  // of what nobody has written since, which would be most of the work of large updates.
  std::vector<uint64_t> written_at_;
  std::vector<uint64_t> near_written_at_;  // the same by the hash of the beginning of the key
  uint64_t all_written_at_ = 0;            // the same for all keys

  // These belong to the update that is being decided.
  uint64_t sequence_ = 0;
  std::vector<rocksdb::PinnableSlice> slices_;
  std::vector<std::optional<std::string_view>> values_;
  bool ranges_as_seen_ = true;
  Counters::value_type* incremented_ = nullptr;
};

// Runs the updates of a database on one thread, in groups. A group is decided in order, written to
// RocksDB as one batch and synced once; meanwhile the next group gathers in the queue, so the more
// there is to do, the less each update pays for the disk. Since RocksDB shows a batch to readers
// only after it is in the log (and synced), nobody sees what could still be lost.
//
// When the disk is full, the group fails. RocksDB accepts no more writes until there is room for a
// memtable again, which it checks every five seconds. Reading goes on.
//
// Sequences start after RocksDB's own newest sequence number, L. RocksDB gives each record of a
// batch a number of its own, and each of our sequences goes to an update with at least one record
// in the log. So after k updates ours is L + k, and the log has a record with a number of L + k or
// more: the next start, which begins after the newest number in the log, begins after all of ours.
// A group that fails returns its sequences, because they were not stored anywhere. The public
// functions are thread-safe.
//
// The writer's time is everybody's time, so a group is short: few bytes to read, few to write, and
// little time to decide. Heavy updates are groups of their own, in turns that leave time for light
// ones (see HeavyTurns). An update for which there is not enough memory, or whose counters cannot
// be read, fails, and those before it in the group are decided again.
class Writer {
 public:
  Writer(const Database* database, const RocksDbOptions& options);
  // Finishes the updates that were submitted.
  ~Writer();
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;

  void Submit(std::unique_ptr<Update> update) { queue_.Push(std::move(update)); }

  // See Store::LastSequence.
  uint64_t last_sequence() const { return last_sequence_; }

  // Keeps the next group from starting for as long as the lock is held. Code that changes memtables
  // must hold the lock, because each group relies on the memtable that it found (see SeedMemtable).
  std::unique_lock<std::mutex> Pause();

  // Writes what is in memory to table files while updates wait.
  rocksdb::Status Flush();
  // The same in the background, while updates go on.
  rocksdb::Status StartFlush();

  // Must be called after a write to a range that bypassed this writer.
  void Forget(const Range& range);

 private:
  using Updates = std::span<std::unique_ptr<Update>>;

  void Run();
  // Runs the first updates, as many as make a group, and returns the rest.
  Updates RunGroup(Updates updates);
  // Decides the first updates, as many as make a group, into decided_. An update for which there
  // is not enough memory ends the group.
  void DecideGroup(Updates updates);
  // The same, with an exception at such an update.
  void TryToDecide(Updates updates);
  bool IsFull(std::chrono::steady_clock::time_point begin) const;
  rocksdb::Status Write();
  // Makes sure that the memtable is not empty at the next write.
  rocksdb::Status SeedMemtable();

  const Database& database_;
  // running_ is held while a group runs. A thread that waits for it holds next_, so that its turn
  // is next.
  std::mutex running_;
  std::mutex next_;
  const size_t write_buffer_bytes_;
  rocksdb::WriteOptions write_options_;
  UpdateQueue queue_;
  CommitClock clock_;
  std::atomic<uint64_t> last_sequence_;  // that readers see
  WriteGroup group_;
  std::vector<rocksdb::Status> decided_;
  std::thread thread_;
};

}  // namespace monotable::storage
