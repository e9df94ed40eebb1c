#include <utility>

#include <fmt/format.h>

#include "entities/problem.h"
#include "entities/read/pattern_reader.h"
#include "entities/record.h"
#include "entities/write/planner.h"

// Makes the changes of a draft whole, in rounds: each item by itself, then what follows from it in
// other items, then the checks of the result.
namespace monotable::entities {

// Everything about an item that follows from its own attributes and from the items it refers to.
Status Planner::Settle(Slot* slot) {
  if (slot->deleted()) return CheckDelete(slot);
  if (!slot->after) return {};
  TRY(CheckParent(slot));
  TRY(CheckOnlyOne(slot));
  TRY(CheckReferences(slot));
  TRY(FillDefaultsFromReferences(slot));
  TRY(Copy(slot));
  return Derive(slot);
}

// An item that others refer to, or that has members, is not deleted without them.
Status Planner::CheckDelete(Slot* slot) {
  const Entity& entity = *slot->entity;
  if (!slot->before) return {};
  const item::Map& attributes = slot->before->attributes;
  if (expires_ && !entity.model->cascade_collection) return {};
  if (!entity.model->restrict_delete_if.empty() && !expires_) {
    const model::PatternModel* pattern =
        application_.model().FindPattern(entity.model->restrict_delete_if);
    TRY_ASSIGN(const bool used,
               FindsAnything(draft_.engine(), draft_.reader(), application_, *pattern, attributes));
    if (used) {
      auto detail = std::make_shared<ProblemDetail>(ProblemCode::kRestricted);
      detail->members = {{"pattern", pattern->name}};
      return Problem(std::move(detail), fmt::format("The {} is still in use: {} finds something.",
                                                    entity.name(), pattern->name));
    }
  }
  for (const auto& child : application_.entities()) {
    if (child->parent != &entity) continue;
    TRY_ASSIGN(const auto members,
               FindMembers(draft_.engine(), draft_.reader(), entity, *child, attributes));
    for (const Found& member : members) {
      TRY_ASSIGN(Slot * below, draft_.Load(*child, member.item, KeyLocks::Mode::kExclusive));
      if (below->current() == nullptr) continue;
      if ((!slot->cascade && !expires_) || !entity.model->cascade_collection) {
        return Problem(ProblemCode::kRestricted,
                       fmt::format("The {} still has its {}; {}.", entity.name(), child->name(),
                                   entity.model->cascade_collection && !raw_
                                       ? "delete it with ?cascade=collection"
                                       : "delete them first"));
      }
      below->written = true;
      below->after.reset();
      below->cascade = true;
    }
  }
  return {};
}

// Sets the version and the stamps of an item that changes, and checks whether it may be written.
Status Planner::Conclude(Slot* slot) {
  if (!slot->after) return {};
  const Record* old_record = slot->old_record();
  const bool same = old_record != nullptr && slot->moved_from == nullptr &&
                    old_record->attributes == slot->after->attributes &&
                    old_record->extra == slot->after->extra;
  if (same && !raw_) {
    slot->written = false;
    slot->any_image = false;
    slot->alone = true;  // its sums are the same only as long as its members are
    slot->after.reset();
    return {};
  }
  Stamp(*slot->entity, old_record, &slot->after->attributes);
  if (!slot->entity->table->version_attribute.empty()) ++slot->after->version;
  TRY(CheckFields(*slot));
  TRY(CheckTransitions(*slot));
  return CheckAsserts(*slot);
}

Status Planner::Finish() {
  // New slots appear while this loop runs: cascaded members, parents, followers of copies.
  for (size_t i = 0; i < draft_.slots().size(); ++i) {
    Slot* slot = draft_.slots()[i].get();
    if (slot->entity != nullptr && slot->written) TRY(Settle(slot));
  }
  for (size_t i = 0; i < draft_.slots().size(); ++i) {
    Slot* slot = draft_.slots()[i].get();
    if (slot->entity == nullptr || !slot->written) continue;
    TRY(FanOutCopies(slot));
    TRY(FollowInParent(slot));
  }
  // Sums see all members now; other derived values may be made of copies that came late.
  for (size_t i = 0; i < draft_.slots().size(); ++i) {
    Slot* slot = draft_.slots()[i].get();
    if (slot->entity != nullptr && slot->written && slot->after) TRY(Derive(slot));
  }
  for (size_t i = 0; i < draft_.slots().size(); ++i) {
    Slot* slot = draft_.slots()[i].get();
    if (slot->entity != nullptr && slot->written) TRY(Conclude(slot));
  }
  for (size_t i = 0; i < draft_.slots().size(); ++i) {
    Slot* slot = draft_.slots()[i].get();
    if (slot->entity != nullptr && slot->written && !slot->moved_away) TRY(KeepUnique(slot));
  }
  return {};
}

// What may be written: types and required attributes, transitions of states, assertions.

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
