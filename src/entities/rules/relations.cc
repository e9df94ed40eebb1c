#include "entities/rules/relations.h"

#include <utility>

#include "entities/read/find_entities.h"
#include "entities/record.h"

namespace monotable::entities {
namespace {

using model::AttributeModel;
using Mode = KeyLocks::Mode;

const item::Value* ValueIn(const Record* record, std::string_view name) {
  return record == nullptr ? nullptr : record->attributes.Find(name);
}

}  // namespace

bool IsSummedUp(const Entity& parent, const Entity& child) {
  for (const model::CollectionModel& collection : parent.application->model().collections) {
    if (collection.root != parent.name()) continue;
    for (const auto& member : collection.members) {
      if (member.entity != child.name()) continue;
      for (const AttributeModel& attribute : parent.model->attributes) {
        if (!attribute.derive) continue;
        for (const std::string& path : attribute.derive->aggregates()) {
          if (path.substr(0, path.find('.')) == member.name) return true;
        }
      }
    }
  }
  return false;
}

Result<Slot*> Referenced(Plan* plan, const Slot& slot, const AttributeModel& attribute) {
  Draft& draft = plan->draft;
  const Record* record = slot.current();
  const item::Value* id = ValueIn(record, attribute.name);
  const Entity* target = plan->application.Find(attribute.references);
  if (id == nullptr || target == nullptr || !target->model->id) return nullptr;
  item::Map attributes = record->attributes;
  attributes.Set(target->model->id->attribute, *id);
  TRY_ASSIGN(auto key, PrimaryKey(*target, attributes));
  if (!key) {
    for (const auto& other : draft.slots()) {
      const item::Value* own = other->entity == target
                                   ? ValueIn(other->current(), target->model->id->attribute)
                                   : nullptr;
      if (own != nullptr && *own == *id) return other.get();
    }
    TRY_ASSIGN(const auto found, FindReferring(draft.engine(), draft.reader(), *target,
                                               target->model->id->attribute, *id));
    if (found.empty()) return nullptr;
    return draft.Load(*target, found.front().item, Mode::kShared);
  }
  return draft.Load(*target, *key, Mode::kShared);
}

Result<Slot*> ParentOf(Plan* plan, const Slot& slot, Mode mode) {
  const Entity* parent = slot.entity->parent;
  const Record* record = slot.current() != nullptr ? slot.current() : slot.old_record();
  if (parent == nullptr || record == nullptr) return nullptr;
  TRY_ASSIGN(const auto key, PrimaryKey(*parent, record->attributes));
  if (!key) return nullptr;
  return plan->draft.Load(*parent, *key, mode);
}

Result<Slot*> Related(Plan* plan, const Slot& slot, std::string_view entity_name) {
  for (const AttributeModel& attribute : slot.entity->model->attributes) {
    if (attribute.references == entity_name) return Referenced(plan, slot, attribute);
  }
  if (slot.entity->parent != nullptr && slot.entity->parent->name() == entity_name) {
    return ParentOf(plan, slot, Mode::kShared);
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
  const Entity* child = nullptr;
  for (const model::CollectionModel& collection : plan->application.model().collections) {
    if (collection.root != slot.entity->name()) continue;
    for (const auto& named : collection.members) {
      if (named.name == member) child = plan->application.Find(named.entity);
    }
  }
  if (child == nullptr || slot.current() == nullptr) return records;
  TRY_ASSIGN(const auto found, FindMembers(draft.engine(), draft.reader(), *slot.entity, *child,
                                           slot.current()->attributes));
  for (const Found& one : found) {
    TRY_ASSIGN(const Slot* known, draft.FindLoaded(*child, one.item));
    if (known != nullptr) continue;  // the draft has the newer state
    TRY_ASSIGN(const item::Item item, encoding::DecodeItem(one.item.bytes));
    TRY_ASSIGN(Record record, RecordOf(*child, item));
    records.push_back(&plan->members.emplace_back(std::move(record)));
  }
  TRY_ASSIGN(const auto own_key, PrimaryKey(*slot.entity, slot.current()->attributes));
  for (const auto& other : draft.slots()) {
    if (other->entity != child || other->current() == nullptr) continue;
    TRY_ASSIGN(const auto key, PrimaryKey(*slot.entity, other->current()->attributes));
    if (key && own_key && *key == *own_key) records.push_back(other->current());
  }
  return records;
}

}  // namespace monotable::entities
