#include "entities/write/copy_pass.h"

#include <algorithm>
#include <utility>

#include "encoding/keyspace.h"
#include "engine/read.h"
#include "entities/problem.h"
#include "entities/write/ids.h"
#include "entities/write/lease.h"
#include "telemetry/log.h"

namespace monotable::entities {
namespace {

// A step is short, because writes of the source and of the followers wait for it.
constexpr size_t kStepItems = 128;
constexpr size_t kStepBytes = size_t{256} << 10;

}  // namespace

Result<bool> CopyPass::Begin() {
  TRY_ASSIGN(const engine::TablePtr table, engine_.FindTable(job_.entity->table_name));
  auto snapshot = engine_.store().Snapshot();
  const auto key = CopyJobKey(*job_.entity, job_.source);
  if (!key) return false;
  TRY_ASSIGN(const auto image, engine::ReadItem(*snapshot, encoding::ItemKey(*table, *key)));
  if (!image) return false;
  TRY_ASSIGN(const item::Item item, encoding::DecodeItem(image->bytes));
  const auto stored = ReadCopyJob(application_, item);
  if (!stored) return false;
  caller_.name = stored->by;
  change_ = stored->change;
  again_ = false;
  source_.reset();
  followers_.clear();
  current_ = 0;
  after_ = {};
  limit_ = std::min(kStepItems, application_.followers_at_once());
  page_.reset();
  TRY_ASSIGN(const auto source,
             engine::ReadItem(*snapshot, encoding::ItemKey(*table, job_.source)));
  snapshot_ = std::move(snapshot);
  if (!source) return true;  // without a source only the job is removed
  TRY_ASSIGN(const item::Item source_item, encoding::DecodeItem(source->bytes));
  TRY_ASSIGN(Record record, RecordOf(*job_.entity, source_item));
  source_ = std::move(record.attributes);
  followers_ = FollowersOf(application_, *job_.entity);
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
  TRY_ASSIGN(*page_, FindFollowers(engine_, *snapshot_, followers, *source_, limit_, after_));
  size_t bytes = 0;
  for (const Found& found : page_->items) bytes += found.item.bytes.size();
  if (bytes <= kStepBytes || page_->items.size() == 1) return {};
  limit_ = std::max<size_t>(1, page_->items.size() * kStepBytes / bytes);
  TRY_ASSIGN(*page_, FindFollowers(engine_, *snapshot_, followers, *source_, limit_, after_));
  return {};
}

// A step of fewer followers is less often overtaken, and in the end shows which of them is the one
// that the rules refuse.
void CopyPass::Narrow() {
  limit_ = std::max<size_t>(page_->items.size() / 2, 1);
  page_.reset();
}

void CopyPass::Advance() {
  if (IsLast()) {
    snapshot_.reset();  // the next step begins anew
    return;
  }
  if (page_->next) {
    after_ = *std::move(page_->next);
  } else {
    ++current_;
    after_ = {};
  }
  page_.reset();
  limit_ = std::min({limit_ * 2, kStepItems, application_.followers_at_once()});
}

Status CopyPass::Refused(const Error& why, bool is_by_rules) {
  if (!is_by_rules || page_->items.empty()) return why;
  if (page_->items.size() > 1) {
    Narrow();
    return {};
  }
  const Entity& entity = *followers_[current_].entity;
  TRY_ASSIGN(const item::Item refused, encoding::DecodeItem(page_->items.front().item.bytes));
  telemetry::Log(telemetry::LogLevel::kWarning,
                 "{} {} keeps an old copy of its {}, because the rules refuse the new one: {}",
                 entity.name(), KeyTexts(entity, refused), job_.entity->name(), why.message());
  page_->items.clear();
  return {};
}

void CopyPass::PlanJob(Slot* job, item::Item stored, bool is_over) {
  const bool made_anew = job->internal.has_value();  // by this very step
  removes_job_ = is_over && !made_anew;
  if (removes_job_) {
    job->written = true;
    return;
  }
  if (made_anew) {
    again_ = true;
    stored = *job->internal;
  }
  const int64_t now_ms = draft_->now_ms();
  const auto lease = ReadLease(stored);
  if (lease && lease->owner == owner_ && lease->until_ms - now_ms > kLeaseMs / 2) return;
  SetLease({owner_, now_ms + kLeaseMs}, &stored);
  job->internal = std::move(stored);
  job->written = true;
}

Result<CopyPass::Planned> CopyPass::Plan(Planner* planner) {
  TRY_ASSIGN(Slot * source, draft_->Load(*job_.entity, job_.source, KeyLocks::Mode::kShared));
  source->any_image = false;
  TRY_ASSIGN(Slot * job,
             draft_->LoadInternal(*job_.entity, *CopyJobKey(*job_.entity, job_.source)));
  job->any_image = false;
  if (!job->image) return Planned::kGone;
  TRY_ASSIGN(item::Item stored, encoding::DecodeItem(job->image->bytes));
  const auto lease = ReadLease(stored);
  if (lease && lease->KeepsOut(owner_, draft_->now_ms())) return Planned::kGone;
  const auto current = ReadCopyJob(application_, stored);
  if (!current) return Planned::kGone;
  if (current->change != change_) {
    change_ = current->change;
    caller_.name = current->by;
    again_ = true;
  }
  const bool is_gone = source->current() == nullptr;
  if (!is_gone && !page_->items.empty()) {
    TRY(planner->AddFollowers(*source, followers_[current_], page_->items));
    TRY(planner->Finish());
  }
  PlanJob(job, std::move(stored), is_gone || (IsLast() && !again_));
  return Planned::kStep;
}

Result<CopyPass::Next> CopyPass::PlanStep(KeyLocks::Holder locks) {
  made_.clear();
  if (snapshot_ == nullptr) {
    TRY_ASSIGN(const bool is_there, Begin());
    if (!is_there) return Next::kNothing;
  }
  TRY(ReadPage());
  draft_.emplace(engine_, std::move(locks), engine_.clock().NowMs());
  Ids ids;
  Planner planner(application_, caller_, &ids, &*draft_);
  const auto planned = Plan(&planner);
  if (draft_->blocked()) return Next::kWait;
  if (planned && *planned == Planned::kGone) {
    draft_.reset();
    return Next::kNothing;
  }
  auto request = planned ? draft_->Build() : Result<engine::WriteRequest>(planned.error());
  if (!request) {
    draft_.reset();
    TRY(Refused(request.error(), ProblemOf(request.error()) != nullptr));
    return Next::kPlan;
  }
  const bool is_empty = std::none_of(draft_->slots().begin(), draft_->slots().end(),
                                     [](const auto& slot) { return slot->written; });
  if (is_empty) {
    draft_.reset();
    Advance();
    return Next::kPlan;
  }
  request_ = *std::move(request);
  return Next::kSubmit;
}

Result<bool> CopyPass::TakeOutcome(Result<engine::WriteOutcome> outcome) {
  const auto release = [this] { draft_.reset(); };
  if (!outcome) {
    release();
    if (outcome.error().code() != ErrorCode::kTransactionConflict)
      return std::move(outcome).error();
    Narrow();
    return false;
  }
  for (const engine::ItemOutcome& item : outcome->items) {
    if (!item.error) continue;
    release();
    TRY(Refused(*item.error, true));
    return false;
  }
  for (CopyJob& job : CopyJobsOf(application_, *draft_)) {
    const bool is_own = job.entity == job_.entity && job.source == job_.source;
    if (!is_own) made_.push_back(std::move(job));
  }
  release();
  if (removes_job_) return true;
  Advance();
  return false;
}

Result<std::optional<engine::WriteRequest>> CopyPass::GiveUpLease() const {
  std::optional<engine::WriteRequest> request;
  TRY_ASSIGN(const engine::TablePtr table, engine_.FindTable(job_.entity->table_name));
  const item::Item key = *CopyJobKey(*job_.entity, job_.source);
  TRY_ASSIGN(const auto image,
             engine::ReadItem(engine_.store().Latest(), encoding::ItemKey(*table, key)));
  if (!image) return request;
  TRY_ASSIGN(item::Item item, encoding::DecodeItem(image->bytes));
  const auto lease = ReadLease(item);
  if (!lease || lease->owner != owner_) return request;
  RemoveLease(&item);
  request.emplace();
  engine::ItemWrite& write = request->items.emplace_back();
  write.table = table;
  write.table_name = table->name;
  write.key = key;
  write.put = encoding::EncodeItem(item);
  write.seen.emplace();
  write.seen->image = image->bytes;
  return request;
}

}  // namespace monotable::entities
