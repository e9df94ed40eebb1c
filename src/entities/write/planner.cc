#include "entities/write/planner.h"

#include <utility>

#include <fmt/format.h>

#include "entities/problem.h"
#include "entities/read/find_entities.h"
#include "model/instant.h"

namespace monotable::entities {
namespace {

using Mode = KeyLocks::Mode;

Error AlreadyExists(const Entity& entity) {
  return Problem(ProblemCode::kAlreadyExists,
                 fmt::format("This {} exists already.", entity.name()));
}

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

Status Planner::InjectTenant(const Entity& entity, item::Map* attributes) const {
  const auto& tenancy = application_.model().tenancy;
  if (!tenancy || !caller_.tenant) return {};
  if (entity.model->Find(tenancy->attribute) == nullptr) return {};
  const item::Value own(*caller_.tenant);
  const item::Value* given = attributes->Find(tenancy->attribute);
  if (given != nullptr && !(*given == own)) {
    return Problem(ProblemCode::kForbidden, "This belongs to another tenant.");
  }
  attributes->Set(tenancy->attribute, own);
  return {};
}

// The slot for a key that the attributes make.
Result<Slot*> Planner::PlaceAt(const Entity& entity, const item::Map& attributes) {
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
  return draft_.Load(entity, *key, Mode::kExclusive);
}

// A new item: its id is generated, and a conflict of keys is avoided if the model says how.
Result<Slot*> Planner::PlaceNew(const Entity& entity, item::Map attributes, const std::string& path,
                                bool may_bump) {
  constexpr int kMaxTries = 1000;
  const bool generates = entity.model->id &&
                         entity.model->id->generate != model::IdModel::Generate::kNone &&
                         !attributes.Contains(entity.model->id->attribute);
  for (int i = 0; i < kMaxTries; ++i) {
    if (generates) {
      TRY_ASSIGN(item::Value id, ids_.Next(entity, draft_.now_ms()));
      attributes.Set(entity.model->id->attribute, std::move(id));
    }
    TRY_ASSIGN(Slot * slot, PlaceAt(entity, attributes));
    if (IsGone(*slot)) slot->before.reset();
    if (slot->current() == nullptr) {
      slot->written = true;
      slot->after = Record{std::move(attributes), {}, 0};
      slot->path = path;
      return slot;
    }
    if (may_bump && !entity.model->bump_attribute.empty()) {
      const std::string& name = entity.model->bump_attribute;
      const auto instant = model::ReadInstant(*attributes.Find(name));
      const model::TypeModel& type = entity.model->Find(name)->type;
      attributes.Set(name, model::StoreInstant({instant->millis + entity.model->bump_ms},
                                               type.stored, type.milliseconds));
    } else if (!generates) {
      break;
    }
  }
  return AlreadyExists(entity);
}

// An expired item that is not shown is as good as deleted.
bool Planner::IsGone(const Slot& slot) const {
  return !slot.written && slot.before &&
         IsHidden(*slot.entity, encoding::ItemView(*slot.image), draft_.now_ms());
}

// By its key, or the only one that a parent has.
Result<Slot*> Planner::FindExisting(const Entity& entity, const item::Map& key) {
  TRY_ASSIGN(const auto primary, PrimaryKey(entity, key));
  Slot* slot = nullptr;
  if (primary) {
    TRY_ASSIGN(slot, draft_.Load(entity, *primary, Mode::kExclusive));
  } else {
    if (entity.model->cardinality != model::Cardinality::kOne || entity.parent == nullptr) {
      return PlaceAt(entity, key);  // says what is missing
    }
    // A write that changes which item is the only one holds this lock as well.
    TRY(LockOnlyOne(entity, key));
    for (const auto& known : draft_.slots()) {
      if (known->entity == &entity && known->current() != nullptr) return known.get();
    }
    TRY_ASSIGN(const auto found, FindItem(draft_.engine(), draft_.reader(), entity, key, caller_));
    if (!found) return NotFound(entity.name());
    TRY_ASSIGN(slot, draft_.Load(entity, found->item, Mode::kExclusive));
  }
  const Record* record = slot->current();
  if (record == nullptr || IsGone(*slot)) return NotFound(entity.name());
  const auto& tenancy = application_.model().tenancy;
  if (tenancy && caller_.tenant) {
    const item::Value* owner = record->attributes.Find(tenancy->attribute);
    if (owner != nullptr && !(*owner == item::Value(*caller_.tenant)))
      return NotFound(entity.name());
  }
  return slot;
}

Status Planner::CheckPreconditions(const Change& change, const Slot& slot) const {
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

Result<Slot*> Planner::Rewrite(Slot* slot, item::Map attributes, const std::string& path) {
  const Entity& entity = *slot->entity;
  const Record& current = *slot->current();
  TRY_ASSIGN(Slot * place, PlaceAt(entity, attributes));
  Record after{std::move(attributes), current.extra, current.version};
  if (place == slot) {
    slot->written = true;
    slot->after = std::move(after);
    slot->path = path;
    return slot;
  }
  if (entity.model->on_key_change == model::KeyChange::kRefuse) {
    return Problem(ProblemCode::kKeyChange,
                   fmt::format("The change would give the {} another key, which its model does "
                               "not allow; delete it and create another.",
                               entity.name()));
  }
  if (place->current() != nullptr) return AlreadyExists(entity);
  place->written = true;
  place->after = std::move(after);
  place->path = path;
  place->moved_from = slot;
  slot->written = true;
  slot->after.reset();
  slot->moved_away = true;
  return place;
}

Status Planner::Create(const Change& change) {
  item::Map attributes = change.attributes;
  TRY(AddRouteKey(change.key, change.path, &attributes));
  TRY(InjectTenant(*change.entity, &attributes));
  if (change.kind == Change::Kind::kReplace) {
    item::Map key = change.key;
    TRY(InjectTenant(*change.entity, &key));
    const bool only_one = change.entity->model->cardinality == model::Cardinality::kOne;
    auto existing = FindExisting(*change.entity, only_one ? key : attributes);
    if (existing) {
      TRY(CheckPreconditions(change, **existing));
      TRY(FillDefaults(*change.entity, &attributes));
      // Values that the server has set stay until a rule changes them.
      for (const std::string& name : change.entity->read_only) {
        const item::Value* old_value = (*existing)->current()->attributes.Find(name);
        if (old_value != nullptr) attributes.Set(name, *old_value);
      }
      TRY_ASSIGN(Slot * slot, Rewrite(*existing, std::move(attributes), change.path));
      slot->replaced = true;
      results_.push_back(slot);
      return {};
    }
    const ProblemDetail* problem = ProblemOf(existing.error());
    if (problem == nullptr || problem->code != ProblemCode::kNotFound) return existing.error();
  }
  TRY(FillNew(*change.entity, &attributes));
  TRY_ASSIGN(Slot * slot, PlaceNew(*change.entity, std::move(attributes), change.path,
                                   change.kind == Change::Kind::kCreate));
  TRY(CheckPreconditions(change, *slot));
  results_.push_back(slot);
  return {};
}

Status Planner::Update(const Change& change) {
  item::Map key = change.key;
  TRY(InjectTenant(*change.entity, &key));
  TRY_ASSIGN(Slot * slot, FindExisting(*change.entity, key));
  TRY(CheckPreconditions(change, *slot));
  TRY_ASSIGN(item::Map attributes, ApplyPatch(slot->current()->attributes, change.patch));
  TRY(InjectTenant(*change.entity, &attributes));
  TRY_ASSIGN(slot, Rewrite(slot, std::move(attributes), change.path));
  results_.push_back(slot);
  return {};
}

Status Planner::Delete(const Change& change) {
  item::Map key = change.key;
  TRY(InjectTenant(*change.entity, &key));
  TRY_ASSIGN(Slot * slot, FindExisting(*change.entity, key));
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
  raw_ = true;
  TRY_ASSIGN(Slot * slot, draft_.Load(entity, key, Mode::kExclusive));
  slot->written = true;
  slot->after.reset();
  if (item) {
    TRY_ASSIGN(slot->after, RecordOf(entity, *item));
    if (slot->before) slot->after->version = slot->before->version;
  }
  results_.push_back(slot);
  return {};
}

}  // namespace monotable::entities
