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

// On disk: never change a number.
enum class JobKind : uint8_t { kBackup = 0, kRestore = 1, kExport = 2, kImport = 3 };
enum class JobState { kRunning, kDone, kFailed };

// A piece of work that outlives its request, and what became of it. The record says what to do and
// what came out of it; its attributes are the business of the kind.
struct Job {
  JobKind kind = JobKind::kBackup;
  std::string id;
  JobState state = JobState::kRunning;
  item::Item record;
};

// Backups, restores, exports and imports: their records in the store, and the threads that do them.
// A job that a process left unfinished is done again, from its start, by the next one. Thread-safe.
class Jobs {
 public:
  // Does a job and returns its record as it shall be kept. An error ends the job as failed, with
  // the message in the attribute "failure", unless the work was asked to stop: then it stays
  // unfinished.
  using Work = std::function<Result<item::Item>(const Job& job, const std::stop_token& stop)>;

  explicit Jobs(storage::Store& store);
  ~Jobs();

  // An id that sorts by its time: milliseconds in 14 digits, a dash, 8 random hexadecimal digits,
  // as in the ARNs of the service.
  static std::string NewId(int64_t now_ms);
  // Sorts before all ids of this time and later.
  static std::string FirstId(int64_t time_ms);

  // Takes over the jobs of a kind, the unfinished ones of earlier processes first.
  Status SetWork(JobKind kind, Work work);
  // Ends the threads; work is asked to stop. Called before anything that work uses goes away.
  void Stop();

  // Keeps a new job and starts it. With an Also, more is written in the same commit. With a Work,
  // this process does the job with that, which may hold on to something that no later process has,
  // such as a moment of the store.
  using Also = std::function<void(storage::Batch* batch)>;
  Status Begin(const Job& job, const Also& also = nullptr, Work work = nullptr);
  // Starts a job that was put in place by another commit, with Put below.
  void BeginStored(JobKind kind, std::string id, Work work = nullptr);
  // Keeps what a job has come to so far; nothing if it has been removed meanwhile.
  Status Save(const Job& job);
  Status Remove(JobKind kind, const std::string& id, const Also& also = nullptr);

  Result<std::optional<Job>> Find(JobKind kind, std::string_view id) const;
  Result<std::vector<Job>> List(JobKind kind) const;  // oldest first

  // The record of a job, for commits that are made elsewhere.
  static void Put(const Job& job, storage::Batch* batch);

  // Waits until no job is being done, nor waiting for anything but the work of its kind.
  void WaitUntilIdle();

 private:
  struct Waiting {
    JobKind kind;
    std::string id;
    Work work;  // of this very job, if it has one
  };

  void Run(const std::stop_token& stop);
  void Do(const Waiting& waiting, const std::stop_token& stop);
  // With mutex_ held: the first job that can be done, or the end.
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
