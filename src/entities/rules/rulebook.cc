#include "entities/rules/rulebook.h"

#include <utility>

namespace monotable::entities {

// The order is that within each phase: what an item refers to comes before what it copies from
// there, and values have their types before transitions and assertions compare them.
Rulebook::Rulebook(const Entity& entity) {
  for (const auto make :
       {MakeTenantRule, MakeDefaultsRule, MakeStampsRule, MakeFieldsRule, MakeFrozenRule,
        MakeChangesRule, MakeChoicesRule, MakeStatesRule, MakeFamilyRule, MakeReferencesRule,
        MakeCopiesRule, MakeDerivedRule, MakeAssertionsRule, MakeUniqueRule}) {
    if (auto rule = make(entity)) Add(std::move(rule));
  }
}

void Rulebook::Add(std::unique_ptr<const WriteRule> rule) {
  for (const Phase phase : rule->phases()) {
    by_phase_[static_cast<size_t>(phase)].push_back(rule.get());
  }
  rules_.push_back(std::move(rule));
}

Status Rulebook::Fill(Plan* plan, const Filling& filling) const {
  for (const WriteRule* rule : by_phase_[static_cast<size_t>(Phase::kFill)]) {
    TRY(rule->Fill(plan, filling));
  }
  return {};
}

Status Rulebook::Apply(Phase phase, Plan* plan, Slot* slot) const {
  for (const WriteRule* rule : by_phase_[static_cast<size_t>(phase)]) {
    TRY(rule->Apply(phase, plan, slot));
  }
  return {};
}

}  // namespace monotable::entities
