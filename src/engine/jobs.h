#pragma once

#include <array>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "error/result.h"
#include "item/value.h"
#include "storage/store.h"

namespace monotable::engine {

// The numbers are on disk, so they must never change.
enum class JobKind : uint8_t { kBackup = 0, kRestore = 1, kExport = 2, kImport = 3 };
enum class JobState { kRunning, kDone, kFailed };

// A piece of work that outlives its request, and its outcome. The record describes the work and its
// result; each kind of job defines the attributes.
struct Job {
  JobKind kind = JobKind::kBackup;
  std::string id;
  JobState state = JobState::kRunning;
  item::Item record;
};

// Backups, restores, exports and imports: their records in the store, and the threads that do them.
// If a process ends before a job is done, the next process does the job again from the start.
// Thread-safe.
class Jobs {
 public:
  // Does a job and returns the record to keep. An error ends the job as failed, with the message in
  // the attribute "failure". If the work was asked to stop, the job stays unfinished instead.
  using Work = std::function<Result<item::Item>(const Job& job, const std::stop_token& stop)>;

  explicit Jobs(storage::Store& store);
  ~Jobs();

  // An id that sorts by its time: milliseconds in 14 digits, a dash, 8 random hexadecimal digits,
  // as in the ARNs of the service.
  static std::string NewId(int64_t now_ms);
  // An id that sorts before all ids of this time and later.
  static std::string FirstId(int64_t time_ms);

  // Registers the work of a kind of job. The unfinished jobs of earlier processes are done first.
  Status SetWork(JobKind kind, Work work);
  // Asks the work to stop and ends the threads. Must be called before anything that the work uses
  // is destroyed.
  void Stop();

  // Records a new job and starts it. An Also writes more in the same commit. A Work replaces the
  // registered work in this process; it may hold something that no later process has, such as a
  // snapshot of the store.
  using Also = std::function<void(storage::Batch* batch)>;
  Status Begin(const Job& job, const Also& also = nullptr, Work work = nullptr);
  // Starts a job that another commit recorded with Put below.
  void BeginStored(JobKind kind, std::string id, Work work = nullptr);
  // Records the progress of a job; does nothing if the job has been removed meanwhile.
  Status Save(const Job& job);
  Status Remove(JobKind kind, const std::string& id, const Also& also = nullptr);

  Result<std::optional<Job>> Find(JobKind kind, std::string_view id) const;
  Result<std::vector<Job>> List(JobKind kind) const;  // oldest first

  // Writes the record of a job, for commits that are made elsewhere.
  static void Put(const Job& job, storage::Batch* batch);

  // Waits until no job is being done and all waiting jobs are of kinds without registered work.
  void WaitUntilIdle();

 private:
  struct Waiting {
    JobKind kind;
    std::string id;
    Work work;  // of this very job, if it has one
  };

  void Run(const std::stop_token& stop);
  void Do(const Waiting& waiting, const std::stop_token& stop);
  // The first job that can be done, or the end. The caller holds mutex_.
  std::deque<Waiting>::iterator NextWaiting();

  static constexpr size_t kKinds = 4;

  storage::Store& store_;
  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::array<Work, kKinds> work_;  // guarded by mutex_
  std::deque<Waiting> waiting_;    // guarded by mutex_
  size_t busy_ = 0;                // threads at work; guarded by mutex_
  bool stopped_ = false;           // guarded by mutex_
  std::vector<std::jthread> threads_;
};

}  // namespace monotable::engine
