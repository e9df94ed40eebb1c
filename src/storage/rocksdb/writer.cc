#include "storage/rocksdb/writer.h"

#include <algorithm>
#include <utility>

#include "storage/rocksdb/errors.h"

namespace monotable::storage {

namespace {

// Large enough to share a sync widely, small enough to keep the first of a group from waiting
// long for the last.
constexpr size_t kGroupUpdates = 512;
constexpr size_t kGroupBytes = size_t{4} << 20;

}  // namespace

Writer::Writer(const Database* database, const RocksDbOptions& options)
    : database_(*database),
      write_buffer_bytes_(options.write_buffer_bytes),
      clock_(database->db().GetLatestSequenceNumber(), options.now),
      group_(database) {
  write_options_.sync = options.durability == Durability::kSync;
  thread_ = std::thread([this] { Run(); });
}

Writer::~Writer() {
  queue_.Close();
  thread_.join();
}

std::unique_lock<std::mutex> Writer::Pause() {
  const std::lock_guard next(next_);
  return std::unique_lock(running_);
}

rocksdb::Status Writer::Flush() {
  const std::unique_lock paused = Pause();
  return database_.db().Flush(rocksdb::FlushOptions(), database_.families());
}

rocksdb::Status Writer::StartFlush() {
  rocksdb::FlushOptions options;
  options.wait = false;
  options.allow_write_stall = true;  // or it would wait for compactions, and updates for it
  const std::unique_lock paused = Pause();
  return database_.db().Flush(options, database_.families());
}

void Writer::ForgetCounters(const Range& range) {
  const std::unique_lock paused = Pause();
  group_.ForgetCounters(range);
}

void Writer::Run() {
  UpdateQueue::Updates taken;
  while (queue_.Take(&taken)) {
    for (Updates rest = taken; !rest.empty();) rest = RunGroup(rest);
    taken.clear();
  }
}

Writer::Updates Writer::RunGroup(Updates updates) {
  std::unique_lock running = Pause();
  clock_.ReadTime();
  const uint64_t sequence_before = clock_.last_sequence();
  decided_.clear();
  while (decided_.size() < std::min(updates.size(), kGroupUpdates) &&
         group_.bytes() < kGroupBytes) {
    bool wrote = false;
    decided_.push_back(group_.Decide(*updates[decided_.size()], clock_.next(), &wrote));
    if (wrote) clock_.Consume();
  }

  const rocksdb::Status written = Write();
  if (!written.ok()) clock_.Rewind(sequence_before);
  group_.Clear(written.ok());
  running.unlock();

  // An update that wrote nothing may have decided so because of what another one of the group
  // wrote, so it shares the group's fate, too.
  const size_t size = decided_.size();
  for (size_t i = 0; i < size; ++i) {
    const rocksdb::Status& status = written.ok() ? decided_[i] : written;
    updates[i]->Done(status.ok() ? Status() : Status(RequestError(status)));
    updates[i].reset();
  }
  return updates.subspan(size);
}

rocksdb::Status Writer::Write() {
  rocksdb::Status status = group_.Seal();
  if (!status.ok() || group_.batch()->Count() == 0) return status;
  status = SeedMemtable();
  return status.ok() ? database_.db().Write(write_options_, group_.batch()) : status;
}

// RocksDB never writes to a log again after a write to it failed. To recover, it flushes the
// memtable and turns to a new log, unless the memtable is empty: then it keeps the log, and every
// later write fails or, in a build with assertions, ends the process. So before each write there
// is something in the memtable. It is what the database says already about some key, so that it
// changes nothing, and needs no log.
//
// RocksDB exchanges a full memtable at the start of the first write after it became full. Where
// that may be about to happen, the seed goes first and is in the new one.
rocksdb::Status Writer::SeedMemtable() {
  rocksdb::DB& db = database_.db();
  uint64_t entries = 0;
  bool nearly_full = false;
  for (rocksdb::ColumnFamilyHandle* family : database_.families()) {
    uint64_t bytes = 0;
    db.GetIntProperty(family, rocksdb::DB::Properties::kCurSizeActiveMemTable, &bytes);
    // A memtable counts as full when less than one of its blocks, an eighth of it, is free, and the
    // size does not include what is free in the last block.
    nearly_full = nearly_full || bytes >= write_buffer_bytes_ / 4 * 3;
  }
  db.GetIntProperty(rocksdb::DB::Properties::kNumEntriesActiveMemTable, &entries);
  if (entries > 0 && !nearly_full) return rocksdb::Status::OK();

  const rocksdb::Slice key;
  rocksdb::PinnableSlice value;
  rocksdb::Status status = db.Get(rocksdb::ReadOptions(), db.DefaultColumnFamily(), key, &value);
  rocksdb::WriteOptions without_log;
  without_log.disableWAL = true;
  if (status.ok()) return db.Put(without_log, key, value);
  if (status.IsNotFound()) return db.Delete(without_log, key);
  return status;
}

}  // namespace monotable::storage
