#include "entities/write/copy_jobs.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "engine/write.h"
#include "entities/read/read_source.h"
#include "entities/write/draft.h"
#include "entities/write/ids.h"
#include "entities/write/lease.h"
#include "telemetry/log.h"
#include "work/meter.h"

namespace monotable::entities {
namespace {

// Jobs at work at the same time. A long one does not keep short ones waiting.
constexpr size_t kJobsAtWork = 4;

// Nobody waits for copies, and they have an account like a client.
class BackgroundClient final : public work::Client {
 public:
  bool is_gone() const override { return false; }
  work::Account* account() const override { return &account_; }

 private:
  mutable work::Account account_;
};

std::string NameOf(const CopyJob& job) {
  return job.entity->name() + "#" + KeyTexts(*job.entity, job.source);
}

}  // namespace

CopyJobs::CopyJobs(engine::Engine& engine, work::Executor& executor, const Application& application,
                   KeyLocks& locks)
    : engine_(engine),
      executor_(executor),
      application_(application),
      locks_(locks),
      owner_(NewUlid(engine.clock().NowMs())),
      client_(std::make_shared<BackgroundClient>()) {}

void CopyJobs::Add(CopyJob job) {
  std::vector<Work*> begun;
  {
    const std::lock_guard lock(mutex_);
    if (stopping_) return;
    const std::string name = NameOf(job);
    if (const auto found = at_work_.find(name); found != at_work_.end()) {
      found->second->again = true;
      return;
    }
    const bool waits = std::any_of(waiting_.begin(), waiting_.end(),
                                   [&](const CopyJob& other) { return NameOf(other) == name; });
    if (waits) return;
    waiting_.push_back(std::move(job));
    begun = TakeWaiting();
  }
  for (Work* work : begun) Begin(work);
}

std::vector<CopyJobs::Work*> CopyJobs::TakeWaiting() {
  std::vector<Work*> taken;
  while (!stopping_ && !waiting_.empty() && at_work_.size() < kJobsAtWork) {
    auto work = std::make_unique<Work>();
    work->job = std::move(waiting_.front());
    waiting_.pop_front();
    work->name = NameOf(work->job);
    taken.push_back(work.get());
    at_work_.emplace(work->name, std::move(work));
  }
  return taken;
}

void CopyJobs::Begin(Work* work) {
  work->pass = std::make_unique<CopyPass>(engine_, application_, owner_, work->job);
  PostStep(work);
}

void CopyJobs::PostStep(Work* work) {
  // An executor that takes no work has too much of it, or the server stops.
  if (!executor_.Post([this, work] { Step(work, KeyLocks::Holder(locks_)); }, client_)) Leave(work);
}

void CopyJobs::Step(Work* work, KeyLocks::Holder locks) {
  if (is_stopping()) {
    locks.Release();
    return Leave(work);
  }
  const auto next = work->pass->PlanStep(std::move(locks));
  if (work::Stopped()) return Leave(work);
  if (!next) return Fail(work, next.error());
  switch (*next) {
    case CopyPass::Next::kPlan:
      return PostStep(work);
    case CopyPass::Next::kNothing:
      return End(work);
    case CopyPass::Next::kWait:
      return work->pass->locks().Wait([this, work](KeyLocks::Holder free) {
        // Functions are copied by std::function, holders are not.
        const auto holder = std::make_shared<KeyLocks::Holder>(std::move(free));
        executor_.Continue([this, work, holder] { Step(work, std::move(*holder)); }, client_);
      });
    case CopyPass::Next::kSubmit:
      break;
  }
  engine::SubmitUnguarded(
      engine_, work->pass->TakeRequest(),
      [this, work](const engine::WriteRequest&, Result<engine::WriteOutcome> outcome) {
        const auto shared = std::make_shared<Result<engine::WriteOutcome>>(std::move(outcome));
        executor_.Continue([this, work, shared] { Finish(work, std::move(*shared)); }, client_);
      });
}

void CopyJobs::Finish(Work* work, Result<engine::WriteOutcome> outcome) {
  const auto is_done = work->pass->TakeOutcome(std::move(outcome));
  for (const CopyJob& made : work->pass->made()) Add(made);
  if (!is_done) return Fail(work, is_done.error());
  if (*is_done) return End(work);
  PostStep(work);
}

void CopyJobs::Leave(Work* work) {
  auto request = work->pass->GiveUpLease();
  if (!request || !*request) return End(work);
  engine::SubmitUnguarded(
      engine_, **std::move(request),
      [this, work](const engine::WriteRequest&, const Result<engine::WriteOutcome>&) {
        executor_.Continue([this, work] { End(work); }, client_);
      });
}

// The lease stays for a while, so the next try is not too soon.
void CopyJobs::Fail(Work* work, const Error& error) {
  telemetry::Log(telemetry::LogLevel::kError,
                 "Copies of {} {} could not be written and are tried again later: {}",
                 work->job.entity->name(), KeyTexts(*work->job.entity, work->job.source),
                 error.message());
  End(work);
}

void CopyJobs::End(Work* work) {
  work->pass.reset();  // its snapshot belongs to the store, which may go when nothing is at work
  std::vector<Work*> begun;
  {
    const std::lock_guard lock(mutex_);
    if (std::exchange(work->again, false) && !stopping_) {
      begun.push_back(work);
    } else {
      at_work_.erase(std::string(work->name));
      begun = TakeWaiting();
    }
    // With nothing at work, this object may be gone as soon as the lock is.
    if (at_work_.empty()) changed_.notify_all();
  }
  for (Work* next : begun) Begin(next);
}

Status CopyJobs::Resume() {
  for (const model::TableModel& model : application_.model().tables) {
    const std::string& name = application_.TableName(model.id);
    if (!JobKey(model, std::string(kCopies)) || engine_.catalog().Find(name) == nullptr) continue;
    TRY_ASSIGN(const Source source, FindSource(engine_, name, ""));
    TRY_ASSIGN(Partition partition, Partition::Open(source, std::string(kJobsPartition)));
    TRY(partition.Bound(expression::RangeBound::Op::kBeginsWith, std::string(kCopies)));
    const auto cursor =
        engine_.store().Latest().Scan(partition.Take().range, storage::Direction::kForward);
    for (; cursor->Valid(); cursor->Next()) {
      TRY_ASSIGN(const item::Item item, encoding::DecodeItem(cursor->value()));
      const auto lease = ReadLease(item);
      if (lease && lease->until_ms > engine_.clock().NowMs()) continue;
      auto job = ReadCopyJob(application_, item);
      if (job) Add(*std::move(job));
    }
    TRY(cursor->status());
  }
  return {};
}

void CopyJobs::Stop() {
  std::unique_lock lock(mutex_);
  stopping_ = true;
  waiting_.clear();
  changed_.notify_all();
  changed_.wait(lock, [this] { return at_work_.empty(); });
}

bool CopyJobs::HasJobs() const {
  const std::lock_guard lock(mutex_);
  return !at_work_.empty() || !waiting_.empty();
}

void CopyJobs::Wait() const {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return stopping_ || (at_work_.empty() && waiting_.empty()); });
}

bool CopyJobs::is_stopping() const {
  const std::lock_guard lock(mutex_);
  return stopping_;
}

}  // namespace monotable::entities
