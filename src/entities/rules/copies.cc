#include "entities/rules/copies.h"

#include <algorithm>
#include <utility>

#include "encoding/keyspace.h"
#include "engine/read.h"
#include "entities/record.h"
#include "entities/rules/expressions.h"
#include "entities/rules/keys.h"
#include "entities/rules/relations.h"
#include "entities/rules/rulebook.h"
#include "entities/write/ids.h"

namespace monotable::entities {
namespace {

using model::CopyModel;

bool Differs(const Record& before, const Record& after, std::string_view path) {
  return !AreSame(FindPath(before.attributes, path), FindPath(after.attributes, path));
}

bool IsBehind(const Record& follower, const Record& source, const CopyModel& copy) {
  return !AreSame(follower.attributes.Find(copy.attribute),
                  FindPath(source.attributes, copy.source_attribute));
}

// Copies: an item has values of an item that it refers to. A live copy follows its source until it
// freezes; other copies stay as they were taken.
//
// Reads and locks: a follower loads its source (shared), so that a change of the source sees the
// follower. A changed source reads the range of its followers and loads each of them alone.
// Changes: copies of an item that comes to refer to a source, copies in the followers of a source,
// and a job for the followers that are too many for one write. Refuses: nothing itself; followers
// are checked like all changed items.
class CopiesRule final : public WriteRule {
 public:
  CopiesRule(const std::vector<CopyModel>& copies, std::vector<Followers> followers)
      : copies_(copies), followers_(std::move(followers)) {}

  std::vector<Phase> phases() const override {
    std::vector<Phase> phases;
    if (!copies_.empty()) phases = {Phase::kRelate, Phase::kRetake};
    if (!followers_.empty()) phases.push_back(Phase::kSpread);
    return phases;
  }

  Status Apply(Phase phase, Plan* plan, Slot* slot) const override {
    return phase == Phase::kSpread ? Spread(plan, *slot) : Take(plan, slot);
  }

 private:
  // An item takes its copies when it comes to refer to the source, and they follow the source until
  // they freeze. An item that gets another primary key takes its copies again, because a job may
  // have looked for the item under the old key.
  Status Take(Plan* plan, Slot* slot) const {
    const Record* old_record = slot->old_record();
    for (const CopyModel& copy : copies_) {
      const model::AttributeModel* via = slot->entity->model->Find(copy.via);
      const bool refers_anew =
          old_record == nullptr || RefersAnew(plan->application, old_record, *slot->after, *via);
      if (old_record != nullptr) {
        if (!copy.live || (!refers_anew && slot->moved_from == nullptr)) continue;
        if (copy.freeze_when) {
          TRY_ASSIGN(const bool frozen, Test(plan, *slot, *copy.freeze_when));
          if (frozen) continue;
        }
      } else if (slot->raw && slot->after->attributes.Contains(copy.attribute)) {
        continue;
      }
      TRY_ASSIGN(Slot * source, Referenced(plan, *slot, *via));
      const bool is_there = source != nullptr && source->current() != nullptr;
      if (!is_there && !refers_anew) continue;  // the item keeps the copy that it has
      const item::Value* value =
          is_there ? FindPath(source->current()->attributes, copy.source_attribute) : nullptr;
      if (source != nullptr) source->any_image = false;
      SetOrRemove(copy.attribute, value, &slot->after->attributes);
    }
    return {};
  }

  // Brings a changed value to the items that keep a live copy of it. Items that are too many for
  // one write are left to a job.
  Status Spread(Plan* plan, const Slot& slot) const {
    const Record* old_record = slot.old_record();
    if (old_record == nullptr || !slot.after) return {};
    Draft& draft = plan->draft;
    const auto job_key = CopyJobKey(*slot.entity, slot.key);
    const size_t at_once = plan->application.followers_at_once();
    bool some_left = false;
    for (Followers followers : followers_) {
      // A job of the source under its old key may not be done, so a moved source copies everything.
      if (slot.moved_from == nullptr) {
        std::erase_if(followers.copies, [&](const CopyModel* copy) {
          return !Differs(*old_record, *slot.after, copy->source_attribute);
        });
      }
      if (followers.copies.empty()) continue;
      // An earlier change is still being copied. Its job copies this one, too, so this write need
      // not wait for the followers. Only a change of the source makes a job, and the source is
      // locked.
      if (job_key) {
        TRY_ASSIGN(const auto image,
                   engine::ReadItem(draft.reader(), encoding::ItemKey(*slot.table, *job_key)));
        if (image) {
          some_left = true;
          break;
        }
      }
      std::optional<size_t> limit;
      if (job_key) limit = at_once - std::min(at_once, plan->followers);
      TRY_ASSIGN(const FoundPage page, FindFollowers(draft.engine(), draft.reader(), followers,
                                                     slot.after->attributes, limit, {}));
      plan->followers += page.items.size();
      if (page.next) some_left = true;
      TRY(GiveToFollowers(plan, slot, followers, page.items));
    }
    if (!some_left) return {};
    TRY_ASSIGN(Slot * job, draft.LoadInternal(*slot.entity, *job_key));
    job->internal =
        CopyJobItem({slot.entity, slot.key, plan->caller.name, NewUlid(plan->now_ms())});
    job->written = true;
    return {};
  }

  const std::vector<CopyModel>& copies_;    // that the entity has
  const std::vector<Followers> followers_;  // that have copies of the entity
};

}  // namespace

Status GiveToFollowers(Plan* plan, const Slot& source, const Followers& followers,
                       const std::vector<Found>& found) {
  Draft& draft = plan->draft;
  const Record& values = *source.current();
  const auto belonging = followers.relation->ValuesOf(values.attributes);
  const auto is_behind = [&](const Record& record) {
    return std::any_of(followers.copies.begin(), followers.copies.end(),
                       [&](const CopyModel* copy) { return IsBehind(record, values, *copy); });
  };
  for (const Found& one : found) {
    TRY_ASSIGN(const Slot* known, draft.FindLoaded(*followers.entity, one.item));
    if (known == nullptr) {
      // Only its source changes a copy, and the source is locked: a right copy stays right.
      TRY_ASSIGN(const item::Item item, encoding::DecodeItem(one.item.bytes));
      TRY_ASSIGN(const Record record, RecordOf(*followers.entity, item));
      if (!is_behind(record)) continue;
    }
    TRY_ASSIGN(Slot * follower,
               draft.Load(*followers.entity, one.item, KeyLocks::Mode::kExclusive));
    if (follower->current() == nullptr) continue;
    const Record& current = *follower->current();
    if (!belonging || !followers.relation->Fits(*belonging, current.attributes)) continue;
    item::Map attributes = current.attributes;
    bool changed = false;
    for (const CopyModel* copy : followers.copies) {
      if (!IsBehind(current, values, *copy)) continue;
      if (copy->freeze_when) {
        TRY_ASSIGN(const bool frozen, Test(plan, *follower, *copy->freeze_when));
        if (frozen) continue;
      }
      changed = true;
      SetOrRemove(copy->attribute, FindPath(values.attributes, copy->source_attribute),
                  &attributes);
    }
    if (changed) {
      TRY(Rewrite(plan, follower, std::move(attributes), follower->path));
    } else {
      follower->any_image = false;  // it must still be frozen when this is written
    }
  }
  return {};
}

std::unique_ptr<WriteRule> MakeCopiesRule(const Entity& entity) {
  auto followers = FollowersOf(*entity.application, entity);
  if (entity.model->copies.empty() && followers.empty()) return nullptr;
  return std::make_unique<CopiesRule>(entity.model->copies, std::move(followers));
}

}  // namespace monotable::entities
