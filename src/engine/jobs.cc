#include "engine/jobs.h"

#include <algorithm>
#include <random>
#include <utility>

#include <fmt/core.h>

#include "encoding/item.h"
#include "encoding/keyspace.h"
#include "encoding/record_reader.h"
#include "telemetry/log.h"

namespace monotable::engine {
namespace {

// Jobs mostly read and write files. With two threads a short job can pass a long one.
constexpr size_t kThreads = 2;

// The words are on disk, so they must never change.
constexpr encoding::Words<JobState, 3> kStates = {
    {{JobState::kRunning, "RUNNING"}, {JobState::kDone, "DONE"}, {JobState::kFailed, "FAILED"}}};

std::string JobKey(JobKind kind, std::string_view id) {
  return encoding::JobKey(static_cast<uint8_t>(kind), id);
}

std::string Encode(const Job& job) {
  item::Item stored;
  for (const auto& [state, word] : kStates) {
    if (state == job.state) stored.Set("state", item::Value(word));
  }
  stored.Set("record", item::Value(job.record));
  return encoding::EncodeItem(stored).bytes;
}

Result<Job> Decode(JobKind kind, std::string_view id, std::string_view stored) {
  Job job;
  job.kind = kind;
  job.id = id;
  TRY_ASSIGN(item::Item item, encoding::DecodeItem(stored));
  bool damaged = false;
  encoding::RecordReader(item, &damaged).Read("state", kStates, &job.state);
  item::Value* record = item.Find("record");
  if (damaged || record == nullptr || !record->is(item::Type::kMap)) {
    return Error::Internal(fmt::format("The record of job {} is damaged.", id));
  }
  job.record = std::move(record->map());
  return job;
}

}  // namespace

Jobs::Jobs(storage::Store& store) : store_(store) {
  for (size_t i = 0; i < kThreads; ++i) {
    threads_.emplace_back([this](const std::stop_token& stop) { Run(stop); });
  }
}

Jobs::~Jobs() {
  Stop();
}

std::string Jobs::NewId(int64_t now_ms) {
  std::random_device random;
  return fmt::format("{:014}-{:08x}", now_ms, random());
}

std::string Jobs::FirstId(int64_t time_ms) {
  return fmt::format("{:014}", time_ms);
}

Status Jobs::SetWork(JobKind kind, Work work) {
  TRY_ASSIGN(std::vector<Job> jobs, List(kind));
  {
    const std::lock_guard lock(mutex_);
    std::vector<Waiting> unfinished;
    for (Job& job : jobs) {
      if (job.state != JobState::kRunning) continue;
      const bool known = std::any_of(waiting_.begin(), waiting_.end(), [&](const Waiting& other) {
        return other.kind == kind && other.id == job.id;
      });
      if (!known) unfinished.push_back({kind, std::move(job.id), nullptr});
    }
    waiting_.insert(waiting_.begin(), std::make_move_iterator(unfinished.begin()),
                    std::make_move_iterator(unfinished.end()));
    work_[static_cast<size_t>(kind)] = std::move(work);
  }
  changed_.notify_all();
  return {};
}

void Jobs::Stop() {
  {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
    waiting_.clear();
  }
  changed_.notify_all();
  for (std::jthread& thread : threads_) thread.request_stop();
  for (std::jthread& thread : threads_) {
    if (thread.joinable()) thread.join();
  }
}

Status Jobs::Begin(const Job& job, const Also& also, Work work) {
  TRY(storage::UpdateAndWait(store_, {JobKey(job.kind, job.id)},
                             [&](auto, const auto&, storage::Batch* batch) {
                               Put(job, batch);
                               if (also) also(batch);
                             }));
  BeginStored(job.kind, job.id, std::move(work));
  return {};
}

void Jobs::BeginStored(JobKind kind, std::string id, Work work) {
  {
    const std::lock_guard lock(mutex_);
    if (stopped_) return;
    waiting_.push_back({kind, std::move(id), std::move(work)});
  }
  changed_.notify_all();
}

Status Jobs::Save(const Job& job) {
  return storage::UpdateAndWait(store_, {JobKey(job.kind, job.id)},
                                [&job](auto values, const auto&, storage::Batch* batch) {
                                  if (values[0]) Put(job, batch);
                                });
}

Status Jobs::Remove(JobKind kind, const std::string& id, const Also& also) {
  const std::string key = JobKey(kind, id);
  return storage::UpdateAndWait(store_, {key}, [&](auto, const auto&, storage::Batch* batch) {
    batch->Delete(key);
    if (also) also(batch);
  });
}

Result<std::optional<Job>> Jobs::Find(JobKind kind, std::string_view id) const {
  std::string stored;
  TRY_ASSIGN(const bool found, store_.Latest().Get(JobKey(kind, id), &stored));
  if (!found) return std::optional<Job>();
  TRY_ASSIGN(Job job, Decode(kind, id, stored));
  return std::optional(std::move(job));
}

Result<std::vector<Job>> Jobs::List(JobKind kind) const {
  std::vector<Job> jobs;
  const size_t id_offset = JobKey(kind, {}).size();
  const auto cursor = store_.Latest().Scan(encoding::JobsRange(static_cast<uint8_t>(kind)),
                                           storage::Direction::kForward);
  for (; cursor->Valid(); cursor->Next()) {
    TRY_ASSIGN(Job job, Decode(kind, cursor->key().substr(id_offset), cursor->value()));
    jobs.push_back(std::move(job));
  }
  TRY(cursor->status());
  return jobs;
}

void Jobs::Put(const Job& job, storage::Batch* batch) {
  batch->Put(JobKey(job.kind, job.id), Encode(job));
}

void Jobs::WaitUntilIdle() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return busy_ == 0 && NextWaiting() == waiting_.end(); });
}

std::deque<Jobs::Waiting>::iterator Jobs::NextWaiting() {
  return std::find_if(waiting_.begin(), waiting_.end(), [this](const Waiting& waiting) {
    return waiting.work || work_[static_cast<size_t>(waiting.kind)];
  });
}

void Jobs::Run(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  while (changed_.wait(lock, stop, [this] { return NextWaiting() != waiting_.end(); })) {
    const auto next = NextWaiting();
    Waiting waiting = std::move(*next);
    waiting_.erase(next);
    if (!waiting.work) waiting.work = work_[static_cast<size_t>(waiting.kind)];
    ++busy_;
    lock.unlock();
    Do(waiting, stop);
    waiting = {};  // releases what the work of the job held
    lock.lock();
    --busy_;
    changed_.notify_all();
  }
}

void Jobs::Do(const Waiting& waiting, const std::stop_token& stop) {
  auto found = Find(waiting.kind, waiting.id);
  if (!found) {
    telemetry::Log(telemetry::LogLevel::kError, "Job {} cannot be done: {}", waiting.id,
                   found.error().message());
    return;
  }
  if (!*found || (*found)->state != JobState::kRunning) return;
  Job& job = **found;
  auto made = waiting.work(job, stop);
  if (made) {
    job.record = std::move(*made);
    job.state = JobState::kDone;
  } else if (stop.stop_requested()) {
    return;
  } else {
    telemetry::Log(telemetry::LogLevel::kError, "Job {} failed: {}", job.id,
                   made.error().message());
    job.record.Set("failure", item::Value(made.error().message()));
    job.state = JobState::kFailed;
  }
  const Status saved = Save(job);
  if (saved) return;
  telemetry::Log(telemetry::LogLevel::kError,
                 "What became of job {} could not be kept; it is done again at the next start: {}",
                 job.id, saved.error().message());
}

}  // namespace monotable::engine
