#include <utility>

#include <fmt/format.h>

#include "encoding/keyspace.h"
#include "entities/problem.h"
#include "entities/read/find_entities.h"
#include "entities/write/planner.h"
#include "model/instant.h"

// Other items that a rule looks at or that have to follow: references, parents, members.
namespace monotable::entities {
namespace {

using model::AttributeModel;
using Mode = KeyLocks::Mode;

const item::Value* ValueIn(const Record* record, std::string_view name) {
  return record == nullptr ? nullptr : record->attributes.Find(name);
}

bool Differs(const Record* old_record, const Record& record, std::string_view name) {
  const item::Value* before = ValueIn(old_record, name);
  const item::Value* after = record.attributes.Find(name);
  if (before == nullptr || after == nullptr) return before != after;
  return !(*before == *after);
}

// Whether a derived value of the parent is made of the members of this entity.
bool IsSummedUp(const Application& application, const Entity& parent, const Entity& child) {
  for (const model::CollectionModel& collection : application.model().collections) {
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

}  // namespace

// What an attribute refers to: by its key if the attributes make one, else through an index that
// is made of the id alone. Null if the attribute is not set or the item does not exist.
Result<Slot*> Planner::Referenced(const Slot& slot, const AttributeModel& attribute) {
  const Record* record = slot.current();
  const item::Value* id = ValueIn(record, attribute.name);
  const Entity* target = application_.Find(attribute.references);
  if (id == nullptr || target == nullptr || !target->model->id) return nullptr;
  item::Map attributes = record->attributes;
  attributes.Set(target->model->id->attribute, *id);
  TRY_ASSIGN(auto key, PrimaryKey(*target, attributes));
  if (!key) {
    for (const auto& other : draft_.slots()) {
      const item::Value* own = other->entity == target
                                   ? ValueIn(other->current(), target->model->id->attribute)
                                   : nullptr;
      if (own != nullptr && *own == *id) return other.get();
    }
    TRY_ASSIGN(const auto found, FindReferring(draft_.engine(), draft_.reader(), *target,
                                               target->model->id->attribute, *id));
    if (found.empty()) return nullptr;
    return draft_.Load(*target, found.front().item, Mode::kShared);
  }
  return draft_.Load(*target, *key, Mode::kShared);
}

// Null if the entity has no parent, or if its attributes do not make the parent's key.
Result<Slot*> Planner::ParentOf(const Slot& slot, Mode mode) {
  const Entity* parent = slot.entity->parent;
  const Record* record = slot.current() != nullptr ? slot.current() : slot.old_record();
  if (parent == nullptr || record == nullptr) return nullptr;
  TRY_ASSIGN(const auto key, PrimaryKey(*parent, record->attributes));
  if (!key) return nullptr;
  return draft_.Load(*parent, *key, mode);
}

Result<Slot*> Planner::Related(const Slot& slot, std::string_view entity_name) {
  for (const AttributeModel& attribute : slot.entity->model->attributes) {
    if (attribute.references == entity_name) return Referenced(slot, attribute);
  }
  if (slot.entity->parent != nullptr && slot.entity->parent->name() == entity_name) {
    return ParentOf(slot, Mode::kShared);
  }
  for (auto other = draft_.slots().rbegin(); other != draft_.slots().rend(); ++other) {
    const Slot& candidate = **other;
    if (candidate.entity != nullptr && candidate.entity->name() == entity_name &&
        candidate.current() != nullptr) {
      return other->get();
    }
  }
  return nullptr;
}

// The items of a member of the collection whose root this is, as the draft leaves them.
Result<std::vector<const Record*>> Planner::Members(const Slot& slot, std::string_view member) {
  std::vector<const Record*> records;
  const Entity* child = nullptr;
  for (const model::CollectionModel& collection : application_.model().collections) {
    if (collection.root != slot.entity->name()) continue;
    for (const auto& named : collection.members) {
      if (named.name == member) child = application_.Find(named.entity);
    }
  }
  if (child == nullptr || slot.current() == nullptr) return records;
  TRY_ASSIGN(const auto found, FindMembers(draft_.engine(), draft_.reader(), *slot.entity, *child,
                                           slot.current()->attributes));
  for (const Found& one : found) {
    TRY_ASSIGN(const Slot* known, draft_.FindLoaded(*child, one.item));
    if (known != nullptr) continue;  // the draft has the newer state
    TRY_ASSIGN(const item::Item item, encoding::DecodeItem(one.item.bytes));
    TRY_ASSIGN(Record record, RecordOf(*child, item));
    read_members_.push_back(std::make_unique<Record>(std::move(record)));
    records.push_back(read_members_.back().get());
  }
  TRY_ASSIGN(const auto own_key, PrimaryKey(*slot.entity, slot.current()->attributes));
  for (const auto& other : draft_.slots()) {
    if (other->entity != child || other->current() == nullptr) continue;
    TRY_ASSIGN(const auto key, PrimaryKey(*slot.entity, other->current()->attributes));
    if (key && own_key && *key == *own_key) records.push_back(other->current());
  }
  return records;
}

Result<std::optional<item::Value>> Planner::Evaluate(const Slot& slot, const model::Rule& rule,
                                                     const item::Map* inputs) {
  Status failed;
  std::vector<std::unique_ptr<item::Value>> made;
  model::Rule::Scope scope;
  scope.now = model::StoreInstant({draft_.now_ms()}, model::InstantForm::kIso, true);
  scope.find = [&](std::string_view path) -> const item::Value* {
    constexpr std::string_view kInput = "input.";
    if (inputs != nullptr && path.starts_with(kInput)) {
      return FindPath(*inputs, path.substr(kInput.size()));
    }
    const Record* record = slot.current() != nullptr ? slot.current() : slot.old_record();
    const item::Value* value = record == nullptr ? nullptr : FindPath(record->attributes, path);
    const size_t dot = path.find('.');
    if (value != nullptr || dot == std::string_view::npos) return value;
    auto related = Related(slot, path.substr(0, dot));
    if (!related) {
      failed = std::move(related).error();
      return nullptr;
    }
    if (*related == nullptr || (*related)->current() == nullptr) return nullptr;
    (*related)->any_image = false;
    return FindPath((*related)->current()->attributes, path.substr(dot + 1));
  };
  scope.find_all = [&](std::string_view path) {
    std::vector<const item::Value*> values;
    const size_t dot = path.find('.');
    auto members = Members(slot, path.substr(0, dot));
    if (!members) {
      failed = std::move(members).error();
      return values;
    }
    for (const Record* member : *members) {
      if (dot == std::string_view::npos) {
        made.push_back(std::make_unique<item::Value>(true));  // only counted
        values.push_back(made.back().get());
      } else if (const item::Value* value = FindPath(member->attributes, path.substr(dot + 1))) {
        values.push_back(value);
      }
    }
    return values;
  };
  auto value = rule.Evaluate(scope);
  if (!failed) return std::move(failed).error();
  if (!value) return Problem(ProblemCode::kRuleFailed, value.error().message());
  return std::move(*value);
}

Result<bool> Planner::Test(const Slot& slot, const model::Rule& rule) {
  TRY_ASSIGN(const auto value, Evaluate(slot, rule, nullptr));
  return value && value->is(item::Type::kBool) && value->boolean();
}

Status Planner::CheckReferences(Slot* slot) {
  std::vector<FieldProblem> missing;
  for (const AttributeModel& attribute : slot->entity->model->attributes) {
    if (attribute.references.empty()) continue;
    if (!Differs(slot->old_record(), *slot->after, attribute.name)) continue;
    const item::Value* id = slot->after->attributes.Find(attribute.name);
    if (id == nullptr) continue;
    TRY_ASSIGN(const Slot* target, Referenced(*slot, attribute));
    if (target != nullptr && target->current() != nullptr) continue;
    missing.push_back({slot->path + "/" + attribute.name, "missing_reference",
                       fmt::format("There is no {} of this id.", attribute.references)});
  }
  if (missing.empty()) return {};
  auto detail = std::make_shared<ProblemDetail>(ProblemCode::kMissingReference);
  detail->fields = std::move(missing);
  std::string sentence = detail->fields.front().message;
  return Problem(std::move(detail), std::move(sentence));
}

// A child that comes to a parent, as a new item or by a move, needs that parent. The write names
// the parent's key even if the child stays with it, so that a delete of the parent sees the child.
Status Planner::CheckParent(Slot* slot) {
  if (!slot->created() && slot->moved_from == nullptr) return {};
  // The lock is exclusive from the start: two writes that first share it and then both want it
  // alone would be in each other's way.
  const bool summed_up = slot->entity->parent != nullptr &&
                         IsSummedUp(application_, *slot->entity->parent, *slot->entity);
  TRY_ASSIGN(const Slot* parent, ParentOf(*slot, summed_up ? Mode::kExclusive : Mode::kShared));
  if (parent == nullptr || parent->current() != nullptr) return {};
  if (const Record* old_record = slot->old_record()) {
    TRY_ASSIGN(const auto key_before, PrimaryKey(*slot->entity->parent, old_record->attributes));
    if (key_before && *key_before == parent->key) return {};
  }
  return Problem(ProblemCode::kMissingReference,
                 fmt::format("There is no {} that the {} could belong to.",
                             slot->entity->parent->name(), slot->entity->name()));
}

Status Planner::LockOnlyOne(const Entity& entity, const item::Map& attributes) {
  TRY_ASSIGN(const auto key, PrimaryKey(*entity.parent, attributes));
  if (!key) return {};
  TRY_ASSIGN(const engine::TablePtr table, draft_.engine().FindTable(entity.parent->table_name));
  return draft_.Lock("one " + entity.name() + " " + encoding::ItemKey(*table, *key));
}

// cardinality: one. Another one may have another key, so this is about a range of keys.
Status Planner::CheckOnlyOne(Slot* slot) {
  const Entity& entity = *slot->entity;
  if (entity.model->cardinality != model::Cardinality::kOne || entity.parent == nullptr) return {};
  if (slot->before || !slot->after) return {};  // only a new key can be a second one
  TRY(LockOnlyOne(entity, slot->after->attributes));
  TRY_ASSIGN(const auto found, FindMembers(draft_.engine(), draft_.reader(), *entity.parent, entity,
                                           slot->after->attributes));
  for (const Found& one : found) {
    TRY_ASSIGN(const Slot* known, draft_.FindLoaded(entity, one.item));
    if (known != nullptr && known->current() == nullptr) continue;  // this write deletes it
    if (known == slot) continue;
    return Problem(ProblemCode::kAlreadyExists,
                   fmt::format("The {} has its {} already; change that one.", entity.parent->name(),
                               entity.name()));
  }
  return {};
}

// Sums in the parent are made anew in the same write.
Status Planner::FollowInParent(Slot* slot) {
  const Entity* parent = slot->entity->parent;
  if (parent == nullptr || !IsSummedUp(application_, *parent, *slot->entity)) return {};
  TRY_ASSIGN(Slot * above, ParentOf(*slot, Mode::kExclusive));
  if (above == nullptr || above->current() == nullptr || above->written) return {};
  above->after = *above->current();
  above->written = true;
  return {};
}

}  // namespace monotable::entities
