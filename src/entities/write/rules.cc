#include <utility>

#include <fmt/format.h>

#include "entities/problem.h"
#include "entities/transition.h"
#include "entities/write/planner.h"

// What may be written: types and required attributes, transitions of states, assertions.
namespace monotable::entities {

Status Planner::CheckTransitions(const Slot& slot) const {
  const Record* old_record = slot.old_record();
  if (old_record == nullptr) return {};
  const auto found =
      FindIllegalTransition(*slot.entity, old_record->attributes, slot.after->attributes);
  if (!found) return {};
  auto detail = std::make_shared<ProblemDetail>(ProblemCode::kIllegalTransition);
  detail->allowed = found->states->AllowedFrom(found->from);
  detail->members = {{"from", found->from}, {"to", found->to}};
  detail->fields = {{slot.path + "/" + found->attribute->name, "transition",
                     fmt::format("{} cannot become {}.", found->from, found->to)}};
  return Problem(std::move(detail), fmt::format("{}.{} {} cannot become {}", slot.entity->name(),
                                                found->attribute->name, found->from, found->to));
}

Status Planner::CheckFields(const Slot& slot) const {
  std::vector<FieldProblem> problems = CheckAttributes(*slot.entity, slot.after->attributes);
  const bool reject = slot.entity->model->unknown_attributes == model::UnknownAttributes::kReject;
  if (raw_ && reject) {
    for (const item::Attribute& attribute : slot.after->extra) {
      problems.push_back(
          {"/" + attribute.name, "unknown",
           fmt::format("{} has no attribute {}.", slot.entity->name(), attribute.name)});
    }
  }
  if (problems.empty()) return {};
  for (FieldProblem& problem : problems) problem.path = slot.path + problem.path;
  return InvalidFields(std::move(problems));
}

Status Planner::CheckAsserts(const Slot& slot) {
  for (const model::AssertModel& rule : slot.entity->model->rules) {
    if (rule.on_create_only && slot.old_record() != nullptr) continue;
    TRY_ASSIGN(const bool holds, Test(slot, rule.assertion));
    if (holds) continue;
    auto detail = std::make_shared<ProblemDetail>(ProblemCode::kRuleFailed);
    detail->members = {{"rule", rule.name}};
    return Problem(std::move(detail),
                   rule.message.empty()
                       ? fmt::format("The rule {} of {} does not hold: {}.", rule.name,
                                     slot.entity->name(), rule.assertion.text())
                       : rule.message);
  }
  return {};
}

}  // namespace monotable::entities
