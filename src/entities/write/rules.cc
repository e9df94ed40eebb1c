#include <utility>

#include <fmt/format.h>

#include "entities/problem.h"
#include "entities/write/planner.h"

// What may be written: types and required attributes, transitions of states, assertions.
namespace monotable::entities {

Status Planner::CheckTransitions(const Slot& slot) const {
  const Record* old_record = slot.old_record();
  if (old_record == nullptr) return {};
  for (const model::AttributeModel& attribute : slot.entity->model->attributes) {
    if (attribute.type.kind != model::TypeKind::kEnum) continue;
    const model::EnumModel* states = application_.model().FindEnum(attribute.type.enum_name);
    if (states == nullptr || states->transitions == model::EnumModel::Transitions::kNone) continue;
    const item::Value* from = old_record->attributes.Find(attribute.name);
    const item::Value* to = slot.after->attributes.Find(attribute.name);
    if (from == nullptr || to == nullptr || *from == *to) continue;
    if (!from->is(item::Type::kString) || !to->is(item::Type::kString)) continue;
    if (states->Allows(from->string(), to->string())) continue;
    auto detail = std::make_shared<ProblemDetail>(ProblemCode::kIllegalTransition);
    detail->allowed = states->AllowedFrom(from->string());
    detail->members = {{"from", from->string()}, {"to", to->string()}};
    detail->fields = {{slot.path + "/" + attribute.name, "transition",
                       fmt::format("{} cannot become {}.", from->string(), to->string())}};
    return Problem(std::move(detail), fmt::format("{}.{} {} cannot become {}", slot.entity->name(),
                                                  attribute.name, from->string(), to->string()));
  }
  return {};
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
