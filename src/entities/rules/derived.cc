#include <utility>

#include "entities/rules/expressions.h"
#include "entities/rules/relations.h"
#include "entities/rules/rulebook.h"

namespace monotable::entities {
namespace {

using model::AttributeModel;

// Derived values and sums: an attribute with `derive` has the value of its expression after every
// write of the item, and after every write of a member that it sums up.
//
// Reads and locks: what the expressions name; the members of a sum as a range. A member loads the
// roots of its collections alone, because all members of one root change it. Changes: derived
// attributes, and the roots of a member. Refuses: only expressions that fail.
class DerivedRule final : public WriteRule {
 public:
  DerivedRule(std::vector<const AttributeModel*> derived, std::vector<RelationPtr> roots)
      : derived_(std::move(derived)), roots_(std::move(roots)) {}

  std::vector<Phase> phases() const override {
    std::vector<Phase> phases;
    if (!derived_.empty()) phases.push_back(Phase::kDerive);
    if (!roots_.empty()) phases.push_back(Phase::kSpread);
    return phases;
  }

  Status Apply(Phase phase, Plan* plan, Slot* slot) const override {
    return phase == Phase::kDerive ? Derive(plan, slot) : FollowInRoots(plan, *slot);
  }

 private:
  // Derived values may be made of each other, so this goes on until nothing changes; a circle ends
  // after as many rounds as there are attributes.
  Status Derive(Plan* plan, Slot* slot) const {
    for (size_t round = 0; round <= derived_.size(); ++round) {
      bool changed = false;
      for (const AttributeModel* attribute : derived_) {
        TRY_ASSIGN(auto value, Evaluate(plan, *slot, *attribute->derive));
        if (value && value->is(item::Type::kNull)) value.reset();
        if (value) value = StoredAs(attribute->type, *std::move(value));
        const item::Value* current = slot->after->attributes.Find(attribute->name);
        if (value ? current != nullptr && *current == *value : current == nullptr) continue;
        changed = true;
        if (value) {
          slot->after->attributes.Set(attribute->name, std::move(*value));
        } else {
          slot->after->attributes.Remove(attribute->name);
        }
      }
      if (!changed) break;
    }
    return {};
  }

  // The sums of the roots that had and that have the item are made anew in the same write.
  Status FollowInRoots(Plan* plan, const Slot& slot) const {
    for (const RelationPtr& root : roots_) {
      for (const Record* record : {slot.current(), slot.old_record()}) {
        if (record == nullptr) continue;
        TRY_ASSIGN(Slot * above, OwnerOf(plan, *root, *record, KeyLocks::Mode::kExclusive));
        if (above == nullptr || above->current() == nullptr || above->written) continue;
        above->after = *above->current();
        above->written = true;
      }
    }
    return {};
  }

  const std::vector<const AttributeModel*> derived_;
  const std::vector<RelationPtr> roots_;  // whose derived values are made of the entity
};

}  // namespace

std::unique_ptr<WriteRule> MakeDerivedRule(const Entity& entity) {
  std::vector<const AttributeModel*> derived;
  for (const AttributeModel& attribute : entity.model->attributes) {
    if (attribute.derive) derived.push_back(&attribute);
  }
  if (derived.empty() && entity.relations->roots.empty()) return nullptr;
  return std::make_unique<DerivedRule>(std::move(derived), entity.relations->roots);
}

}  // namespace monotable::entities
