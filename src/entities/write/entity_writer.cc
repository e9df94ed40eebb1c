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
#include "telemetry/log.h"

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

// A write of more items than these is finished on the executor, because the thread of the store has
// no time for it.
constexpr size_t kFewItems = 16;

// A plan that was submitted, and what became of it.
struct Submission {
  std::shared_ptr<Attempt> attempt;
  std::unique_ptr<Draft> draft;
  std::unique_ptr<Planner> planner;  // null for a raw write
  engine::WriteRequest request;
  std::optional<Result<engine::WriteOutcome>> outcome;
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
        jobs_(engine, executor, application, locks_) {}

  ~Impl() { Stop(); }

  void Stop() {
    jobs_.Stop();
    std::unique_lock lock(mutex_);
    idle_.wait(lock, [this] { return running_ == 0; });
  }

  void Start(std::shared_ptr<Attempt> attempt) {
    Enter();
    Try(std::move(attempt), KeyLocks::Holder(locks_));
  }

  // The same on the executor, in the queue of the client, for callers that must not be held up.
  void StartSoon(const std::shared_ptr<Attempt>& attempt) {
    Enter();
    Status posted = executor_.Post([this, attempt] { Try(attempt, KeyLocks::Holder(locks_)); },
                                   attempt->client);
    if (!posted) Refuse(attempt, std::move(posted).error());
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
    attempt->done(WriteEnd(std::move(answer)));
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
    auto draft = std::make_unique<Draft>(engine_, std::move(locks), engine_.clock().NowMs());
    auto planner =
        std::make_unique<Planner>(application_, attempt->caller, &attempt->ids, draft.get());
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
    auto submission = std::make_shared<Submission>();
    submission->attempt = std::move(attempt);
    submission->draft = std::move(draft);
    submission->planner = std::move(planner);
    Submit(std::move(submission), std::move(*request));
  }

  // The thread of the store only hands the outcome over, because all writes wait for it: to whoever
  // waits for a write of a few items, to the executor otherwise.
  void Submit(std::shared_ptr<Submission> submission, engine::WriteRequest request) {
    engine::SubmitUnguarded(
        engine_, std::move(request),
        [this, submission = std::move(submission)](engine::WriteRequest& submitted,
                                                   Result<engine::WriteOutcome> outcome) {
          submission->request = std::move(submitted);
          submission->outcome.emplace(std::move(outcome));
          const bool is_done = *submission->outcome && !(*submission->outcome)->replayed;
          if (is_done && submission->draft->slots().size() <= kFewItems) return Finish(submission);
          executor_.Continue([this, submission] { Finish(submission); },
                             submission->attempt->client);
        });
  }

  void Finish(const std::shared_ptr<Submission>& shared) {
    const Visit visit(this);
    Submission& submission = *shared;
    const std::shared_ptr<Attempt> attempt = submission.attempt;
    Result<engine::WriteOutcome>& outcome = *submission.outcome;
    if (attempt->raw) {
      attempt->raw->request = std::move(submission.request);
      RestoreRaw(attempt->raw->count, &attempt->raw->request);
    }
    const bool overtaken = !outcome && outcome.error().code() == ErrorCode::kTransactionConflict;
    // A retry that came while the first was being decided is answered as a repetition.
    const bool repeated = outcome && outcome->replayed && !attempt->raw;
    if (overtaken || repeated) return Again(attempt, std::move(submission.draft->locks()));
    submission.draft->locks().Release();
    if (outcome && !outcome->replayed && !outcome->refused()) AddJobs(*submission.draft);
    if (attempt->raw) return EndRaw(attempt, std::move(outcome));
    if (!outcome) return End(attempt, std::move(outcome).error());
    for (engine::ItemOutcome& item : outcome->items) {
      if (item.error) return End(attempt, std::move(*item.error));
    }
    attempt->done(WriteEnd([shared] { return AnswerOf(shared.get()); }));
    Leave();
  }

  // Hands the copies that were too many for the write itself to the background.
  void AddJobs(const Draft& draft) {
    for (CopyJob& job : CopyJobsOf(application_, draft)) jobs_.Add(std::move(job));
  }

  static Result<WriteAnswer> AnswerOf(Submission* submission) {
    WriteAnswer answer;
    answer.write_units = UnitsOf(submission->request, **submission->outcome);
    const auto& slots = submission->draft->slots();
    for (const Slot* slot : submission->planner->results()) {
      std::optional<encoding::EncodedItem> image;
      for (size_t i = 0; i < slots.size(); ++i) {
        if (slots[i].get() != slot) continue;
        const engine::ItemWrite& write = submission->request.items[i];
        if (write.action == engine::WriteAction::kPut) {
          image = write.put;
        } else if (write.action == engine::WriteAction::kConditionCheck) {
          image = slot->image;
        }
        break;
      }
      answer.changes.push_back(WrittenOf(*slot, std::move(image)));
    }
    return answer;
  }

  // Plans again, with the names that the attempt already has.
  void Again(const std::shared_ptr<Attempt>& attempt, KeyLocks::Holder locks) {
    if (++attempt->tries > kMaxAttempts) return Refuse(attempt, Overtaken());
    Try(attempt, std::move(locks));
  }

  void TryLater(const std::shared_ptr<Attempt>& attempt, KeyLocks::Holder locks) {
    // Functions are copied by std::function, holders are not.
    const auto holder = std::make_shared<KeyLocks::Holder>(std::move(locks));
    executor_.Continue([this, attempt, holder] { Try(attempt, std::move(*holder)); },
                       attempt->client);
  }

  void Refuse(const std::shared_ptr<Attempt>& attempt, Error error) {
    if (!attempt->raw) return End(attempt, std::move(error));
    EndRaw(attempt, std::move(error));
  }

  void WaitFor(std::shared_ptr<Attempt> attempt, Draft* draft) {
    draft->locks().Wait([this, attempt = std::move(attempt)](KeyLocks::Holder locks) {
      TryLater(attempt, std::move(locks));
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
    engine::SubmitUnguarded(
        engine_, std::move(*request),
        [this, attempt = std::move(attempt), counter](const engine::WriteRequest&,
                                                      Result<engine::WriteOutcome> outcome) {
          const auto counted = std::make_shared<Result<engine::WriteOutcome>>(std::move(outcome));
          executor_.Continue(
              [this, attempt, counter, counted] { Take(attempt, counter, *counted); },
              attempt->client);
        });
  }

  void Take(const std::shared_ptr<Attempt>& attempt, const Counter& counter,
            const Result<engine::WriteOutcome>& counted) {
    const Visit visit(this);
    if (!counted) return End(attempt, counted.error());
    const engine::ItemOutcome& item = counted->items.front();
    if (item.error) return End(attempt, *item.error);
    const auto number = CountedNumber(*item.new_item);
    if (!number) return End(attempt, number.error());
    attempt->ids.Add(counter, *number);
    Try(attempt, KeyLocks::Holder(locks_));
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
    auto draft = std::make_unique<Draft>(engine_, std::move(locks), engine_.clock().NowMs());
    RawWrite& raw = *attempt->raw;
    const Status planned =
        PlanRaw(application_, attempt->caller, &attempt->ids, draft.get(), &raw.request);
    if (!planned) {
      RestoreRaw(raw.count, &raw.request);
      if (draft->blocked()) return WaitFor(std::move(attempt), draft.get());
      const bool expires = raw.request.origin == engine::ChangeOrigin::kTimeToLive;
      if (expires && ProblemOf(planned.error()) != nullptr) {
        return ExpireAlone(attempt, std::move(draft->locks()), planned.error());
      }
      draft->locks().Release();
      return EndRaw(attempt, Refused(raw.request, planned.error()));
    }
    auto submission = std::make_shared<Submission>();
    submission->attempt = std::move(attempt);
    submission->draft = std::move(draft);
    Submit(std::move(submission), std::move(raw.request));
  }

  // No rule holds up an expiry: if what would follow from it is refused, the item goes alone.
  void ExpireAlone(const std::shared_ptr<Attempt>& attempt, KeyLocks::Holder locks,
                   const Error& refusal) {
    const engine::ItemWrite& write = attempt->raw->request.items.front();
    telemetry::Log(telemetry::LogLevel::kWarning,
                   "An item of {} has expired, and other items do not follow because of a rule: {}",
                   write.table_name, refusal.message());
    auto submission = std::make_shared<Submission>();
    submission->attempt = attempt;
    submission->draft = std::make_unique<Draft>(engine_, std::move(locks), engine_.clock().NowMs());
    Submit(std::move(submission), std::move(attempt->raw->request));
  }

  // The client does not see the writes that the rules have added.
  void EndRaw(const std::shared_ptr<Attempt>& attempt, Result<engine::WriteOutcome> outcome) {
    RawWrite& raw = *attempt->raw;
    if (outcome && !outcome->replayed) outcome->items.resize(raw.count);
    raw.callback(raw.request, std::move(outcome));
    Leave();
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

Status Writer::ResumeJobs() {
  return impl_->jobs().Resume();
}

bool Writer::HasJobs() const {
  return impl_->jobs().HasJobs();
}

void Writer::WaitForJobs() const {
  impl_->jobs().Wait();
}

}  // namespace monotable::entities
