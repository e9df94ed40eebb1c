#pragma once

#include <array>
#include <memory>
#include <vector>

#include "entities/rules/rule.h"

namespace monotable::entities {

// All rules of one entity, by phase. Immutable and thread-safe.
class Rulebook {
 public:
  // Compiles the model of an entity whose application is complete.
  explicit Rulebook(const Entity& entity);

  Status Fill(Plan* plan, const Filling& filling) const;
  // Applies the rules of a phase to an item, in their order, up to the first refusal.
  Status Apply(Phase phase, Plan* plan, Slot* slot) const;

 private:
  void Add(std::unique_ptr<const WriteRule> rule);

  std::vector<std::unique_ptr<const WriteRule>> rules_;
  std::array<std::vector<const WriteRule*>, kPhases> by_phase_;
};

// Each makes one rule of an entity, or nothing if the entity does not need it.
std::unique_ptr<WriteRule> MakeTenantRule(const Entity& entity);
std::unique_ptr<WriteRule> MakeDefaultsRule(const Entity& entity);
std::unique_ptr<WriteRule> MakeStatesRule(const Entity& entity);
std::unique_ptr<WriteRule> MakeChangesRule(const Entity& entity);
std::unique_ptr<WriteRule> MakeFrozenRule(const Entity& entity);
std::unique_ptr<WriteRule> MakeChoicesRule(const Entity& entity);
std::unique_ptr<WriteRule> MakeStampsRule(const Entity& entity);
std::unique_ptr<WriteRule> MakeFamilyRule(const Entity& entity);
std::unique_ptr<WriteRule> MakeReferencesRule(const Entity& entity);
std::unique_ptr<WriteRule> MakeCopiesRule(const Entity& entity);
std::unique_ptr<WriteRule> MakeDerivedRule(const Entity& entity);
std::unique_ptr<WriteRule> MakeFieldsRule(const Entity& entity);
std::unique_ptr<WriteRule> MakeAssertionsRule(const Entity& entity);
std::unique_ptr<WriteRule> MakeUniqueRule(const Entity& entity);

}  // namespace monotable::entities
