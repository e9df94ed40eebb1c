#include "storage/memory/memory_store.h"

#include <algorithm>
#include <atomic>
#include <cassert>
#include <cstddef>
#include <new>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "storage/memory/version_map.h"
#include "storage/store.h"
#include "storage/update_queue.h"

namespace monotable::storage {

namespace {

// Walks a pinned version. The cursor fetches a few entries at a time, so it holds no lock between
// steps.
class MemoryCursor : public Cursor {
 public:
  MemoryCursor(const VersionMap& map, std::shared_ptr<const VersionMap::Pin> pin, Range range,
               Direction direction)
      : map_(map), pin_(std::move(pin)), rest_(std::move(range)), direction_(direction) {
    Fetch();
  }

  bool Valid() const override { return position_ < entries_.size(); }
  std::string_view key() const override { return entries_[position_].first; }
  std::string_view value() const override { return entries_[position_].second; }
  Status status() const override { return {}; }

  void Next() override {
    assert(Valid());
    if (++position_ < entries_.size()) return;
    // The rest of the range begins after the last entry or, going backward, ends before it.
    std::string& last = entries_.back().first;
    if (direction_ == Direction::kForward) {
      rest_.begin = std::move(last);
      rest_.begin += '\0';
    } else {
      if (last.empty()) return Finish();  // an empty end would have no bound
      rest_.end = std::move(last);
    }
    Fetch();
  }

 private:
  static constexpr size_t kFirstFetch = 16;
  static constexpr size_t kLargestFetch = 256;

  void Finish() {
    entries_.clear();
    position_ = 0;
  }

  void Fetch() {
    Finish();
    map_.Collect(rest_, direction_, pin_->version(), fetch_, &entries_);
    fetch_ = std::min(2 * fetch_, kLargestFetch);
  }

  const VersionMap& map_;
  const std::shared_ptr<const VersionMap::Pin> pin_;
  Range rest_;
  const Direction direction_;
  std::vector<VersionMap::Entry> entries_;
  size_t position_ = 0;
  size_t fetch_ = kFirstFetch;
};

class LatestReader : public Reader {
 public:
  explicit LatestReader(const VersionMap& map) : map_(map) {}

  Result<bool> Get(std::string_view key, std::string* value) const override {
    return map_.Get(key, VersionMap::kLatest, value);
  }
  std::unique_ptr<Cursor> Scan(const Range& range, Direction direction) const override {
    return std::make_unique<MemoryCursor>(map_, std::make_shared<VersionMap::Pin>(map_), range,
                                          direction);
  }

 private:
  const VersionMap& map_;
};

class SnapshotReader : public Reader {
 public:
  explicit SnapshotReader(const VersionMap& map)
      : map_(map), pin_(std::make_shared<VersionMap::Pin>(map)) {}

  Result<bool> Get(std::string_view key, std::string* value) const override {
    return map_.Get(key, pin_->version(), value);
  }
  std::unique_ptr<Cursor> Scan(const Range& range, Direction direction) const override {
    return std::make_unique<MemoryCursor>(map_, pin_, range, direction);
  }

 private:
  const VersionMap& map_;
  const std::shared_ptr<const VersionMap::Pin> pin_;
};

// Gathers the writes of an update, so that the map is locked only while they are applied.
class GatheredBatch : public Batch {
 public:
  void Put(std::string_view key, std::string_view value) override {
    steps_.push_back({Kind::kPut, {std::string(key), std::string(value)}, 0});
  }
  void Delete(std::string_view key) override {
    steps_.push_back({Kind::kDelete, {std::string(key), {}}, 0});
  }
  void DeleteRange(const Range& range) override {
    steps_.push_back({Kind::kDeleteRange, range, 0});
  }
  void Increment(std::string_view key, int64_t delta) override {
    steps_.push_back({Kind::kIncrement, {std::string(key), {}}, delta});
  }

  bool empty() const { return steps_.empty(); }

  void ApplyTo(VersionMap* map) {
    VersionMap::Change change(map);
    for (auto& [kind, key_and_value, delta] : steps_) {
      auto& [key, value] = key_and_value;
      switch (kind) {
        case Kind::kPut:
          change.Put(std::move(key), std::move(value));
          break;
        case Kind::kDelete:
          change.Delete(std::move(key));
          break;
        case Kind::kDeleteRange:
          change.DeleteRange(std::move(key_and_value));
          break;
        case Kind::kIncrement: {
          const int64_t count = DecodeCounter(map->Find(key).value_or(std::string_view()));
          const auto sum = EncodeCounter(AddToCounter(count, delta));
          change.Put(std::move(key), std::string(sum.data(), sum.size()));
          break;
        }
      }
    }
  }

  void Clear() { steps_.clear(); }

 private:
  enum class Kind { kPut, kDelete, kDeleteRange, kIncrement };
  struct Step {
    Kind kind;
    Range key_and_value;  // or the range to delete
    int64_t delta;
  };

  std::vector<Step> steps_;
};

// Gathers the keys and hands them to the writer as one update.
class MemoryBulkWrite : public BulkWrite {
 public:
  explicit MemoryBulkWrite(Store& store) : store_(store) {}

  Status Put(std::string_view key, std::string_view value) override {
    if (!entries_.empty() && key <= entries_.back().first) {
      return Error::Internal("The keys of a bulk write must ascend.");
    }
    if (IsLogKey(key)) return Error::Internal("The log cannot be written in bulk.");
    entries_.emplace_back(key, value);
    return {};
  }

  Status Finish() override {
    return UpdateAndWait(
        store_, {},
        [&](std::span<const std::optional<std::string_view>>, const Commit&, Batch* batch) {
          for (const auto& [key, value] : entries_) batch->Put(key, value);
        });
  }

 private:
  Store& store_;
  std::vector<VersionMap::Entry> entries_;
};

class MemoryStore : public Store {
 public:
  explicit MemoryStore(MemoryStoreOptions options)
      : latest_(map_),
        visible_sequence_(options.last_sequence),
        clock_(options.last_sequence, std::move(options.now)),
        writer_([this] { Write(); }) {}

  ~MemoryStore() override {
    queue_.Close();
    writer_.join();
  }

  const Reader& Latest() const override { return latest_; }
  std::unique_ptr<Reader> Snapshot() const override {
    return std::make_unique<SnapshotReader>(map_);
  }
  uint64_t LastSequence() const override { return visible_sequence_; }
  void Submit(std::unique_ptr<Update> update) override { queue_.Push(std::move(update)); }
  Result<std::unique_ptr<BulkWrite>> StartBulkWrite() override {
    return std::unique_ptr<BulkWrite>(std::make_unique<MemoryBulkWrite>(*this));
  }
  Result<std::unique_ptr<Reader>> Checkpoint(const std::string& /*folder*/) override {
    return Error::Validation(
        "A store in memory cannot be backed up. Start the server with a data folder.");
  }
  uint64_t ApproximateBytes() const override { return map_.bytes(); }

 private:
  void Write() {
    UpdateQueue::Updates updates;
    bool sweep = false;
    for (;;) {
      if (sweep) {
        queue_.TryTake(&updates);
      } else if (!queue_.Take(&updates)) {
        return;
      }
      clock_.ReadTime();
      for (auto& update : updates) Run(*update);
      updates.clear();
      sweep = map_.Sweep();
    }
  }

  void Run(Update& update) {
    Status status;
    try {
      Decide(update);
    } catch (const std::bad_alloc&) {
      status = OutOfMemory();
    } catch (const std::length_error&) {
      status = OutOfMemory();
    }
    if (status && !batch_.empty()) {
      batch_.ApplyTo(&map_);
      clock_.Consume();
      visible_sequence_ = clock_.last_sequence();
    }
    batch_.Clear();
    update.Done(std::move(status));
  }

  void Decide(Update& update) {
    values_.clear();
    size_t bytes = 0;
    for (const NamedKey& key : update.keys()) {
      values_.push_back(key.read ? map_.Find(key.bytes) : std::nullopt);
      bytes += values_.back().value_or(std::string_view()).size();
      if (!update.Accepts(bytes)) return;
    }
    bool as_seen = true;
    for (const SeenRange& seen : update.ranges()) {
      as_seen = as_seen && HoldsAsSeen(seen, &bytes);
      if (!update.Accepts(bytes)) return;
    }
    update.Decide({values_, as_seen}, clock_.next(), &batch_);
  }

  bool HoldsAsSeen(const SeenRange& seen, size_t* bytes) const {
    RangeComparison comparison(seen.entries);
    bool same = true;
    map_.Visit(seen.range, [&](std::string_view key, std::string_view value) {
      *bytes += key.size() + value.size();
      same = comparison.Matches(key, value);
      return same;
    });
    return same && comparison.complete();
  }

  VersionMap map_;
  const LatestReader latest_;
  UpdateQueue queue_;
  std::atomic<uint64_t> visible_sequence_;
  // Used by the writer only.
  CommitClock clock_;
  GatheredBatch batch_;
  std::vector<std::optional<std::string_view>> values_;
  std::thread writer_;
};

}  // namespace

std::unique_ptr<Store> NewMemoryStore(MemoryStoreOptions options) {
  return std::make_unique<MemoryStore>(std::move(options));
}

}  // namespace monotable::storage
