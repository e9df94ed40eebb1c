#include "engine/write.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <new>
#include <span>
#include <stdexcept>
#include <utility>

#include "encoding/keyspace.h"
#include "engine/decide_item.h"
#include "engine/preparations.h"
#include "engine/recorded_batch.h"
#include "engine/write_decision.h"
#include "work/executor.h"
#include "work/meter.h"

namespace monotable::engine {
namespace {

using Task = Preparations::Task;
using Runner = Preparations::Runner;

// What one write may take of the time of the store's thread, which is everybody's time: about a
// millisecond. Nearly all writes need a few microseconds.
constexpr size_t kDecideUnits = 1'000'000;
// What a write may read there that was submitted as light. A write that reads more is prepared, so
// that its weight is known and it waits with the heavy ones.
constexpr size_t kLightReadBytes = 256'000;
// After so many preparations in vain a write claims its keys.
constexpr int kUnclaimedAttempts = 2;

// Runs tasks on the thread that waits for them.
class TaskLoop {
 public:
  void Post(Task task) {
    const std::lock_guard lock(mutex_);
    tasks_.push_back(std::move(task));
    posted_.notify_one();  // under the lock, because the task may end the loop
  }
  void RunOne() {
    std::unique_lock lock(mutex_);
    posted_.wait(lock, [this] { return !tasks_.empty(); });
    const Task task = std::move(tasks_.front());
    tasks_.pop_front();
    lock.unlock();
    task();
  }

 private:
  std::mutex mutex_;
  std::condition_variable posted_;
  std::deque<Task> tasks_;  // guarded by mutex_
};

// One write on its way. Usually it is submitted to the store, decided there and answered. If that
// is too much work for the thread of the store, the write is prepared first, on another thread: it
// reads the values of its keys, is decided and remembers what to write. The thread of the store
// then only makes sure that the values are still the same, and copies. If they are not, the write
// is prepared again; at the third time it claims its keys, and other writes of them wait.
//
// At any moment one thread has the write.
class Write {
 public:
  // The write is prepared by the loop or, without a loop, by the executor, for the client.
  Write(Engine& engine, WriteRequest request, WriteCallback callback, TaskLoop* loop,
        work::ClientPtr client)
      : place_(engine.preparations().Enter()),
        loop_(loop),
        client_(std::move(client)),
        engine_(engine),
        request_(std::move(request)),
        callback_(std::move(callback)),
        keys_(KeysOf(request_, engine.clock())) {}
  ~Write() {
    ForgetPreparation();
    if (claimed_) engine_.preparations().claims().Release(keys_);
  }
  Write(const Write&) = delete;
  Write& operator=(const Write&) = delete;

  static void Start(std::unique_ptr<Write> write) {
    if (write->place_ && LeastUnits(write->request_) > kDecideUnits) {
      return PrepareLater(std::move(write));
    }
    Submit(std::move(write));
  }

 private:
  class Submission;

  // The result of a preparation, beside the decision.
  struct Prepared {
    uint64_t sequence = 0;
    std::vector<std::optional<std::string>> values;  // in the order of the keys
    RecordedBatch batch;
  };

  using Holder = std::shared_ptr<std::unique_ptr<Write>>;
  static Holder Hold(std::unique_ptr<Write> write) {
    return std::make_shared<std::unique_ptr<Write>>(std::move(write));
  }

  static void Submit(std::unique_ptr<Write> write);

  // The size of an item and of what an update makes of it are not known before they are read.
  size_t MostPreparedBytes() const { return 2 * request_.items.size() * item::kMaxItemBytes; }

  static void PrepareLater(std::unique_ptr<Write> write) {
    if (write->request_.independent && write->request_.items.size() > 1) {
      return Split(std::move(write));
    }
    KeyClaims& claims = write->engine_.preparations().claims();
    write->ForgetPreparation();
    if (++write->attempts_ <= kUnclaimedAttempts || write->claimed_) {
      return StartPreparation(std::move(write));
    }
    const KeyClaims::Keys keys = write->keys_;
    claims.Claim(keys, [holder = Hold(std::move(write))] {
      (*holder)->claimed_ = true;
      StartPreparation(std::move(*holder));
    });
  }

  // Goes on as one write for each item, and answers when all of them are done.
  static void Split(std::unique_ptr<Write> write);

  static void StartPreparation(std::unique_ptr<Write> write) {
    Preparations& preparations = write->engine_.preparations();
    const size_t bytes = write->MostPreparedBytes();
    Runner runner = write->NewRunner();
    preparations.Start(bytes, std::move(runner), [bytes, holder = Hold(std::move(write))] {
      (*holder)->reserved_bytes_ = bytes;
      Prepare(std::move(*holder));
    });
  }

  Runner NewRunner() const {
    if (loop_ != nullptr) return [loop = loop_](Task task) { loop->Post(std::move(task)); };
    return [&executor = place_.executor(), client = client_](Task task) {
      executor.Continue(std::move(task), client);
    };
  }

  static void Prepare(std::unique_ptr<Write> write) {
    Status prepared;
    try {
      prepared = write->TryToPrepare();
    } catch (const std::bad_alloc&) {
      prepared = storage::OutOfMemory();
    } catch (const std::length_error&) {
      prepared = storage::OutOfMemory();
    }
    if (work::Stopped()) prepared = work::StopError();
    if (!prepared) return write->Answer(std::move(prepared).error());
    // All values are of one moment, so this answer is right for that moment.
    if (write->prepared_->batch.empty()) return write->Answer(write->decision_->TakeOutcome());
    Submit(std::move(write));
  }

  Status TryToPrepare() {
    prepared_ = std::make_unique<Prepared>();
    prepared_->sequence = engine_.store().LastSequence();
    const std::unique_ptr<storage::Reader> snapshot = engine_.store().Snapshot();
    prepared_->values.reserve(keys_.size());
    std::vector<StoredValue> values(keys_.size());
    size_t bytes = 0;
    for (size_t i = 0; i < keys_.size(); ++i) {
      std::string value;
      if (!keys_[i].read) {
        prepared_->values.emplace_back();
        continue;
      }
      TRY_ASSIGN(const bool found, snapshot->Get(keys_[i].bytes, &value));
      if (!work::Charge(work::kLookupUnits + value.size())) return {};
      prepared_->values.emplace_back();
      if (!found) continue;
      bytes += value.size();
      prepared_->values[i] = std::move(value);
      values[i] = *prepared_->values[i];
    }

    TRY_ASSIGN(const bool ranges_as_seen, LookAtRanges(*snapshot));
    decision_.emplace(engine_, request_, keys_);
    decision_->Decide({values, ranges_as_seen});
    if (work::Stopped() || !work::Charge(decision_->ApplyUnits())) return {};
    if (!decision_->accepted()) return {};
    for (const ItemChange& change : decision_->changes()) {
      if (change.new_item) prepared_->batch.KeepInPlace(*change.new_item);
      bytes += change.updated.bytes.size();
    }
    decision_->Apply(&prepared_->batch);
    bytes += prepared_->batch.held_bytes() + decision_->log_bytes();
    engine_.preparations().Resize(std::exchange(reserved_bytes_, bytes), bytes);
    return {};
  }

  // Whether the ranges are as they were seen. The store then need not read them again unless they
  // are written after this preparation.
  Result<bool> LookAtRanges(const storage::Reader& snapshot) {
    for (storage::SeenRange& seen : request_.ranges) {
      TRY_ASSIGN(const bool holds, storage::HoldsAsSeen(snapshot, seen));
      if (!holds) return false;
      seen.sequence = prepared_->sequence;
    }
    return true;
  }

  void ForgetPreparation() {
    decision_.reset();
    prepared_.reset();
    if (reserved_bytes_ > 0) engine_.preparations().End(std::exchange(reserved_bytes_, 0));
  }

  // Runs on the thread of the store, as often as the store likes.
  void Decide(const storage::Current& current, const storage::Commit& commit,
              storage::Batch* batch) {
    too_much_ = false;
    overtaken_ = false;
    if (prepared_ != nullptr) return DecidePrepared(current, commit, batch);
    decision_.emplace(engine_, request_, keys_);
    if (!DecideWithinAllowance(current)) {
      too_much_ = true;
      return;
    }
    if (!decision_->accepted()) return;
    decision_->Apply(batch);
    decision_->Log(commit, batch);
  }

  bool DecideWithinAllowance(const storage::Current& current) {
    if (!place_) {
      decision_->Decide(current);
      return true;
    }
    const work::Meter meter(kDecideUnits);
    decision_->Decide(current);
    return !meter.stopped() && work::Charge(decision_->ApplyUnits());
  }

  void DecidePrepared(const storage::Current& current, const storage::Commit& commit,
                      storage::Batch* batch) {
    // Equal values usually are the same bytes in memory (see storage::KnownValues).
    const bool same_values =
        std::equal(current.values.begin(), current.values.end(), prepared_->values.begin(),
                   [](const StoredValue& now, const std::optional<std::string>& before) {
                     if (!now || !before) return now.has_value() == before.has_value();
                     return now->data() == before->data() || *now == *before;
                   });
    if (!same_values || !decision_->DefinitionsHold()) {
      too_much_ = true;
      return;
    }
    // Only the caller can look at a range again.
    overtaken_ = !current.ranges_as_seen;
    if (overtaken_) return;
    prepared_->batch.WriteTo(batch);
    decision_->Log(commit, batch);
  }

  static void Finish(std::unique_ptr<Write> write, Status status) {
    if (!status) return write->Answer(std::move(status).error());
    if (write->too_much_) return PrepareLater(std::move(write));
    if (write->overtaken_) return write->Answer(NotAsSeen());
    write->Answer(write->decision_->TakeOutcome());
  }

  size_t SeenBytes() const {
    size_t bytes = 0;
    for (const storage::SeenRange& seen : request_.ranges) bytes += seen.entries.size();
    return bytes;
  }

  void Answer(Result<WriteOutcome> outcome) { callback_(request_, std::move(outcome)); }

  const Preparations::Place place_;  // goes last; a write with an empty place is never prepared
  TaskLoop* const loop_;
  const work::ClientPtr client_;
  Engine& engine_;
  WriteRequest request_;
  WriteCallback callback_;
  const std::vector<storage::NamedKey> keys_;
  std::optional<WriteDecision> decision_;
  std::unique_ptr<Prepared> prepared_;  // what the decision points into, unless null
  size_t reserved_bytes_ = 0;
  int attempts_ = 0;
  bool claimed_ = false;
  bool too_much_ = false;   // to decide it at once, or because the preparation is out of date
  bool overtaken_ = false;  // by a write into a range, after the preparation
};

// The write while the store has it.
class Write::Submission final : public storage::Update {
 public:
  explicit Submission(std::unique_ptr<Write> write)
      : write_(std::move(write)), weight_(WeightOf(*write_)) {}

  std::span<const storage::NamedKey> keys() const override { return write_->keys_; }
  std::span<const storage::SeenRange> ranges() const override { return write_->request_.ranges; }
  storage::KnownValues known() const override {
    if (write_->prepared_ == nullptr) return {};
    return {write_->prepared_->sequence, write_->prepared_->values};
  }
  size_t weight() const override { return weight_; }
  bool Accepts(size_t read_bytes) override {
    const size_t most = weight_ > storage::kHeavyUpdateBytes ? kDecideUnits : kLightReadBytes;
    write_->too_much_ = write_->place_ && write_->prepared_ == nullptr && read_bytes > most;
    return !write_->too_much_;
  }
  void Decide(const storage::Current& current, const storage::Commit& commit,
              storage::Batch* batch) override {
    write_->Decide(current, commit, batch);
  }
  void Done(Status status) override { Finish(std::move(write_), std::move(status)); }

 private:
  static size_t WeightOf(const Write& write) {
    if (write.prepared_ == nullptr) return LeastUnits(write.request_);
    return write.prepared_->batch.bytes() + write.decision_->log_bytes() + write.SeenBytes();
  }

  std::unique_ptr<Write> write_;
  const size_t weight_;
};

void Write::Submit(std::unique_ptr<Write> write) {
  storage::Store& store = write->engine_.store();
  KeyClaims& claims = write->engine_.preparations().claims();
  if (write->claimed_ || !claims.any()) {
    return store.Submit(std::make_unique<Submission>(std::move(write)));
  }
  const KeyClaims::Keys keys = write->keys_;
  claims.WhenFree(keys, [&store, holder = Hold(std::move(write))] {
    store.Submit(std::make_unique<Submission>(std::move(*holder)));
  });
}

// A request that was split into its items.
class SplitWrite {
 public:
  SplitWrite(WriteRequest request, WriteCallback callback)
      : request_(std::move(request)),
        callback_(std::move(callback)),
        outcomes_(request_.items.size()),
        waiting_(request_.items.size()) {}

  // The request of one item, which must be finished with its outcome.
  WriteRequest Take(size_t position) {
    WriteRequest part;
    part.origin = request_.origin;
    part.items.push_back(std::move(request_.items[position]));
    return part;
  }
  // Thread-safe: each position belongs to one caller, and the last of them answers.
  void Finish(size_t position, WriteRequest& part, Result<WriteOutcome> outcome) {
    request_.items[position] = std::move(part.items.front());
    outcomes_[position] = std::move(outcome);
    if (--waiting_ == 0) callback_(request_, Joined());
  }

 private:
  Result<WriteOutcome> Joined() {
    WriteOutcome joined;
    for (std::optional<Result<WriteOutcome>>& outcome : outcomes_) {
      if (!*outcome) return std::move(*outcome).error();
      joined.items.push_back(std::move((*outcome)->items.front()));
    }
    return joined;
  }

  WriteRequest request_;
  const WriteCallback callback_;
  std::vector<std::optional<Result<WriteOutcome>>> outcomes_;
  std::atomic<size_t> waiting_;
};

void Write::Split(std::unique_ptr<Write> write) {
  Engine& engine = write->engine_;
  const size_t count = write->request_.items.size();
  const auto split =
      std::make_shared<SplitWrite>(std::move(write->request_), std::move(write->callback_));
  for (size_t i = 0; i < count; ++i) {
    Start(std::make_unique<Write>(
        engine, split->Take(i),
        [split, i](WriteRequest& part, Result<WriteOutcome> outcome) {
          split->Finish(i, part, std::move(outcome));
        },
        write->loop_, write->client_));
  }
}

}  // namespace

bool WriteOutcome::refused() const {
  return std::any_of(items.begin(), items.end(),
                     [](const ItemOutcome& item) { return item.error.has_value(); });
}

std::string CollectionKey(const table::TableDefinition& table, const item::Item& key) {
  const item::Value* const hash[] = {key.Find(table.key.hash.front().name)};
  return encoding::CollectionBytesKey(
      table.id, encoding::PartitionPrefix(table.id, encoding::kTableItems, hash));
}

size_t WriteOutcome::image_bytes() const {
  size_t bytes = 0;
  for (const ItemOutcome& item : items) {
    if (item.old_item) bytes += item.old_item->bytes.size();
    if (item.new_item) bytes += item.new_item->bytes.size();
  }
  return bytes;
}

void SubmitWrite(Engine& engine, WriteRequest request, WriteCallback callback) {
  WriteGuard* guard = engine.write_guard();
  const bool guarded = guard != nullptr && std::any_of(request.items.begin(), request.items.end(),
                                                       [guard](const ItemWrite& write) {
                                                         return guard->Covers(*write.table);
                                                       });
  if (guarded) return guard->Submit(std::move(request), std::move(callback));
  SubmitUnguarded(engine, std::move(request), std::move(callback));
}

Result<std::optional<TokenRecord>> FindToken(Engine& engine, std::string_view token) {
  const int64_t now_ms = engine.clock().NowMs();
  for (const int64_t bucket : TokenBuckets(now_ms)) {
    std::string value;
    TRY_ASSIGN(const bool found,
               engine.store().Latest().Get(encoding::TokenKey(bucket, token), &value));
    if (!found) continue;
    TRY_ASSIGN(TokenRecord record, DecodeToken(value));
    if (now_ms - record.time_ms < kTokenLifeMs) return std::optional(std::move(record));
  }
  return std::optional<TokenRecord>();
}

void SubmitUnguarded(Engine& engine, WriteRequest request, WriteCallback callback) {
  // A write that was made from what a stopped read returned would be wrong.
  if (work::Stopped()) return callback(request, work::StopError());
  Write::Start(std::make_unique<Write>(engine, std::move(request), std::move(callback), nullptr,
                                       work::ThisClient()));
}

// The thread that waits does the preparing, too. So this is also safe in a task of the executor,
// which must not wait for another task.
Result<WriteOutcome> WriteAndWait(Engine& engine, WriteRequest request) {
  TaskLoop loop;
  std::optional<Result<WriteOutcome>> outcome;
  Write::Start(std::make_unique<Write>(
      engine, std::move(request),
      [&](const WriteRequest&, Result<WriteOutcome> result) {
        auto shared = std::make_shared<Result<WriteOutcome>>(std::move(result));
        loop.Post([&outcome, shared] { outcome = std::move(*shared); });
      },
      &loop, nullptr));
  while (!outcome) loop.RunOne();
  return *std::move(outcome);
}

}  // namespace monotable::engine
