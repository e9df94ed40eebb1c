#include "entities/write/copy_jobs.h"

#include <utility>

#include "entities/read/source.h"
#include "entities/write/copy_pass.h"
#include "entities/write/internal_item.h"
#include "telemetry/log.h"

namespace monotable::entities {

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
        telemetry::Log(telemetry::LogLevel::kWarning,
                       "{} has a job of an entity that the model does not have; it stays undone.",
                       name);
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
                     "Copies of {} {} wait for the next start, because they cannot be written: {}",
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
