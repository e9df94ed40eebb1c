#include "storage/rocksdb/rocksdb_writer.h"

#include <algorithm>
#include <cstring>
#include <new>
#include <stdexcept>
#include <utility>

#include "storage/rocksdb/rocksdb_errors.h"
#include "storage/store.h"
#include "work/promptness.h"
#include "work/wakeups.h"

namespace monotable::storage {
namespace {

// Ends the deciding of an update.
struct UnreadableCounter {
  rocksdb::Status status;
};

constexpr size_t kFirstMemory = size_t{64} << 10;
// There may be a counter for each item collection, so the cache needs a limit. Clearing it is the
// simplest way.
constexpr size_t kMostCounters = size_t{1} << 16;
// Each is eight bytes. Keys that share a place only cause readings that were not necessary.
constexpr size_t kWrittenPlaces = size_t{1} << 16;
// Keys that begin with the same bytes are neighbours. These are enough to tell the partitions of
// tables and indexes apart (encoding/keyspace.h).
constexpr size_t kNeighbourBytes = 11;
constexpr int kNearPlacesLog = 14;
// How many deleted and overwritten keys a range may have that RocksDB has not yet cleared away. To
// pass over as many takes two or three milliseconds.
constexpr uint64_t kMostSkippedKeys = 20'000;
// A batch that has grown beyond this gives its memory back. New memory for each group would cost
// more than the copying into it, so this has room for the largest item with twenty indexes.
constexpr size_t kKeptBatchBytes = size_t{20} << 20;

// The place of all neighbours of a key that has kNeighbourBytes. Every write pays for this, so it
// is simpler than a good hash.
size_t NearPlace(std::string_view key) {
  constexpr uint64_t kOdd = 0x9e3779b97f4a7c15;
  uint64_t first = 0;
  uint64_t last = 0;
  std::memcpy(&first, key.data(), sizeof(first));
  std::memcpy(&last, key.data() + kNeighbourBytes - sizeof(last), sizeof(last));
  return ((first * kOdd) ^ last) * kOdd >> (64 - kNearPlacesLog);
}

}  // namespace

WriteGroup::WriteGroup(const Database* database)
    : database_(*database),
      first_memory_(kFirstMemory),
      memory_(first_memory_.data(), first_memory_.size()),
      overlay_(std::in_place, &memory_),
      written_at_(kWrittenPlaces),
      near_written_at_(size_t{1} << kNearPlacesLog) {}

rocksdb::Status WriteGroup::Decide(Update& update, const Commit& commit, bool* wrote) {
  *wrote = false;
  if (first_sequence_ == 0) first_sequence_ = commit.sequence;
  size_t bytes = 0;
  bool accepted = true;
  rocksdb::Status status = ReadValues(update, &bytes, &accepted);
  if (status.ok() && accepted) status = CompareRanges(update, &bytes, &accepted);
  read_bytes_ += bytes;
  if (!status.ok() || !accepted) return status;

  const uint32_t records = batch_.Count();
  incremented_ = nullptr;
  sequence_ = commit.sequence;
  update.Decide({values_, ranges_as_seen_}, commit, this);
  for (size_t i = 0; i < values_.size(); ++i) slices_[i].Reset();

  // An update that only increments counters gets a record of its own, because sequences rely on one
  // (see Writer).
  if (batch_.Count() == records && incremented_ != nullptr) PutCounter(*incremented_);
  *wrote = batch_.Count() > records;
  return rocksdb::Status::OK();
}

rocksdb::Status WriteGroup::ReadValues(Update& update, size_t* bytes, bool* accepted) {
  const auto keys = update.keys();
  const KnownValues known = update.known();
  if (slices_.size() < keys.size()) slices_.resize(keys.size());
  values_.assign(keys.size(), std::nullopt);
  for (size_t i = 0; i < keys.size(); ++i) {
    if (!keys[i].read) continue;
    const std::string& key = keys[i].bytes;
    if (!known.values.empty() && !WrittenAfter(key, known.sequence)) {
      if (known.values[i]) values_[i].emplace(*known.values[i]);
      continue;
    }
    bool found = false;
    rocksdb::Status status = Read(key, &slices_[i], &found);
    if (!status.ok()) return status;
    if (found) values_[i].emplace(slices_[i].data(), slices_[i].size());
    *bytes += slices_[i].size();
    *accepted = update.Accepts(*bytes);
    if (!*accepted) break;
  }
  return rocksdb::Status::OK();
}

rocksdb::Status WriteGroup::CompareRanges(Update& update, size_t* bytes, bool* accepted) {
  ranges_as_seen_ = true;
  for (const SeenRange& seen : update.ranges()) {
    if (seen.sequence > 0 && !WrittenAfter(seen.range, seen.sequence)) continue;
    rocksdb::Status status = Compare(seen, bytes, &ranges_as_seen_);
    if (!status.ok()) return status;
    *accepted = update.Accepts(*bytes);
    if (!*accepted || !ranges_as_seen_) break;
  }
  return rocksdb::Status::OK();
}

// Walks through what is stored and what the group has written, side by side.
rocksdb::Status WriteGroup::Compare(const SeenRange& seen, size_t* bytes, bool* as_seen) const {
  RangeComparison comparison(seen.entries);
  const auto matches = [&](std::string_view key, std::string_view value) {
    *bytes += key.size() + value.size();
    return comparison.Matches(key, value);
  };
  const Pending pending = PendingIn(seen.range);
  auto next = pending.begin();
  rocksdb::ReadOptions options = read_options_;
  const rocksdb::Slice end = SliceOf(seen.range.end);
  if (!seen.range.end.empty()) options.iterate_upper_bound = &end;
  options.max_skippable_internal_keys = kMostSkippedKeys;
  // Ranges are without keys of the log, so one family has all of their keys.
  const std::unique_ptr<rocksdb::Iterator> stored(
      database_.db().NewIterator(options, database_.families().front()));
  stored->Seek(SliceOf(seen.range.begin));
  *as_seen = true;
  while (*as_seen && (stored->Valid() || next != pending.end())) {
    const std::string_view key = stored->Valid()
                                     ? std::string_view(stored->key().data(), stored->key().size())
                                     : std::string_view();
    if (next != pending.end() && (!stored->Valid() || next->first <= key)) {
      if (next->second) *as_seen = matches(next->first, *next->second);
      if (stored->Valid() && next->first == key) stored->Next();
      ++next;
    } else if (const Range* removed = RemovedAround(key)) {
      stored->Seek(SliceOf(removed->end));
    } else {
      *as_seen = matches(key, {stored->value().data(), stored->value().size()});
      stored->Next();
    }
  }
  const rocksdb::Status status = stored->status();
  *as_seen = *as_seen && comparison.complete() && status.ok();
  return status.IsIncomplete() ? rocksdb::Status::OK() : status;
}

WriteGroup::Pending WriteGroup::PendingIn(const Range& range) const {
  Pending pending;
  if (!WrittenAfter(range, first_sequence_ - 1)) return pending;
  for (const auto& [key, written] : *overlay_) {
    if (!range.Contains(key)) continue;
    std::optional<std::string>& value = pending[key];
    if (written.present) value.emplace(batch_.Data().data() + written.offset, written.size);
  }
  for (const Counters::value_type* counter : changed_counters_) {
    if (!range.Contains(counter->first)) continue;
    const auto count = EncodeCounter(counter->second.count);
    pending[counter->first].emplace(count.data(), count.size());
  }
  return pending;
}

const Range* WriteGroup::RemovedAround(std::string_view key) const {
  const auto found = std::find_if(removed_.begin(), removed_.end(),
                                  [&](const Range& range) { return range.Contains(key); });
  return found == removed_.end() ? nullptr : &*found;
}

void WriteGroup::Seal() {
  for (const auto* counter : changed_counters_) PutCounter(*counter);
}

void WriteGroup::Clear(bool success) {
  if (batch_.Data().capacity() > kKeptBatchBytes) {
    batch_ = rocksdb::WriteBatch();
  } else {
    batch_.Clear();
  }
  read_bytes_ = 0;
  first_sequence_ = 0;
  overlay_.reset();
  memory_.release();
  overlay_.emplace(&memory_);
  removed_.clear();
  if (!success || counters_.size() > kMostCounters) counters_.clear();
  if (!counters_.empty()) {
    for (auto* counter : changed_counters_) counter->second.changed = false;
  }
  changed_counters_.clear();
}

rocksdb::Status WriteGroup::Read(std::string_view key, rocksdb::PinnableSlice* value, bool* found) {
  value->Reset();
  *found = true;
  if (auto counter = counters_.find(key); counter != counters_.end()) {
    const auto bytes = EncodeCounter(counter->second.count);
    value->PinSelf(rocksdb::Slice(bytes.data(), bytes.size()));
    return rocksdb::Status::OK();
  }
  if (auto written = overlay_->find(key); written != overlay_->end()) {
    const auto& [present, offset, size] = written->second;
    if (present) {
      value->PinSelf(rocksdb::Slice(batch_.Data().data() + offset, size));
    }
    *found = present;
    return rocksdb::Status::OK();
  }
  if (RemovedAround(key) != nullptr) {
    *found = false;
    return rocksdb::Status::OK();
  }
  rocksdb::Status status =
      database_.db().Get(read_options_, database_.FamilyOf(key), SliceOf(key), value);
  if (!status.IsNotFound()) return status;
  *found = false;
  return rocksdb::Status::OK();
}

void WriteGroup::Remember(std::string_view key, Written written) {
  if (auto known = overlay_->find(key); known != overlay_->end()) {
    known->second = written;
    return;
  }
  char* copy = static_cast<char*>(memory_.allocate(key.size(), 1));
  std::copy(key.begin(), key.end(), copy);
  overlay_->emplace(std::string_view(copy, key.size()), written);
}

void WriteGroup::Mark(std::string_view key) {
  written_at_[Hash()(key) % kWrittenPlaces] = sequence_;
  if (key.size() >= kNeighbourBytes) near_written_at_[NearPlace(key)] = sequence_;
}

bool WriteGroup::WrittenAfter(std::string_view key, uint64_t sequence) const {
  return all_written_at_ > sequence || written_at_[Hash()(key) % kWrittenPlaces] > sequence;
}

bool WriteGroup::WrittenAfter(const Range& range, uint64_t sequence) const {
  const std::string_view begin = std::string_view(range.begin).substr(0, kNeighbourBytes);
  // Otherwise the keys of the range are not all neighbours.
  if (begin.size() < kNeighbourBytes || !range.end.starts_with(begin)) return true;
  return all_written_at_ > sequence || near_written_at_[NearPlace(begin)] > sequence;
}

void WriteGroup::Forget(const Range& range, uint64_t next) {
  ForgetCounters(range);
  all_written_at_ = next;
}

void WriteGroup::Forget(Counters::iterator counter) {
  if (counter->second.changed) std::erase(changed_counters_, &*counter);
  if (incremented_ == &*counter) incremented_ = nullptr;
  counters_.erase(counter);
}

void WriteGroup::ForgetCounters(const Range& range) {
  for (auto counter = counters_.begin(); counter != counters_.end();) {
    const auto next = std::next(counter);
    if (range.Contains(counter->first)) Forget(counter);
    counter = next;
  }
}

void WriteGroup::Put(std::string_view key, std::string_view value) {
  batch_.Put(database_.FamilyOf(key), SliceOf(key), SliceOf(value));
  if (IsLogKey(key)) return;  // no update reads it
  Mark(key);
  // A record ends with its value.
  Remember(key, {true, batch_.GetDataSize() - value.size(), value.size()});
  if (auto counter = counters_.find(key); counter != counters_.end()) Forget(counter);
}

void WriteGroup::Delete(std::string_view key) {
  batch_.Delete(database_.FamilyOf(key), SliceOf(key));
  Mark(key);
  Remember(key, {false, 0, 0});
  if (auto counter = counters_.find(key); counter != counters_.end()) Forget(counter);
}

void WriteGroup::DeleteRange(const Range& range) {
  // RocksDB needs an end and treats an end before the begin as a mistake.
  std::string end = range.end;
  if (end.empty()) end = EndOfKeys();
  if (end <= range.begin) return;
  for (const Database::Part& part : database_.Split({range.begin, end})) {
    batch_.DeleteRange(part.family, SliceOf(part.range.begin), SliceOf(part.range.end));
  }
  for (auto& [key, written] : *overlay_) {
    if (range.Contains(key)) written = {false, 0, 0};
  }
  Forget(range, sequence_);
  removed_.push_back({range.begin, std::move(end)});
}

void WriteGroup::Increment(std::string_view key, int64_t delta) {
  auto counter = counters_.find(key);
  if (counter == counters_.end()) {
    rocksdb::PinnableSlice value;
    bool found = false;
    rocksdb::Status status = Read(key, &value, &found);
    if (!status.ok()) throw UnreadableCounter{status};
    const int64_t count = found ? DecodeCounter({value.data(), value.size()}) : 0;
    counter = counters_.emplace(std::string(key), Counter{count, false}).first;
  }
  counter->second.count = AddToCounter(counter->second.count, delta);
  if (!std::exchange(counter->second.changed, true)) changed_counters_.push_back(&*counter);
  incremented_ = &*counter;
  Mark(key);
}

void WriteGroup::PutCounter(const Counters::value_type& counter) {
  const auto bytes = EncodeCounter(counter.second.count);
  batch_.Put(database_.FamilyOf(counter.first), counter.first,
             rocksdb::Slice(bytes.data(), bytes.size()));
}

std::string WriteGroup::EndOfKeys() const {
  // The overlay does not have the group's log keys, but they all sort before this key.
  std::string last(1, kLogPrefix + 1);
  auto consider = [&](std::string_view key) {
    if (key > last) last = key;
  };
  for (rocksdb::ColumnFamilyHandle* family : database_.families()) {
    std::unique_ptr<rocksdb::Iterator> iterator(database_.db().NewIterator(read_options_, family));
    iterator->SeekToLast();
    if (iterator->Valid()) consider({iterator->key().data(), iterator->key().size()});
  }
  for (const auto& [key, written] : *overlay_) consider(key);
  for (const auto& [key, counter] : counters_) consider(key);
  last.push_back('\0');
  return last;
}

namespace {

// A group is large enough that many updates share a sync, and small enough that its first update
// does not wait long for the last: a few milliseconds at most, of deciding, reading or writing.
constexpr size_t kGroupUpdates = 512;
constexpr size_t kGroupBytes = size_t{1} << 20;
constexpr size_t kGroupReadBytes = size_t{4} << 20;
constexpr auto kGroupTime = std::chrono::milliseconds(4);
// Groups up to this size need no trial of the memory.
constexpr size_t kUntriedBytes = size_t{64} << 10;
// Enough outcomes that waking a thread for them is worth it, few enough that it can begin early.
constexpr size_t kDoneTogether = 32;

// RocksDB does not survive an allocation that fails in the middle of a write. So this fails before
// it, if there is not enough memory for the memtable, the log and whatever else RocksDB needs.
rocksdb::Status TryMemory(size_t batch_bytes) {
  if (batch_bytes <= kUntriedBytes) return rocksdb::Status::OK();
  void* const memory = ::operator new(4 * batch_bytes, std::nothrow);
  if (memory == nullptr) return rocksdb::Status::MemoryLimit();
  ::operator delete(memory);
  return rocksdb::Status::OK();
}

}  // namespace

Writer::Writer(const Database* database, const RocksDbOptions& options)
    : database_(*database),
      write_buffer_bytes_(options.write_buffer_bytes),
      clock_(database->db().GetLatestSequenceNumber(), options.now),
      last_sequence_(clock_.last_sequence()),
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
  // Otherwise the flush would wait for compactions, and updates for the flush.
  options.allow_write_stall = true;
  const std::unique_lock paused = Pause();
  return database_.db().Flush(options, database_.families());
}

void Writer::Forget(const Range& range) {
  const std::unique_lock paused = Pause();
  group_.Forget(range, clock_.next().sequence);
}

void Writer::Run() {
  CountNothing();
  work::BePrompt();
  UpdateQueue::Updates taken;
  HeavyTurns turns;
  while (queue_.Take(&taken, turns.Next(HeavyTurns::Time::clock::now()))) {
    for (Updates rest = taken; !rest.empty();) {
      const bool heavy = IsHeavy(*rest.front());
      const auto begin = HeavyTurns::Time::clock::now();
      rest = RunGroup(rest);
      const auto end = HeavyTurns::Time::clock::now();
      if (heavy) {
        turns.RanHeavy(begin, end);
      } else {
        turns.RanLight(end);
      }
    }
    taken.clear();
  }
}

Writer::Updates Writer::RunGroup(Updates updates) {
  std::unique_lock running = Pause();
  clock_.ReadTime();
  const uint64_t sequence_before = clock_.last_sequence();
  DecideGroup(updates);
  const rocksdb::Status written = Write();
  if (!written.ok()) clock_.Rewind(sequence_before);
  last_sequence_ = clock_.last_sequence();
  group_.Clear(written.ok());
  running.unlock();

  // An update that wrote nothing may have decided so because of another update of the group, so it
  // fails with the group, too.
  const size_t size = decided_.size();
  work::PostponedWakeups wakeups;
  for (size_t i = 0; i < size; ++i) {
    const rocksdb::Status& status = written.ok() ? decided_[i] : written;
    if (!status.ok()) database_.Saw(status);
    updates[i]->Done(status.ok() ? Status() : Status(RequestError(status)));
    updates[i].reset();
    if (i % kDoneTogether == kDoneTogether - 1) wakeups.Run();
  }
  return updates.subspan(size);
}

void Writer::DecideGroup(Updates updates) {
  const uint64_t sequence_before = clock_.last_sequence();
  bool complete = false;
  rocksdb::Status failure;  // of the update after the last one of the group
  while (!complete) {
    try {
      TryToDecide(updates);
      complete = true;
    } catch (const std::bad_alloc&) {
      failure = rocksdb::Status::MemoryLimit();
    } catch (const std::length_error&) {
      failure = rocksdb::Status::MemoryLimit();
    } catch (const UnreadableCounter& counter) {
      failure = counter.status;
    }
    if (complete) break;
    // Decides those before it again, and nothing else.
    updates = updates.first(decided_.size());
    group_.Clear(false);
    clock_.Rewind(sequence_before);
  }
  if (!failure.ok() && decided_.size() == updates.size()) decided_.push_back(failure);
}

void Writer::TryToDecide(Updates updates) {
  const auto begin = std::chrono::steady_clock::now();
  decided_.clear();
  const bool heavy = !updates.empty() && IsHeavy(*updates.front());
  while (decided_.size() < updates.size()) {
    Update& update = *updates[decided_.size()];
    if (IsHeavy(update) != heavy) return;
    bool wrote = false;
    decided_.push_back(group_.Decide(update, clock_.next(), &wrote));
    if (wrote) clock_.Consume();
    if (IsFull(begin)) return;
  }
}

bool Writer::IsFull(std::chrono::steady_clock::time_point begin) const {
  return decided_.size() >= kGroupUpdates || group_.bytes() >= kGroupBytes ||
         group_.read_bytes() >= kGroupReadBytes ||
         std::chrono::steady_clock::now() - begin >= kGroupTime;
}

rocksdb::Status Writer::Write() {
  group_.Seal();
  if (group_.batch()->Count() == 0) return rocksdb::Status::OK();
  // A recovery between the seed and the write would leave the write an empty memtable.
  rocksdb::Status status = database_.RecoversFrom();
  if (status.ok()) status = TryMemory(group_.bytes());
  if (status.ok()) status = SeedMemtable();
  return status.ok() ? database_.db().Write(write_options_, group_.batch()) : status;
}

// RocksDB never writes to a log again after a write to it failed. To recover, it flushes the
// memtable and turns to a new log, unless the memtable is empty: then it keeps the log, and every
// later write fails or, in a build with assertions, ends the process. So the memtable always has
// something in it before each write: a record that repeats what the database already says about
// some key. Such a record changes nothing and needs no log.
//
// RocksDB replaces a full memtable at the start of the first write after it became full. Where that
// may be about to happen, the seed is written first and ends up in the new memtable.
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

  rocksdb::Status status;
  rocksdb::WriteOptions without_log;
  without_log.disableWAL = true;
  // If the place of the one key is damaged, that of the other is not.
  for (const rocksdb::Slice key : {"", "\xff"}) {
    rocksdb::PinnableSlice value;
    status = db.Get(rocksdb::ReadOptions(), db.DefaultColumnFamily(), key, &value);
    if (status.ok()) return db.Put(without_log, key, value);
    if (status.IsNotFound()) return db.Delete(without_log, key);
  }
  return status;
}

}  // namespace monotable::storage
