#include "entities/write/planner.h"

#include <algorithm>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "entities/problem.h"
#include "entities/rules/copies.h"
#include "entities/rules/keys.h"
#include "entities/rules/rulebook.h"
#include "entities/rules/tenant.h"

namespace monotable::entities {
namespace {

// The route names the item. A body may repeat that name, but not give another.
Status AddRouteKey(const item::Map& key, const std::string& path, item::Map* attributes) {
  for (const item::Attribute& part : key) {
    const item::Value* given = attributes->Find(part.name);
    if (given != nullptr && !(*given == part.value)) {
      return InvalidFields(
          {{path + "/" + part.name, "key", "The value differs from the path. Leave it out."}});
    }
    attributes->Set(part.name, part.value);
  }
  return {};
}

// A replacement that leaves out what it could not change keeps it.
void KeepUnchangeable(const Entity& entity, const Record& current, item::Map* attributes) {
  for (const model::AttributeModel& attribute : entity.model->attributes) {
    if (attribute.change == model::ChangePolicy::kAlways || attributes->Contains(attribute.name))
      continue;
    const item::Value* value = current.attributes.Find(attribute.name);
    if (value != nullptr) attributes->Set(attribute.name, *value);
  }
}

Status CheckPreconditions(const Change& change, const Slot& slot) {
  const Record* record = slot.before ? &*slot.before : nullptr;
  if (change.if_absent && record != nullptr) {
    return Problem(ProblemCode::kVersionMismatch,
                   "The item exists, and If-None-Match says that it must not.");
  }
  if (record == nullptr) {
    if (!change.if_version && !change.if_tag && !change.if_present) return {};
    return Problem(ProblemCode::kVersionMismatch,
                   "The item does not exist, and If-Match says that it must.");
  }
  const bool wrong_version = change.if_version && *change.if_version != record->version;
  const bool wrong_tag =
      change.if_tag &&
      *change.if_tag != EntityTag(*slot.entity, encoding::ItemView(slot.image->bytes));
  if (!wrong_version && !wrong_tag) return {};
  return Changed(EntityTag(*slot.entity, encoding::ItemView(slot.image->bytes)));
}

}  // namespace

Error Changed(const std::string& current_tag) {
  auto detail = std::make_shared<ProblemDetail>(ProblemCode::kVersionMismatch);
  detail->members.emplace_back("current", current_tag);
  return Problem(std::move(detail),
                 "The item has changed since it was read. Read it again and repeat the change.");
}

Status Located(Status status, const item::Map& route, const std::string& body_path) {
  const ProblemDetail* problem = status ? nullptr : ProblemOf(status.error());
  if (problem == nullptr) return status;
  auto located = std::make_shared<ProblemDetail>(*problem);
  for (FieldProblem& field : located->fields) {
    if (field.code != "key_text" && field.code != "required") continue;
    if (!field.path.starts_with('/') || !field.path.starts_with(body_path)) {
      field.path = body_path + field.path;
    } else if (field.code == "key_text" && route.Contains(field.path.substr(1))) {
      field.path.erase(0, 1);
    }
  }
  return Problem(std::move(located), status.error().message());
}

Status Planner::Create(const Change& change) {
  item::Map attributes = change.attributes;
  TRY(AddRouteKey(change.key, change.path, &attributes));
  TRY(InjectTenant(plan_, *change.entity, &attributes));
  if (change.kind == Change::Kind::kReplace) {
    item::Map key = change.key;
    TRY(InjectTenant(plan_, *change.entity, &key));
    const bool only_one = change.entity->model->cardinality == model::Cardinality::kOne;
    auto existing = FindExisting(&plan_, *change.entity, only_one ? key : attributes);
    if (existing) {
      TRY(CheckPreconditions(change, **existing));
      KeepUnchangeable(*change.entity, *(*existing)->current(), &attributes);
      TRY(change.entity->rules->Fill(&plan_, {*change.entity, &attributes, /*is_new=*/false}));
      // Values that the server has set stay until a rule changes them.
      for (const std::string& name : change.entity->read_only) {
        const item::Value* old_value = (*existing)->current()->attributes.Find(name);
        if (old_value != nullptr) attributes.Set(name, *old_value);
      }
      TRY_ASSIGN(Slot * slot, Rewrite(&plan_, *existing, std::move(attributes), change.path));
      slot->replaced = true;
      results_.push_back(slot);
      return {};
    }
    const ProblemDetail* problem = ProblemOf(existing.error());
    if (problem == nullptr || problem->code != ProblemCode::kNotFound) return existing.error();
  }
  TRY(change.entity->rules->Fill(&plan_, {*change.entity, &attributes, /*is_new=*/true}));
  TRY_ASSIGN(Slot * slot, PlaceNew(&plan_, *change.entity, std::move(attributes), change.path,
                                   change.kind == Change::Kind::kCreate));
  TRY(CheckPreconditions(change, *slot));
  results_.push_back(slot);
  return {};
}

Status Planner::Update(const Change& change) {
  item::Map key = change.key;
  TRY(InjectTenant(plan_, *change.entity, &key));
  TRY_ASSIGN(Slot * slot, FindExisting(&plan_, *change.entity, key));
  TRY(CheckPreconditions(change, *slot));
  TRY_ASSIGN(item::Map attributes, ApplyPatch(slot->current()->attributes, change.patch));
  TRY(InjectTenant(plan_, *change.entity, &attributes));
  TRY_ASSIGN(slot, Rewrite(&plan_, slot, std::move(attributes), change.path));
  results_.push_back(slot);
  return {};
}

Status Planner::Delete(const Change& change) {
  item::Map key = change.key;
  TRY(InjectTenant(plan_, *change.entity, &key));
  TRY_ASSIGN(Slot * slot, FindExisting(&plan_, *change.entity, key));
  TRY(CheckPreconditions(change, *slot));
  slot->path = change.path;
  results_.push_back(slot);
  if (change.kind == Change::Kind::kCheck) {
    slot->any_image = false;
    return {};
  }
  slot->written = true;
  slot->after.reset();
  slot->cascade = change.cascade;
  return {};
}

Status Planner::AddChange(const Change& change) {
  switch (change.kind) {
    case Change::Kind::kCreate:
    case Change::Kind::kReplace:
      return Located(Create(change), change.key, change.path);
    case Change::Kind::kUpdate:
      return Located(Update(change), change.key, change.path);
    case Change::Kind::kDelete:
    case Change::Kind::kCheck:
      return Located(Delete(change), change.key, change.path);
  }
  return {};
}

Status Planner::AddRaw(const Entity& entity, const item::Item& key,
                       std::optional<item::Item> item) {
  plan_.raw = true;
  TRY_ASSIGN(Slot * slot, plan_.draft.Load(entity, key, KeyLocks::Mode::kExclusive));
  slot->written = true;
  slot->raw = true;
  slot->after.reset();
  if (item) {
    TRY_ASSIGN(slot->after, RecordOf(entity, *item));
    if (slot->before) slot->after->version = slot->before->version;
  }
  results_.push_back(slot);
  return {};
}

Status Planner::AddFollowers(const Slot& source, const Followers& followers,
                             const std::vector<Found>& found) {
  return GiveToFollowers(&plan_, source, followers, found);
}

Status Planner::Settle(Slot* slot) {
  const Rulebook& rules = *slot->entity->rules;
  if (!slot->after) return {};
  TRY(rules.Apply(Phase::kRelate, &plan_, slot));
  return rules.Apply(Phase::kDerive, &plan_, slot);
}

// An item that the write leaves as it is is not written. Any other gets its version and its stamps,
// and is checked.
Status Planner::Conclude(Slot* slot) {
  if (!slot->after) return {};
  const Record* old_record = slot->old_record();
  const bool same = old_record != nullptr && slot->moved_from == nullptr &&
                    old_record->attributes == slot->after->attributes &&
                    old_record->extra == slot->after->extra;
  if (same && !slot->raw) {
    slot->written = false;
    slot->any_image = false;
    slot->alone = true;  // its sums are the same only as long as its members are
    slot->after.reset();
    return {};
  }
  const Rulebook& rules = *slot->entity->rules;
  TRY(rules.Apply(Phase::kStamp, &plan_, slot));
  if (!slot->entity->table->version_attribute.empty()) ++slot->after->version;
  return rules.Apply(Phase::kCheck, &plan_, slot);
}

// New slots appear while the loops run: cascaded members, parents, followers of copies.
Status Planner::Finish() {
  const auto& slots = plan_.draft.slots();
  const auto for_each_change = [&](auto act) -> Status {
    for (size_t i = 0; i < slots.size(); ++i) {
      Slot* slot = slots[i].get();
      if (slot->entity != nullptr && slot->written) TRY(act(slot));
    }
    return {};
  };
  const auto apply = [&](Phase phase) {
    return [this, phase](Slot* slot) { return slot->entity->rules->Apply(phase, &plan_, slot); };
  };
  // Deletes come first: a cascade may delete what another change of this write has touched, and
  // that has members, too.
  std::set<const Slot*> removed;
  for (bool more = true; std::exchange(more, false);) {
    TRY(for_each_change([&](Slot* slot) -> Status {
      if (!slot->deleted() || !removed.insert(slot).second) return {};
      more = true;
      return apply(Phase::kRemove)(slot);
    }));
  }
  const auto complete = [&](Phase phase) {
    return [&apply, phase](Slot* slot) { return slot->after ? apply(phase)(slot) : Status(); };
  };
  const bool several = std::count_if(slots.begin(), slots.end(), [](const auto& slot) {
                         return slot->entity != nullptr && slot->written;
                       }) > 1;
  TRY(for_each_change([this](Slot* slot) { return Settle(slot); }));
  TRY(for_each_change(apply(Phase::kSpread)));
  // An item may have taken values from one that was derived after it.
  if (several) TRY(for_each_change(complete(Phase::kRetake)));
  // Sums see all members now; other derived values may be made of copies that came late.
  TRY(for_each_change(complete(Phase::kDerive)));
  TRY(for_each_change([this](Slot* slot) { return Conclude(slot); }));
  return for_each_change(
      [&](Slot* slot) { return slot->moved_away ? Status() : apply(Phase::kMark)(slot); });
}

}  // namespace monotable::entities
