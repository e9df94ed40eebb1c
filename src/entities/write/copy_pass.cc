#include "entities/write/copy_pass.h"

#include <algorithm>
#include <future>
#include <utility>

#include "encoding/keyspace.h"
#include "engine/read.h"
#include "engine/write.h"
#include "entities/problem.h"
#include "entities/write/ids.h"
#include "telemetry/log.h"

namespace monotable::entities {

Result<bool> CopyPass::Begin(const CopyJob& job) {
  job_ = job;
  followers_.clear();
  current_ = 0;
  after_ = {};
  limit_ = kFollowersAtOnce;
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
  if (!source || !job.entity->model->id) return true;  // nobody to follow: only the job goes
  TRY_ASSIGN(const item::Item source_item, encoding::DecodeItem(source->bytes));
  TRY_ASSIGN(const Record record, RecordOf(*job.entity, source_item));
  const item::Value* id = record.attributes.Find(job.entity->model->id->attribute);
  if (id == nullptr) return true;
  id_ = *id;
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
  TRY_ASSIGN(*page_, FindReferringPage(engine_, *snapshot_, {followers.entity, followers.via, *id_},
                                       limit_, after_));
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
  limit_ = std::min(limit_ * 2, kFollowersAtOnce);
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
  // Before any lock is taken: who waits for the source gets it between two steps.
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

}  // namespace monotable::entities
