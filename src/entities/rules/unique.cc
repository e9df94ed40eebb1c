#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "entities/problem.h"
#include "entities/rules/expiry.h"
#include "entities/rules/rulebook.h"
#include "entities/write/unique_values.h"

namespace monotable::entities {
namespace {

Error NotUnique(const Slot& slot, const model::UniqueModel& unique) {
  auto detail = std::make_shared<ProblemDetail>(ProblemCode::kNotUnique);
  detail->members = {{"rule", unique.name}};
  for (const model::Template& field : unique.fields) {
    for (const std::string& attribute : field.attributes()) {
      detail->fields.push_back({slot.path + "/" + attribute, "not_unique",
                                fmt::format("Another {} has this value.", slot.entity->name())});
    }
  }
  return Problem(std::move(detail), fmt::format("Another {} has the same {}.", slot.entity->name(),
                                                unique.fields.front().attributes().front()));
}

// Unique values: no two items have the same value of a `unique` rule in its scope.
//
// Reads and locks: the markers of the old and the new value, alone. Two writers of one value meet
// at its marker. The owner of a marker (shared), to see whether it still has the value. Changes:
// markers. Refuses: kNotUnique.
class UniqueRule final : public WriteRule {
 public:
  std::vector<Phase> phases() const override { return {Phase::kMark}; }

  Status Apply(Phase /*phase*/, Plan* plan, Slot* slot) const override {
    const Entity& entity = *slot->entity;
    const Record* old_record = slot->old_record();
    TRY_ASSIGN(const auto before,
               UniqueNames(entity, old_record == nullptr ? nullptr : &old_record->attributes));
    TRY_ASSIGN(const auto after,
               UniqueNames(entity, slot->after ? &slot->after->attributes : nullptr));
    for (size_t i = 0; i < after.size(); ++i) {
      if (!after[i].empty()) TRY(Take(plan, *slot, entity.model->unique[i], before[i], after[i]));
      const Slot& old_place = slot->moved_from != nullptr ? *slot->moved_from : *slot;
      if (!before[i].empty() && before[i] != after[i]) TRY(GiveBack(plan, old_place, before[i]));
    }
    // The item came to the key of one that this write deletes.
    if (slot->moved_from == nullptr || !slot->before) return {};
    TRY_ASSIGN(const auto replaced, UniqueNames(entity, &slot->before->attributes));
    for (size_t i = 0; i < replaced.size(); ++i) {
      if (!replaced[i].empty() && replaced[i] != after[i]) TRY(GiveBack(plan, *slot, replaced[i]));
    }
    return {};
  }

 private:
  // The marker of a value that stays is there, unless the item was written past the rules.
  static Status Take(Plan* plan, const Slot& slot, const model::UniqueModel& unique,
                     const std::string& before, const std::string& after) {
    const Entity& entity = *slot.entity;
    TRY_ASSIGN(Slot * marker, plan->draft.LoadInternal(entity, InternalKey(entity, after)));
    const bool take = after != before || slot.moved_from != nullptr || !marker->image;
    if (!take) return {};
    if (marker->image && !marker->written && after != before) {
      TRY_ASSIGN(const bool stale, IsStale(plan, entity, *marker, after, slot.key));
      if (!stale) return NotUnique(slot, unique);
    }
    if (marker->written && marker->internal) return NotUnique(slot, unique);  // twice in this write
    marker->internal = MarkerItem(entity, after, slot.key);
    marker->written = true;
    return {};
  }

  // The marker is deleted unless another item owns it: of two items that were written past the
  // rules, only one owns the marker.
  static Status GiveBack(Plan* plan, const Slot& old_place, const std::string& name) {
    const Entity& entity = *old_place.entity;
    TRY_ASSIGN(Slot * marker, plan->draft.LoadInternal(entity, InternalKey(entity, name)));
    if (marker->written || !marker->image) return {};
    TRY_ASSIGN(const item::Item item, encoding::DecodeItem(marker->image->bytes));
    const item::Value* owner = item.Find(kMarkerOwner);
    marker->written = owner != nullptr && *owner == item::Value(old_place.key);
    return {};
  }

  // A marker is stale if its item is gone or has another value by now. Raw deletes leave such
  // markers behind.
  static Result<bool> IsStale(Plan* plan, const Entity& entity, const Slot& marker,
                              const std::string& name, const item::Item& claimant) {
    TRY_ASSIGN(const item::Item item, encoding::DecodeItem(marker.image->bytes));
    const item::Value* owner = item.Find(kMarkerOwner);
    if (owner == nullptr || !owner->is(item::Type::kMap) || owner->map() == claimant) return true;
    TRY_ASSIGN(Slot * slot, plan->draft.Load(entity, owner->map(), KeyLocks::Mode::kShared));
    if (slot->current() == nullptr || IsGone(*plan, *slot)) return true;
    slot->any_image = false;
    TRY_ASSIGN(const auto names, UniqueNames(entity, &slot->current()->attributes));
    return std::find(names.begin(), names.end(), name) == names.end();
  }
};

}  // namespace

std::unique_ptr<WriteRule> MakeUniqueRule(const Entity& entity) {
  if (entity.model->unique.empty()) return nullptr;
  return std::make_unique<UniqueRule>();
}

}  // namespace monotable::entities
