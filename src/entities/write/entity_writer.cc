#include "entities/write/entity_writer.h"

#include <condition_variable>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "encoding/keyspace.h"
#include "encoding/varint.h"
#include "engine/capacity.h"
#include "engine/read.h"
#include "engine/write.h"
#include "entities/write/copy_jobs.h"
#include "entities/write/ids.h"
#include "entities/write/planner.h"
#include "entities/write/raw_plan.h"
#include "entities/write/unique_values.h"

namespace monotable::entities {
namespace {

// A write of the DynamoDB API.
struct RawWrite {
  engine::WriteRequest request;
  engine::WriteCallback callback;
  size_t count = 0;  // of the client's own writes; the rules may add more
};

// A write with everything that is needed to try it again: changes, an operation, or a raw write.
struct Attempt {
  std::vector<Change> changes;
  std::optional<OperationCall> call;
  std::optional<RawWrite> raw;
  Caller caller;
  std::optional<IdempotencyKey> key;
  WriteDone done;
  work::ClientPtr client = work::ThisClient();
  Ids ids;
  int tries = 0;
};

// A write that other writes have overtaken this often is refused, and the client may try again.
constexpr int kMaxAttempts = 200;

// The keys of the items that a write has left, for an answer to its repetition.
std::string NoteOf(const std::vector<Slot*>& slots) {
  std::string note;
  for (const Slot* slot : slots) {
    encoding::AppendBytes(slot->entity->name(), &note);
    encoding::AppendBytes(encoding::EncodeItem(slot->key).bytes, &note);
    encoding::AppendVarint(slot->created() ? 1 : 0, &note);
  }
  return note;
}

item::Map RouteAttributes(const Entity& entity, const item::Map& attributes) {
  item::Map key;
  for (const auto& part : entity.model->primary().parts) {
    for (const std::string& name : part.text.attributes()) {
      if (const item::Value* value = attributes.Find(name)) key.Set(name, *value);
    }
  }
  return key;
}

Written WrittenOf(const Slot& slot, std::optional<encoding::EncodedItem> image) {
  Written written;
  written.entity = slot.entity;
  written.created = slot.created();
  const Record* record = slot.current() != nullptr ? slot.current() : slot.old_record();
  if (record != nullptr) written.key = RouteAttributes(*slot.entity, record->attributes);
  written.item = std::move(image);
  return written;
}

double UnitsOf(const engine::WriteRequest& request, const engine::WriteOutcome& outcome) {
  double units = 0;
  for (const engine::ItemOutcome& item : outcome.items) {
    units += request.items.size() > 1 ? engine::TransactionalWriteUnits(item.charged_bytes)
                                      : engine::WriteUnits(item.charged_bytes);
    for (const engine::IndexCost& cost : item.index_costs) units += cost.write_units;
  }
  return units;
}

Error Overtaken() {
  return Problem(ProblemCode::kConflict,
                 "Other writes kept changing the same items first. Try again.");
}

}  // namespace

class Writer::Impl {
 public:
  Impl(engine::Engine& engine, work::Executor& executor, const Application& application)
      : engine_(engine),
        executor_(executor),
        application_(application),
        locks_([&executor](std::function<void()> task) { executor.Continue(std::move(task)); }),
        jobs_(engine, application, locks_) {}

  ~Impl() { Stop(); }

  void Stop() {
    jobs_.Stop();  // first, while the executor can still wake a job that waits for a lock
    std::unique_lock lock(mutex_);
    idle_.wait(lock, [this] { return running_ == 0; });
  }

  void Start(std::shared_ptr<Attempt> attempt) {
    Enter();
    Try(std::move(attempt), KeyLocks::Holder(locks_));
  }

  // The same on the executor, for callers that must not be held up by reads.
  void StartSoon(const std::shared_ptr<Attempt>& attempt) {
    Enter();
    PlanAgain(attempt);
  }

  engine::Engine& engine() { return engine_; }
  const Application& application() { return application_; }
  CopyJobs& jobs() { return jobs_; }

 private:
  // Keeps this object alive while a thread is inside, even if the attempt of that thread ends.
  class Visit {
   public:
    explicit Visit(Impl* impl) : impl_(*impl) { impl_.Enter(); }
    ~Visit() { impl_.Leave(); }
    Visit(const Visit&) = delete;
    Visit& operator=(const Visit&) = delete;

   private:
    Impl& impl_;
  };

  void Enter() {
    const std::lock_guard lock(mutex_);
    ++running_;
  }

  // Ends an attempt. The caller may not touch this object afterwards unless it has a Visit.
  void End(const std::shared_ptr<Attempt>& attempt, Result<WriteAnswer> answer) {
    attempt->done(std::move(answer));
    Leave();
  }

  void Leave() {
    const std::lock_guard lock(mutex_);
    if (--running_ == 0) idle_.notify_all();
  }

  // Plans the attempt and submits it. Never waits for another attempt: where a lock is missing, the
  // attempt gives up its own and is tried again later.
  void Try(std::shared_ptr<Attempt> attempt, KeyLocks::Holder woken) {
    const Visit visit(this);
    KeyLocks::Holder locks(std::move(woken));  // let go within the visit
    if (attempt->raw) return TryRaw(std::move(attempt), std::move(locks));
    if (attempt->key) {
      auto replayed = Replay(*attempt->key);
      if (!replayed) return End(attempt, std::move(replayed).error());
      if (*replayed) return End(attempt, std::move(**replayed));
    }
    attempt->ids.Rewind();
    const auto draft = std::make_shared<Draft>(engine_, std::move(locks), engine_.clock().NowMs());
    const auto planner =
        std::make_shared<Planner>(application_, attempt->caller, &attempt->ids, draft.get());
    const Status planned = Plan(*attempt, planner.get());
    if (draft->blocked()) return WaitFor(std::move(attempt), draft.get());
    if (const auto counter = attempt->ids.missing()) {
      draft->locks().Release();
      return Count(std::move(attempt), *counter);
    }
    if (!planned) return End(attempt, planned.error());
    auto request = draft->Build();
    if (!request) return End(attempt, std::move(request).error());
    if (attempt->key) {
      request->token = *attempt->key;
      request->token->note = NoteOf(planner->results());
    }
    Submit(std::move(attempt), draft, planner, std::move(*request));
  }

  void Submit(std::shared_ptr<Attempt> attempt, std::shared_ptr<Draft> draft,
              std::shared_ptr<Planner> planner, engine::WriteRequest request) {
    engine::SubmitUnguarded(engine_, std::move(request),
                            [this, attempt = std::move(attempt), draft = std::move(draft),
                             planner = std::move(planner)](const engine::WriteRequest& submitted,
                                                           Result<engine::WriteOutcome> outcome) {
                              draft->locks().Release();
                              if (!outcome) {
                                if (outcome.error().code() == ErrorCode::kTransactionConflict)
                                  return Again(attempt);
                                return End(attempt, std::move(outcome).error());
                              }
                              // A retry that came while the first was being decided.
                              if (outcome->replayed) return Again(attempt);
                              for (engine::ItemOutcome& item : outcome->items) {
                                if (item.error) return End(attempt, std::move(*item.error));
                              }
                              AddJobs(*draft);
                              End(attempt, AnswerOf(*draft, *planner, submitted, *outcome));
                            });
  }

  // Hands the copies that were too many for the write itself to the background.
  void AddJobs(const Draft& draft) {
    for (CopyJob& job : CopyJobsOf(application_, draft)) jobs_.Add(std::move(job));
  }

  static WriteAnswer AnswerOf(const Draft& draft, const Planner& planner,
                              const engine::WriteRequest& submitted,
                              const engine::WriteOutcome& outcome) {
    WriteAnswer answer;
    answer.write_units = UnitsOf(submitted, outcome);
    for (const Slot* slot : planner.results()) {
      std::optional<encoding::EncodedItem> image;
      for (size_t i = 0; i < draft.slots().size(); ++i) {
        if (draft.slots()[i].get() != slot) continue;
        if (submitted.items[i].action == engine::WriteAction::kPut) {
          image = submitted.items[i].put;
        } else if (submitted.items[i].action == engine::WriteAction::kConditionCheck) {
          image = slot->image;
        }
      }
      answer.changes.push_back(WrittenOf(*slot, std::move(image)));
    }
    return answer;
  }

  void Again(const std::shared_ptr<Attempt>& attempt) {
    if (++attempt->tries > kMaxAttempts) return Refuse(attempt, Overtaken());
    PlanAgain(attempt);
  }

  void PlanAgain(const std::shared_ptr<Attempt>& attempt) {
    executor_.Continue([this, attempt] { Try(attempt, KeyLocks::Holder(locks_)); },
                       attempt->client);
  }

  void Refuse(const std::shared_ptr<Attempt>& attempt, Error error) {
    if (!attempt->raw) return End(attempt, std::move(error));
    attempt->raw->callback(attempt->raw->request, std::move(error));
    Leave();
  }

  void WaitFor(std::shared_ptr<Attempt> attempt, Draft* draft) {
    draft->locks().Wait([this, attempt = std::move(attempt)](KeyLocks::Holder locks) {
      Try(attempt, std::move(locks));
    });
  }

  static Status Plan(const Attempt& attempt, Planner* planner) {
    if (attempt.call) {
      TRY(planner->AddOperation(*attempt.call));
    }
    for (const Change& change : attempt.changes) TRY(planner->AddChange(change));
    return planner->Finish();
  }

  // Takes the next number of a counter out of the store, then goes on. Numbers are never given
  // twice; the number of a write that fails is lost.
  void Count(std::shared_ptr<Attempt> attempt, const Counter& counter) {
    auto request = CountRequest(engine_, counter);
    if (!request) return End(attempt, std::move(request).error());
    engine::SubmitUnguarded(engine_, std::move(*request),
                            [this, attempt = std::move(attempt), counter](
                                const engine::WriteRequest&, Result<engine::WriteOutcome> outcome) {
                              if (!outcome) return End(attempt, std::move(outcome).error());
                              const engine::ItemOutcome& item = outcome->items.front();
                              if (item.error) return End(attempt, *item.error);
                              const auto number = CountedNumber(*item.new_item);
                              if (!number) return End(attempt, number.error());
                              attempt->ids.Add(counter, *number);
                              PlanAgain(attempt);
                            });
  }

  // The answer to a request that was done before. Nothing if the request is new.
  Result<std::optional<WriteAnswer>> Replay(const IdempotencyKey& key) const {
    TRY_ASSIGN(const auto record, engine::FindToken(engine_, key.token));
    if (!record) return std::optional<WriteAnswer>();
    if (record->fingerprint != key.fingerprint) {
      return Error(ErrorCode::kIdempotentParameterMismatch,
                   "The idempotency key was used with another request; use a new one.");
    }
    WriteAnswer answer;
    answer.replayed = true;
    std::string_view note = record->note;
    std::string_view name;
    std::string_view key_bytes;
    uint64_t created = 0;
    while (encoding::ReadBytes(&note, &name) && encoding::ReadBytes(&note, &key_bytes) &&
           encoding::ReadVarint(&note, &created)) {
      const Entity* entity = application_.Find(name);
      if (entity == nullptr) continue;
      TRY_ASSIGN(const engine::TablePtr table, engine_.FindTable(entity->table_name));
      TRY_ASSIGN(const item::Item item_key, encoding::DecodeItem(key_bytes));
      Written written;
      written.entity = entity;
      written.created = created != 0;
      TRY_ASSIGN(written.item,
                 engine::ReadItem(engine_.store().Latest(), encoding::ItemKey(*table, item_key)));
      if (written.item) {
        TRY_ASSIGN(const item::Item item, encoding::DecodeItem(written.item->bytes));
        TRY_ASSIGN(const Record stored, RecordOf(*entity, item));
        written.key = RouteAttributes(*entity, stored.attributes);
      }
      answer.changes.push_back(std::move(written));
    }
    return std::optional(std::move(answer));
  }

  void TryRaw(std::shared_ptr<Attempt> attempt, KeyLocks::Holder locks) {
    attempt->ids.Rewind();
    const auto draft = std::make_shared<Draft>(engine_, std::move(locks), engine_.clock().NowMs());
    RawWrite& raw = *attempt->raw;
    const Status planned =
        PlanRaw(application_, attempt->caller, &attempt->ids, draft.get(), &raw.request);
    if (!planned) {
      RestoreRaw(raw.count, &raw.request);
      if (draft->blocked()) return WaitFor(std::move(attempt), draft.get());
      draft->locks().Release();
      raw.callback(raw.request, Refused(raw.request, planned.error()));
      return Leave();
    }
    engine::SubmitUnguarded(
        engine_, std::move(raw.request),
        [this, attempt = std::move(attempt), draft](engine::WriteRequest& submitted,
                                                    Result<engine::WriteOutcome> outcome) {
          draft->locks().Release();
          RawWrite& own = *attempt->raw;
          own.request = std::move(submitted);
          RestoreRaw(own.count, &own.request);
          if (!outcome && outcome.error().code() == ErrorCode::kTransactionConflict) {
            return Again(attempt);
          }
          if (outcome && !outcome->replayed && !outcome->refused()) AddJobs(*draft);
          // The client does not see the writes that the rules have added.
          if (outcome && !outcome->replayed) outcome->items.resize(own.count);
          own.callback(own.request, std::move(outcome));
          Leave();
        });
  }

  engine::Engine& engine_;
  work::Executor& executor_;
  const Application& application_;
  KeyLocks locks_;
  std::mutex mutex_;
  std::condition_variable idle_;
  size_t running_ = 0;  // attempts, and threads inside Try; guarded by mutex_
  CopyJobs jobs_;
};

Writer::Writer(engine::Engine& engine, work::Executor& executor, const Application& application)
    : impl_(std::make_unique<Impl>(engine, executor, application)) {}

Writer::~Writer() = default;

void Writer::Stop() {
  impl_->Stop();
}

void Writer::Apply(std::vector<Change> changes, const Caller& caller,
                   std::optional<IdempotencyKey> key, WriteDone done) {
  auto attempt = std::make_shared<Attempt>();
  attempt->changes = std::move(changes);
  attempt->caller = caller;
  attempt->key = std::move(key);
  attempt->done = std::move(done);
  impl_->Start(std::move(attempt));
}

void Writer::Run(OperationCall call, const Caller& caller, std::optional<IdempotencyKey> key,
                 WriteDone done) {
  auto attempt = std::make_shared<Attempt>();
  attempt->call = std::move(call);
  attempt->caller = caller;
  attempt->key = std::move(key);
  attempt->done = std::move(done);
  impl_->Start(std::move(attempt));
}

void Writer::Guard(engine::WriteRequest request, engine::WriteCallback callback) {
  auto attempt = std::make_shared<Attempt>();
  const size_t count = request.items.size();
  // What the rules add belongs to the items, and rules see the items of a batch together.
  request.independent = false;
  attempt->raw = RawWrite{std::move(request), std::move(callback), count};
  impl_->StartSoon(attempt);
}

Status Writer::AdoptExisting() {
  TRY(AdoptUniqueValues(impl_->engine(), impl_->application()));
  return impl_->jobs().Resume();
}

bool Writer::HasJobs() const {
  return impl_->jobs().HasJobs();
}

void Writer::WaitForJobs() const {
  impl_->jobs().Wait();
}

}  // namespace monotable::entities
