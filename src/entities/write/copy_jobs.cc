#include "entities/write/copy_jobs.h"

#include <algorithm>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "encoding/keyspace.h"
#include "engine/engine.h"
#include "engine/read.h"
#include "engine/write.h"
#include "entities/problem.h"
#include "entities/read/pattern_reader.h"
#include "entities/read/read_source.h"
#include "entities/write/draft.h"
#include "entities/write/ids.h"
#include "entities/write/key_locks.h"
#include "entities/write/planner.h"
#include "telemetry/log.h"

namespace monotable::entities {
namespace {

// One pass over all followers of a source, in steps that are transactions of their own.
//
// The pass takes a snapshot when it begins and finds the followers there, so it also meets a
// follower that changes its place in an index later. An item that comes to refer to the source
// later, or gets another primary key, takes the values of the source itself, under a lock on the
// source. Each step reads the source and its followers again, and writes only if they have not
// changed. A step also checks whether a newer change of the source has replaced the job. The last
// step removes the job.
//
// Not thread-safe. Steps wait: for locks of other writes, and for the store.
class CopyPass {
 public:
  enum class Progress {
    kMore,
    kOvertaken,  // the job is another by now, or gone: begin again
    kDone,       // the job is removed
  };

  CopyPass(engine::Engine& engine, const Application& application, KeyLocks& locks)
      : engine_(engine), application_(application), locks_(locks) {}

  // False if the job no longer exists.
  Result<bool> Begin(const CopyJob& job);
  Result<Progress> Step();

  // The jobs that the last step has made: a follower may be the source of others.
  const std::vector<CopyJob>& made() const { return made_; }

 private:
  Status ReadPage();
  bool IsLast() const;
  // Puts the next step into the draft.
  Result<Progress> Plan(Planner* planner, Draft* draft);
  Result<Progress> Write(const Draft& draft, Progress progress);
  // A step of fewer followers is less often in the way of others, and in the end shows which of
  // them is the one that the rules refuse.
  void Narrow();
  void Advance();
  // Leaves out the one follower that the rules refuse, or goes on to find it.
  Result<Progress> Refused(const Error& why, bool is_by_rules);
  void WaitForLock(Draft* draft);

  engine::Engine& engine_;
  const Application& application_;
  KeyLocks& locks_;
  CopyJob job_;
  Caller caller_;
  std::unique_ptr<storage::Reader> snapshot_;
  std::string image_;  // of the job when the pass began
  item::Map source_;   // its attributes
  std::vector<Followers> followers_;
  size_t current_ = 0;  // of followers_
  Position after_;      // within those
  size_t limit_ = 0;
  std::optional<FoundPage> page_;  // of the step at work
  std::optional<KeyLocks::Holder> woken_;
  std::vector<CopyJob> made_;
};

Result<bool> CopyPass::Begin(const CopyJob& job) {
  job_ = job;
  followers_.clear();
  current_ = 0;
  after_ = {};
  limit_ = application_.followers_at_once();
  page_.reset();
  snapshot_ = engine_.store().Snapshot();
  TRY_ASSIGN(const engine::TablePtr table, engine_.FindTable(job.entity->table_name));
  const auto key = CopyJobKey(*job.entity, job.source);
  if (!key) return false;
  TRY_ASSIGN(const auto image, engine::ReadItem(*snapshot_, encoding::ItemKey(*table, *key)));
  if (!image) return false;
  image_ = image->bytes;
  TRY_ASSIGN(const item::Item item, encoding::DecodeItem(image_));
  if (const auto stored = ReadCopyJob(application_, item)) caller_.name = stored->by;
  TRY_ASSIGN(const auto source,
             engine::ReadItem(*snapshot_, encoding::ItemKey(*table, job.source)));
  if (!source) return true;  // without a source only the job is removed
  TRY_ASSIGN(const item::Item source_item, encoding::DecodeItem(source->bytes));
  TRY_ASSIGN(const Record record, RecordOf(*job.entity, source_item));
  source_ = record.attributes;
  followers_ = FollowersOf(application_, *job.entity);
  return true;
}

bool CopyPass::IsLast() const {
  return current_ + 1 >= followers_.size() && !page_->next;
}

Status CopyPass::ReadPage() {
  if (page_) return {};
  page_.emplace();
  if (current_ >= followers_.size()) return {};
  const Followers& followers = followers_[current_];
  TRY_ASSIGN(*page_, FindFollowers(engine_, *snapshot_, followers, source_, limit_, after_));
  return {};
}

void CopyPass::Narrow() {
  limit_ = std::max<size_t>(page_->items.size() / 2, 1);
  page_.reset();
}

void CopyPass::Advance() {
  if (page_->next) {
    after_ = *std::move(page_->next);
  } else {
    ++current_;
    after_ = {};
  }
  page_.reset();
  limit_ = std::min(limit_ * 2, application_.followers_at_once());
}

Result<CopyPass::Progress> CopyPass::Refused(const Error& why, bool is_by_rules) {
  if (!is_by_rules || page_->items.empty()) return why;
  if (page_->items.size() > 1) {
    Narrow();
    return Progress::kMore;
  }
  const Entity& entity = *followers_[current_].entity;
  TRY_ASSIGN(const item::Item refused, encoding::DecodeItem(page_->items.front().item.bytes));
  telemetry::Log(telemetry::LogLevel::kWarning,
                 "{} {} keeps an old copy of its {}, because the rules refuse the new one: {}",
                 entity.name(), KeyTexts(entity, refused), job_.entity->name(), why.message());
  page_->items.clear();
  return Progress::kMore;
}

void CopyPass::WaitForLock(Draft* draft) {
  // Functions are copied by std::function, holders are not.
  const auto woken = std::make_shared<std::promise<std::shared_ptr<KeyLocks::Holder>>>();
  auto future = woken->get_future();
  draft->locks().Wait([woken](KeyLocks::Holder locks) {
    woken->set_value(std::make_shared<KeyLocks::Holder>(std::move(locks)));
  });
  woken_.emplace(std::move(*future.get()));
}

Result<CopyPass::Progress> CopyPass::Plan(Planner* planner, Draft* draft) {
  TRY_ASSIGN(Slot * source, draft->Load(*job_.entity, job_.source, KeyLocks::Mode::kShared));
  source->any_image = false;
  TRY_ASSIGN(Slot * job, draft->LoadInternal(*job_.entity, *CopyJobKey(*job_.entity, job_.source)));
  job->any_image = false;
  if (!job->image || job->image->bytes != image_) return Progress::kOvertaken;
  const bool is_gone = source->current() == nullptr;
  if (!is_gone && !page_->items.empty()) {
    TRY(planner->AddFollowers(*source, followers_[current_], page_->items));
    TRY(planner->Finish());
  }
  if (!is_gone && !IsLast()) return Progress::kMore;
  // Removed, unless this very step had to make it anew.
  if (job->internal) return Progress::kMore;
  job->written = true;
  return Progress::kDone;
}

Result<CopyPass::Progress> CopyPass::Step() {
  made_.clear();
  // The page is read before any lock is taken, so a write that waits for the source gets its lock
  // between two steps.
  TRY(ReadPage());
  KeyLocks::Holder locks = woken_ ? std::move(*woken_) : KeyLocks::Holder(locks_);
  woken_.reset();
  Draft draft(engine_, std::move(locks), engine_.clock().NowMs());
  Ids ids;
  Planner planner(application_, caller_, &ids, &draft);
  const auto planned = Plan(&planner, &draft);
  if (draft.blocked()) {
    Narrow();
    WaitForLock(&draft);
    return Progress::kMore;
  }
  if (!planned) return Refused(planned.error(), ProblemOf(planned.error()) != nullptr);
  if (*planned == Progress::kOvertaken) return Progress::kOvertaken;
  return Write(draft, *planned);
}

Result<CopyPass::Progress> CopyPass::Write(const Draft& draft, Progress progress) {
  const bool is_empty = std::none_of(draft.slots().begin(), draft.slots().end(),
                                     [](const auto& slot) { return slot->written; });
  if (is_empty) {
    Advance();
    return Progress::kMore;
  }
  auto request = draft.Build();
  if (!request) return Refused(request.error(), ProblemOf(request.error()) != nullptr);
  Result<engine::WriteOutcome> outcome = engine::WriteAndWait(engine_, *std::move(request));
  if (!outcome) {
    if (outcome.error().code() != ErrorCode::kTransactionConflict) return outcome.error();
    Narrow();
    return Progress::kMore;
  }
  for (const engine::ItemOutcome& item : outcome->items) {
    if (item.error) return Refused(*item.error, true);
  }
  made_ = CopyJobsOf(application_, draft);
  Advance();
  return progress;
}

}  // namespace

CopyJobs::CopyJobs(engine::Engine& engine, const Application& application, KeyLocks& locks)
    : engine_(engine), application_(application), locks_(locks), thread_([this] { Work(); }) {}

void CopyJobs::Add(CopyJob job) {
  const std::lock_guard lock(mutex_);
  waiting_.push_back(std::move(job));
  changed_.notify_all();
}

Status CopyJobs::Resume() {
  for (const model::TableModel& model : application_.model().tables) {
    const std::string& name = application_.TableName(model.id);
    if (!JobKey(model, std::string(kCopies)) || engine_.catalog().Find(name) == nullptr) continue;
    TRY_ASSIGN(const Source source, FindSource(engine_, name, ""));
    TRY_ASSIGN(Partition partition, Partition::Open(source, std::string(kJobsPartition)));
    TRY(partition.Bound(expression::RangeBound::Op::kBeginsWith, std::string(kCopies)));
    const auto snapshot = engine_.store().Snapshot();
    const auto cursor = snapshot->Scan(partition.Take().range, storage::Direction::kForward);
    for (; cursor->Valid(); cursor->Next()) {
      TRY_ASSIGN(const item::Item item, encoding::DecodeItem(cursor->value()));
      auto job = ReadCopyJob(application_, item);
      if (job) {
        Add(*std::move(job));
      } else {
        telemetry::Log(
            telemetry::LogLevel::kWarning,
            "{} has a copy job of an entity that the model does not have. The job stays.", name);
      }
    }
    TRY(cursor->status());
  }
  return {};
}

void CopyJobs::Stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    changed_.notify_all();
  }
  if (thread_.joinable()) thread_.join();
}

bool CopyJobs::HasJobs() const {
  const std::lock_guard lock(mutex_);
  return is_working_ || !waiting_.empty();
}

void CopyJobs::Wait() const {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return stopping_ || (!is_working_ && waiting_.empty()); });
}

bool CopyJobs::is_stopping() const {
  const std::lock_guard lock(mutex_);
  return stopping_;
}

void CopyJobs::Work() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return stopping_ || !waiting_.empty(); });
    if (stopping_) return;
    const CopyJob job = std::move(waiting_.front());
    waiting_.pop_front();
    is_working_ = true;
    lock.unlock();
    if (const Status done = Do(job); !done) {
      telemetry::Log(telemetry::LogLevel::kError,
                     "Copies of {} {} could not be written and wait for the next start: {}",
                     job.entity->name(), KeyTexts(*job.entity, job.source), done.error().message());
    }
    lock.lock();
    is_working_ = false;
    changed_.notify_all();
  }
}

Status CopyJobs::Do(const CopyJob& job) {
  CopyPass pass(engine_, application_, locks_);
  auto progress = CopyPass::Progress::kOvertaken;
  while (progress != CopyPass::Progress::kDone && !is_stopping()) {
    if (progress == CopyPass::Progress::kOvertaken) {
      TRY_ASSIGN(const bool is_there, pass.Begin(job));
      if (!is_there) break;
    }
    TRY_ASSIGN(progress, pass.Step());
    for (const CopyJob& made : pass.made()) Add(made);
  }
  return {};
}

}  // namespace monotable::entities
