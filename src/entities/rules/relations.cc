#include "entities/rules/relations.h"

#include <utility>

#include "entities/problem.h"
#include "entities/read/find_entities.h"
#include "entities/record.h"
#include "entities/rules/tenant.h"

namespace monotable::entities {
namespace {

using model::AttributeModel;
using Mode = KeyLocks::Mode;

}  // namespace

bool RefersAnew(const Application& application, const Record* old_record, const Record& record,
                const model::AttributeModel& attribute) {
  const auto differs = [&](std::string_view name) {
    const item::Value* before = old_record == nullptr ? nullptr : old_record->attributes.Find(name);
    return !AreSame(before, record.attributes.Find(name));
  };
  if (differs(attribute.name)) return true;
  const Entity* target = application.Find(attribute.references);
  if (target == nullptr) return false;
  for (const auto& part : target->model->primary().parts) {
    for (const std::string& name : part.text.attributes()) {
      const bool is_id = target->model->id && name == target->model->id->attribute;
      if (!is_id && differs(name)) return true;
    }
  }
  return false;
}

Result<Slot*> Referenced(Plan* plan, const Slot& slot, const AttributeModel& attribute) {
  Draft& draft = plan->draft;
  const Record* record = slot.current();
  if (record == nullptr || record->attributes.Find(attribute.name) == nullptr) return nullptr;
  const Relation& relation = *slot.entity->relations->references.find(attribute.name)->second;
  const Entity& target = relation.to();
  const auto values = relation.ValuesOf(record->attributes);
  if (!values) return nullptr;
  const auto is_meant = [&](const Slot& one) {
    const Record* current = one.current();
    return current != nullptr && relation.Fits(*values, current->attributes) &&
           !IsOfAnotherTenant(*plan, *current);
  };
  if (relation.plan().is_whole) {
    const auto key = PrimaryKey(target, *values);
    if (!key && ProblemOf(key.error()) == nullptr) return key.error();
    if (!key || !*key) return nullptr;  // no item can have such an id
    TRY_ASSIGN(Slot * found, draft.Load(target, **key, Mode::kShared));
    return is_meant(*found) ? found : nullptr;
  }
  for (const auto& other : draft.slots()) {
    if (other->entity == &target && is_meant(*other)) return other.get();
  }
  TRY_ASSIGN(const FoundPage page, FindRelated(draft.engine(), draft.reader(), relation, *values));
  for (const Found& one : page.items) {
    TRY_ASSIGN(Slot * found, draft.Load(target, one.item, Mode::kShared));
    if (is_meant(*found)) return found;
  }
  return nullptr;
}

Result<Slot*> OwnerOf(Plan* plan, const Relation& relation, const Record& record, Mode mode) {
  const auto owner = relation.OwnerOf(record.attributes);
  if (!owner) return nullptr;
  TRY_ASSIGN(const auto key, PrimaryKey(relation.from(), *owner));
  if (!key) return nullptr;
  return plan->draft.Load(relation.from(), *key, mode);
}

bool Owns(const Plan& plan, const Relation& relation, const Slot& owner, const Record& record) {
  if (owner.current() == nullptr || IsOfAnotherTenant(plan, *owner.current())) return false;
  const auto values = relation.ValuesOf(owner.current()->attributes);
  return values && relation.Fits(*values, record.attributes);
}

Result<Slot*> Related(Plan* plan, const Slot& slot, std::string_view entity_name) {
  for (const AttributeModel& attribute : slot.entity->model->attributes) {
    if (attribute.references == entity_name) return Referenced(plan, slot, attribute);
  }
  const RelationPtr& parent = slot.entity->relations->parent;
  if (parent != nullptr && parent->from().name() == entity_name) {
    const Record* record = slot.current() != nullptr ? slot.current() : slot.old_record();
    if (record == nullptr) return nullptr;
    TRY_ASSIGN(Slot * owner, OwnerOf(plan, *parent, *record, Mode::kShared));
    return owner != nullptr && Owns(*plan, *parent, *owner, *record) ? owner : nullptr;
  }
  const auto& slots = plan->draft.slots();
  for (auto other = slots.rbegin(); other != slots.rend(); ++other) {
    const Slot& candidate = **other;
    if (candidate.entity != nullptr && candidate.entity->name() == entity_name &&
        candidate.current() != nullptr) {
      return other->get();
    }
  }
  return nullptr;
}

Result<std::vector<const Record*>> Members(Plan* plan, const Slot& slot, std::string_view member) {
  Draft& draft = plan->draft;
  std::vector<const Record*> records;
  const auto found = slot.entity->relations->members.find(member);
  if (found == slot.entity->relations->members.end() || slot.current() == nullptr) return records;
  const Relation& relation = *found->second;
  const Entity& child = relation.to();
  const auto values = relation.ValuesOf(slot.current()->attributes);
  if (!values) return records;
  TRY_ASSIGN(const FoundPage page, FindRelated(draft.engine(), draft.reader(), relation, *values));
  for (const Found& one : page.items) {
    TRY_ASSIGN(const Slot* known, draft.FindLoaded(child, one.item));
    if (known != nullptr) continue;  // the draft has the newer state
    TRY_ASSIGN(const item::Item item, encoding::DecodeItem(one.item.bytes));
    TRY_ASSIGN(Record record, RecordOf(child, item));
    records.push_back(&plan->members.emplace_back(std::move(record)));
  }
  for (const auto& other : draft.slots()) {
    if (other->entity != &child || other->current() == nullptr) continue;
    if (relation.Fits(*values, other->current()->attributes)) records.push_back(other->current());
  }
  return records;
}

}  // namespace monotable::entities
