#include "storage/faulty/faulty_store.h"

#include <algorithm>
#include <atomic>
#include <optional>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "storage/update_queue.h"

namespace monotable::storage {

namespace {

Error InjectedError(const char* what) {
  return Error::Internal(std::string("Injected fault: ") + what + " failed.");
}

// Mixes a number into one that looks random (the finaliser of SplitMix64).
uint64_t Mix(uint64_t x) {
  x += 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

// Decides which calls of one kind fail. Thread-safe: the nth call has the same outcome whichever
// thread makes it.
class Dice {
 public:
  Dice(uint64_t seed, double probability) : seed_(Mix(seed)), probability_(probability) {}

  // Returns a random number if the next call shall fail, otherwise nullopt.
  std::optional<uint64_t> Throw() {
    const uint64_t call = calls_.fetch_add(1) + 1;
    const uint64_t random = Mix(seed_ + call);
    const double share = static_cast<double>(random >> 11) * 0x1p-53;
    if (share < probability_ || call == ordered_.load()) return Mix(random);
    return std::nullopt;
  }

  // Makes the nth call from now fail, whatever the odds.
  void Order(uint64_t nth) { ordered_ = calls_.load() + nth; }

 private:
  const uint64_t seed_;
  const double probability_;
  std::atomic<uint64_t> calls_ = 0;
  std::atomic<uint64_t> ordered_ = 0;
};

// The faults of one store.
struct Faults {
  explicit Faults(const FaultOptions& options)
      : update(options.seed, options.fail_update),
        repeat(options.seed + 1, options.repeat_decide),
        get(options.seed + 2, options.fail_get),
        scan(options.seed + 3, options.fail_scan),
        bulk_write(options.seed + 4, options.fail_bulk_write),
        checkpoint(options.seed + 5, options.fail_checkpoint) {}

  Dice update;
  Dice repeat;
  Dice get;
  Dice scan;
  Dice bulk_write;
  Dice checkpoint;
};

class DiscardedBatch : public Batch {
 public:
  void Put(std::string_view, std::string_view) override {}
  void Delete(std::string_view) override {}
  void DeleteRange(const Range&) override {}
  void Increment(std::string_view, int64_t) override {}
};

// A cursor that stops with an error after some steps, at the latest at the end of its range.
class FaultyCursor : public Cursor {
 public:
  FaultyCursor(std::unique_ptr<Cursor> cursor, uint64_t steps)
      : cursor_(std::move(cursor)), steps_(steps) {}

  bool Valid() const override { return steps_ > 0 && cursor_->Valid(); }
  std::string_view key() const override { return cursor_->key(); }
  std::string_view value() const override { return cursor_->value(); }
  void Next() override {
    --steps_;
    cursor_->Next();
  }
  Status status() const override {
    if (Valid()) return {};
    return InjectedError("the scan");
  }

 private:
  const std::unique_ptr<Cursor> cursor_;
  uint64_t steps_;
};

class FaultyReader : public Reader {
 public:
  FaultyReader(const Reader& reader, Faults& faults) : reader_(reader), faults_(faults) {}
  FaultyReader(std::unique_ptr<Reader> reader, Faults& faults)
      : owned_(std::move(reader)), reader_(*owned_), faults_(faults) {}

  Result<bool> Get(std::string_view key, std::string* value) const override {
    if (faults_.get.Throw()) return InjectedError("the read");
    return reader_.Get(key, value);
  }

  std::unique_ptr<Cursor> Scan(const Range& range, Direction direction) const override {
    constexpr uint64_t kMostSteps = 64;
    auto cursor = reader_.Scan(range, direction);
    if (const auto random = faults_.scan.Throw()) {
      return std::make_unique<FaultyCursor>(std::move(cursor), *random % kMostSteps);
    }
    return cursor;
  }

 private:
  const std::unique_ptr<Reader> owned_;
  const Reader& reader_;
  Faults& faults_;
};

// An update that is decided and then fails.
class FailingUpdate : public Update {
 public:
  explicit FailingUpdate(std::unique_ptr<Update> update) : update_(std::move(update)) {}

  std::span<const NamedKey> keys() const override { return update_->keys(); }
  std::span<const SeenRange> ranges() const override { return update_->ranges(); }
  size_t weight() const override { return update_->weight(); }
  void Decide(const Current& current, const Commit& commit, Batch* /*batch*/) override {
    DiscardedBatch discarded;
    update_->Decide(current, commit, &discarded);
  }
  void Done(Status /*status*/) override { update_->Done(InjectedError("the write")); }

 private:
  const std::unique_ptr<Update> update_;
};

// Decides twice. The first time sees the values of the moment of submission, as in a store that
// reads before it locks.
class RepeatedUpdate : public Update {
 public:
  RepeatedUpdate(std::unique_ptr<Update> update, const Reader& reader)
      : update_(std::move(update)) {
    for (const NamedKey& key : update_->keys()) {
      std::string value;
      const Result<bool> found = key.read ? reader.Get(key.bytes, &value) : false;
      early_.push_back(found && *found ? std::optional(std::move(value)) : std::nullopt);
    }
    for (const SeenRange& seen : update_->ranges()) {
      const Result<bool> holds = HoldsAsSeen(reader, seen);
      early_as_seen_ = early_as_seen_ && holds && *holds;
    }
  }

  std::span<const NamedKey> keys() const override { return update_->keys(); }
  std::span<const SeenRange> ranges() const override { return update_->ranges(); }
  KnownValues known() const override { return update_->known(); }
  size_t weight() const override { return update_->weight(); }
  bool Accepts(size_t read_bytes) override { return update_->Accepts(read_bytes); }
  void Decide(const Current& current, const Commit& commit, Batch* batch) override {
    DiscardedBatch discarded;
    const std::vector<std::optional<std::string_view>> early(early_.begin(), early_.end());
    update_->Decide({early, early_as_seen_}, commit, &discarded);
    update_->Decide(current, commit, batch);
  }
  void Done(Status status) override { update_->Done(std::move(status)); }

 private:
  const std::unique_ptr<Update> update_;
  std::vector<std::optional<std::string>> early_;
  bool early_as_seen_ = true;
};

class FaultyBulkWrite : public BulkWrite {
 public:
  FaultyBulkWrite(std::unique_ptr<BulkWrite> bulk_write, Faults& faults)
      : bulk_write_(std::move(bulk_write)), faults_(faults) {}

  Status Put(std::string_view key, std::string_view value) override {
    return bulk_write_->Put(key, value);
  }
  Status Finish() override {
    if (faults_.bulk_write.Throw()) return InjectedError("the bulk write");
    return bulk_write_->Finish();
  }

 private:
  const std::unique_ptr<BulkWrite> bulk_write_;
  Faults& faults_;
};

// Passes updates on late and in random order. Updates that wait at the same time are concurrent, so
// a store may run them in any order.
class Shuffler {
 public:
  Shuffler(uint64_t seed, Store& store)
      : random_(seed), store_(store), thread_([this] { Run(); }) {}
  ~Shuffler() {
    queue_.Close();
    thread_.join();
  }

  void Submit(std::unique_ptr<Update> update) { queue_.Push(std::move(update)); }

 private:
  void Run() {
    UpdateQueue::Updates updates;
    while (queue_.Take(&updates)) {
      std::shuffle(updates.begin(), updates.end(), random_);
      for (auto& update : updates) {
        if (random_() % 4 == 0) std::this_thread::yield();
        store_.Submit(std::move(update));
      }
      updates.clear();
    }
  }

  std::mt19937_64 random_;
  Store& store_;
  UpdateQueue queue_;
  std::thread thread_;
};

class FaultyStoreImpl : public FaultyStore {
 public:
  FaultyStoreImpl(std::unique_ptr<Store> store, const FaultOptions& options)
      : store_(std::move(store)), faults_(options), latest_(store_->Latest(), faults_) {
    if (options.reorder_updates) shuffler_ = std::make_unique<Shuffler>(options.seed, *store_);
  }

  const Reader& Latest() const override { return latest_; }
  std::unique_ptr<Reader> Snapshot() const override {
    return std::make_unique<FaultyReader>(store_->Snapshot(), faults_);
  }
  uint64_t LastSequence() const override { return store_->LastSequence(); }
  Result<ScrubReport> Scrub(const ScrubOptions& options) override { return store_->Scrub(options); }

  uint64_t ApproximateBytes() const override { return store_->ApproximateBytes(); }

  Result<std::unique_ptr<BulkWrite>> StartBulkWrite() override {
    TRY_ASSIGN(auto bulk_write, store_->StartBulkWrite());
    return std::unique_ptr<BulkWrite>(
        std::make_unique<FaultyBulkWrite>(std::move(bulk_write), faults_));
  }
  Result<std::unique_ptr<Reader>> Checkpoint(const std::string& folder) override {
    if (faults_.checkpoint.Throw()) return InjectedError("the checkpoint");
    TRY_ASSIGN(auto reader, store_->Checkpoint(folder));
    return std::unique_ptr<Reader>(std::make_unique<FaultyReader>(std::move(reader), faults_));
  }

  void Submit(std::unique_ptr<Update> update) override {
    if (faults_.update.Throw()) {
      update = std::make_unique<FailingUpdate>(std::move(update));
    } else if (faults_.repeat.Throw()) {
      update = std::make_unique<RepeatedUpdate>(std::move(update), store_->Latest());
    }
    if (shuffler_ != nullptr) {
      shuffler_->Submit(std::move(update));
    } else {
      store_->Submit(std::move(update));
    }
  }

  void FailUpdate(uint64_t nth) override { faults_.update.Order(nth); }
  void FailGet(uint64_t nth) override { faults_.get.Order(nth); }
  void FailScan(uint64_t nth) override { faults_.scan.Order(nth); }
  void FailBulkWrite(uint64_t nth) override { faults_.bulk_write.Order(nth); }
  void FailCheckpoint(uint64_t nth) override { faults_.checkpoint.Order(nth); }

 private:
  // Members are destroyed in reverse order, so the shuffler passes on its updates before the store
  // is destroyed.
  const std::unique_ptr<Store> store_;
  mutable Faults faults_;
  const FaultyReader latest_;
  std::unique_ptr<Shuffler> shuffler_;
};

}  // namespace

std::unique_ptr<FaultyStore> NewFaultyStore(std::unique_ptr<Store> store,
                                            const FaultOptions& options) {
  return std::make_unique<FaultyStoreImpl>(std::move(store), options);
}

}  // namespace monotable::storage
