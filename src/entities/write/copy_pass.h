#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/engine.h"
#include "entities/read/read.h"
#include "entities/write/copy_job.h"
#include "entities/write/draft.h"
#include "entities/write/key_locks.h"
#include "entities/write/planner.h"

namespace monotable::entities {

// One way along all followers of a source, in steps that are transactions of their own.
//
// The followers are those of a snapshot that is taken when the pass begins, so one that changes its
// place in an index meanwhile is met all the same. Those that come to refer to the source later, or
// get another primary key, take its values themselves, under a lock on it. Each step reads source
// and followers anew and writes only if they are still so; it also looks at the job, which a newer
// change of the source has replaced. The last step removes the job.
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

  // Nothing if there is no such job (any more).
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
  std::optional<item::Value> id_;
  std::vector<Followers> followers_;
  size_t current_ = 0;  // of followers_
  Position after_;      // within those
  size_t limit_ = kFollowersAtOnce;
  std::optional<FoundPage> page_;  // of the step at work
  std::optional<KeyLocks::Holder> woken_;
  std::vector<CopyJob> made_;
};

}  // namespace monotable::entities
