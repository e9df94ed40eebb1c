#include <fmt/format.h>

#include "entities/problem.h"
#include "entities/rules/expressions.h"
#include "entities/rules/rulebook.h"

namespace monotable::entities {
namespace {

// Assertions: conditions that an item fulfils whenever it is written.
//
// Reads and locks: what the condition names: referenced items and the parent (shared), members (as
// a range). Changes: nothing. Refuses: kRuleFailed, with the name of the assertion.
class AssertionsRule final : public WriteRule {
 public:
  std::vector<Phase> phases() const override { return {Phase::kCheck}; }

  Status Apply(Phase /*phase*/, Plan* plan, Slot* slot) const override {
    for (const model::AssertModel& rule : slot->entity->model->rules) {
      if (rule.on_create_only && slot->old_record() != nullptr) continue;
      TRY_ASSIGN(const bool holds, Test(plan, *slot, rule.assertion));
      if (holds) continue;
      auto detail = std::make_shared<ProblemDetail>(ProblemCode::kRuleFailed);
      detail->members = {{"rule", rule.name}};
      return Problem(std::move(detail),
                     rule.message.empty()
                         ? fmt::format("The rule {} of {} does not hold: {}.", rule.name,
                                       slot->entity->name(), rule.assertion.text())
                         : rule.message);
    }
    return {};
  }
};

}  // namespace

std::unique_ptr<WriteRule> MakeAssertionsRule(const Entity& entity) {
  if (entity.model->rules.empty()) return nullptr;
  return std::make_unique<AssertionsRule>();
}

}  // namespace monotable::entities
