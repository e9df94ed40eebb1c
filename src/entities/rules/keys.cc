#include "entities/rules/keys.h"

#include <utility>
#include <vector>

#include <fmt/format.h>

#include "entities/problem.h"
#include "entities/read/find_entities.h"
#include "entities/record.h"
#include "entities/relation.h"
#include "entities/rules/expiry.h"
#include "entities/rules/family.h"
#include "entities/rules/tenant.h"
#include "model/instant.h"

namespace monotable::entities {
namespace {

using Mode = KeyLocks::Mode;

Error AlreadyExists(const Entity& entity) {
  return Problem(ProblemCode::kAlreadyExists,
                 fmt::format("This {} exists already.", entity.name()));
}

// Another moment for an item whose key is taken.
void Bump(const Entity& entity, item::Map* attributes) {
  const std::string& name = entity.model->bump_attribute;
  const auto instant = model::ReadInstant(*attributes->Find(name));
  const model::TypeModel& type = entity.model->Find(name)->type;
  attributes->Set(name, model::StoreInstant({instant->millis + entity.model->bump_ms}, type.stored,
                                            type.milliseconds));
}

}  // namespace

Result<Slot*> PlaceAt(Plan* plan, const Entity& entity, const item::Map& attributes) {
  TRY_ASSIGN(const auto key, PrimaryKey(entity, attributes));
  if (!key) {
    std::vector<FieldProblem> missing;
    for (const auto& part : entity.model->primary().parts) {
      for (const std::string& name : part.text.attributes()) {
        if (FindPath(attributes, name) != nullptr) continue;
        missing.push_back({"/" + name, "required", name + " is a part of the key; give it."});
      }
    }
    return InvalidFields(std::move(missing));
  }
  return plan->draft.Load(entity, *key, Mode::kExclusive);
}

Result<Slot*> PlaceNew(Plan* plan, const Entity& entity, item::Map attributes,
                       const std::string& path, bool may_bump) {
  constexpr int kMaxTries = 1000;
  const bool generates = entity.model->id &&
                         entity.model->id->generate != model::IdModel::Generate::kNone &&
                         !attributes.Contains(entity.model->id->attribute);
  for (const model::IdModel& generated : entity.model->generated) {
    if (attributes.Contains(generated.attribute)) continue;
    TRY_ASSIGN(item::Value value, plan->ids.Next(entity, generated, attributes, plan->now_ms()));
    attributes.Set(generated.attribute, std::move(value));
  }
  for (int i = 0; i < kMaxTries; ++i) {
    if (generates) {
      TRY_ASSIGN(item::Value id,
                 plan->ids.Next(entity, *entity.model->id, attributes, plan->now_ms()));
      attributes.Set(entity.model->id->attribute, std::move(id));
    }
    TRY_ASSIGN(Slot * slot, PlaceAt(plan, entity, attributes));
    if (IsGone(*plan, *slot)) slot->before.reset();
    if (slot->current() == nullptr) {
      slot->written = true;
      slot->moved_away = false;  // another item has its place
      slot->after = Record{std::move(attributes), {}, 0};
      slot->path = path;
      return slot;
    }
    if (may_bump && !entity.model->bump_attribute.empty()) {
      Bump(entity, &attributes);
    } else if (!generates) {
      break;
    }
  }
  return AlreadyExists(entity);
}

Result<Slot*> FindExisting(Plan* plan, const Entity& entity, const item::Map& key) {
  Draft& draft = plan->draft;
  TRY_ASSIGN(const auto primary, PrimaryKey(entity, key));
  Slot* slot = nullptr;
  if (primary) {
    TRY_ASSIGN(slot, draft.Load(entity, *primary, Mode::kExclusive));
  } else {
    if (entity.model->cardinality != model::Cardinality::kOne || entity.parent == nullptr) {
      return PlaceAt(plan, entity, key);  // says what is missing
    }
    // A write that changes which item is the only one holds this lock as well.
    TRY(LockOnlyOne(plan, entity, key));
    const Relation& parent = *entity.relations->parent;
    const item::Map values =
        parent.KnownIn([&key](std::string_view path) { return FindPath(key, path); });
    for (const auto& known : draft.slots()) {
      if (known->entity != &entity || known->current() == nullptr) continue;
      if (parent.Fits(values, known->current()->attributes)) return known.get();
    }
    TRY_ASSIGN(const auto found,
               FindItem(draft.engine(), draft.reader(), entity, key, plan->caller));
    if (!found) return NotFound(entity.name());
    TRY_ASSIGN(slot, draft.Load(entity, found->item, Mode::kExclusive));
  }
  const Record* record = slot->current();
  if (record == nullptr || IsGone(*plan, *slot) || IsOfAnotherTenant(*plan, *record)) {
    return NotFound(entity.name());
  }
  return slot;
}

Result<Slot*> Rewrite(Plan* plan, Slot* slot, item::Map attributes, const std::string& path,
                      KeyChangeBy change) {
  const Entity& entity = *slot->entity;
  const Record& current = *slot->current();
  TRY_ASSIGN(Slot * place, PlaceAt(plan, entity, attributes));
  Record after{std::move(attributes), current.extra, current.version};
  if (place == slot) {
    slot->written = true;
    slot->after = std::move(after);
    slot->path = path;
    return slot;
  }
  if (change == KeyChangeBy::kItself && entity.model->on_key_change == model::KeyChange::kRefuse) {
    return Problem(ProblemCode::kKeyChange,
                   fmt::format("The change would give the {} another key, which its model does "
                               "not allow; delete it and create another.",
                               entity.name()));
  }
  if (place->current() != nullptr) return AlreadyExists(entity);
  place->written = true;
  place->moved_away = false;
  place->after = std::move(after);
  place->path = path;
  place->moved_from = slot;
  slot->written = true;
  slot->after.reset();
  slot->moved_away = true;
  return place;
}

Status CheckPlace(const Entity& entity, const item::Item& item) {
  TRY_ASSIGN(const Record record, RecordOf(entity, item));
  TRY_ASSIGN(const auto key, PrimaryKey(entity, record.attributes));
  if (!key) {
    return Problem(
        ProblemCode::kInvalid,
        fmt::format("The {} lacks an attribute that its key is made of.", entity.name()));
  }
  for (const item::Attribute& attribute : *key) {
    const item::Value* stored = item.Find(attribute.name);
    if (stored != nullptr && *stored == attribute.value) continue;
    return Problem(ProblemCode::kInvalid,
                   fmt::format("The key {} is not what the attributes of {} make it.",
                               attribute.name, entity.name()));
  }
  return {};
}

}  // namespace monotable::entities
