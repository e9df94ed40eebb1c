#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/engine.h"
#include "engine/write.h"
#include "entities/read/find_entities.h"
#include "entities/write/copies.h"
#include "entities/write/draft.h"
#include "entities/write/key_locks.h"
#include "entities/write/planner.h"

namespace monotable::entities {

// Brings the values of a source to all its followers, in steps that are transactions of their own
// and short for everybody else. Whoever has the pass plans a step, submits it and tells the pass
// what became of it.
//
// The pass takes a snapshot when it begins and finds the followers there, so it also meets a
// follower that changes its place in an index later. An item that comes to refer to the source
// later, or gets another primary key, takes the values of the source itself, in a write that names
// the source. Each step reads the source, its job and its followers again, and writes only if they
// have not changed. So it always copies the newest value. If the source has changed since the pass
// began, the pass goes on and then begins again, because the followers before have an older value.
// The last step removes the job.
//
// A step also takes or renews the lease of the job: the pass ends if another server has it.
//
// Not thread-safe.
class CopyPass {
 public:
  enum class Next {
    kSubmit,   // the request
    kWait,     // for locks
    kPlan,     // the next step; there was nothing to write
    kNothing,  // the job is gone, or another server does it
  };

  // The owner is a name of this server for leases.
  CopyPass(engine::Engine& engine, const Application& application, std::string owner, CopyJob job)
      : engine_(engine),
        application_(application),
        owner_(std::move(owner)),
        job_(std::move(job)) {}

  Result<Next> PlanStep(KeyLocks::Holder locks);
  engine::WriteRequest TakeRequest() { return std::move(request_); }
  KeyLocks::Holder& locks() { return draft_->locks(); }
  // Takes what became of the request. True if the job is done.
  Result<bool> TakeOutcome(Result<engine::WriteOutcome> outcome);

  // The jobs that the last step has made: a follower may be the source of others.
  const std::vector<CopyJob>& made() const { return made_; }
  // A request that lets another server have the job at once; nothing if this one does not have it.
  Result<std::optional<engine::WriteRequest>> GiveUpLease() const;

 private:
  enum class Planned { kGone, kStep };

  Result<bool> Begin();
  Status ReadPage();
  bool IsLast() const;
  Result<Planned> Plan(Planner* planner);
  // What the step does to the job itself: removes it, or renews the lease.
  void PlanJob(Slot* job, item::Item stored, bool is_over);
  void Narrow();
  void Advance();
  // Leaves out the one follower that the rules refuse, or goes on to find it.
  Status Refused(const Error& why, bool is_by_rules);

  engine::Engine& engine_;
  const Application& application_;
  const std::string owner_;
  const CopyJob job_;
  Caller caller_;
  std::string change_;  // of the source, which the pass brings to the followers
  bool again_ = false;  // the source has changed since the pass began
  std::unique_ptr<storage::Reader> snapshot_;  // null before the pass begins
  std::optional<item::Map> source_;            // its attributes
  std::vector<Followers> followers_;
  size_t current_ = 0;  // of followers_
  Position after_;      // within those
  size_t limit_ = 0;
  std::optional<FoundPage> page_;  // of the step at work
  std::optional<Draft> draft_;     // of the step at work
  engine::WriteRequest request_;
  bool removes_job_ = false;  // the step at work
  std::vector<CopyJob> made_;
};

}  // namespace monotable::entities
