#include <utility>

#include "entities/write/planner.h"
#include "model/instant.h"

// Values that the server gives to an item: ids, defaults, stamps, derived values.
namespace monotable::entities {
namespace {

using model::AttributeModel;
using model::SetBy;

// Puts in the defaults that are literals of the model file, also those within objects.
Status FillLiterals(const Application& application, const std::vector<AttributeModel>& declared,
                    item::Map* attributes) {
  for (const AttributeModel& attribute : declared) {
    item::Value* present = attributes->Find(attribute.name);
    if (present == nullptr && attribute.default_value) {
      TRY_ASSIGN(item::Value value, DecodeParameter(application, attribute.type, attribute.name,
                                                    attribute.default_value->text));
      attributes->Set(attribute.name, std::move(value));
    } else if (present != nullptr && present->is(item::Type::kMap)) {
      TRY(FillLiterals(application, attribute.type.attributes, &present->map()));
    }
  }
  return {};
}

item::Value Now(const model::TypeModel& type, int64_t now_ms) {
  model::Instant now{now_ms};
  if (type.kind == model::TypeKind::kDate) return item::Value(model::Spell(now, "yyyy-MM-dd"));
  return model::StoreInstant(now, type.stored, type.milliseconds);
}

}  // namespace

Status Planner::FillDefaults(const Entity& entity, item::Map* attributes) {
  TRY(FillLiterals(application_, entity.model->attributes, attributes));
  for (const AttributeModel& attribute : entity.model->attributes) {
    if (attribute.type.kind != model::TypeKind::kEnum) continue;
    const model::EnumModel* values = application_.model().FindEnum(attribute.type.enum_name);
    if (values == nullptr || values->initial.empty()) continue;
    if (attributes->Contains(attribute.name)) continue;
    attributes->Set(attribute.name, item::Value(values->initial));
  }
  return {};
}

Status Planner::FillNew(const Entity& entity, item::Map* attributes) {
  TRY(FillDefaults(entity, attributes));
  Stamp(entity, nullptr, attributes);
  return {};
}

void Planner::Stamp(const Entity& entity, const Record* old_record, item::Map* attributes) const {
  for (const AttributeModel& attribute : entity.model->attributes) {
    if (attribute.set == SetBy::kClient) continue;
    if (raw_ && attributes->Contains(attribute.name)) continue;
    const bool on_create =
        attribute.set == SetBy::kOnCreate || attribute.set == SetBy::kCallerOnCreate;
    if (on_create && old_record != nullptr) {
      const item::Value* value = old_record->attributes.Find(attribute.name);
      if (value != nullptr) attributes->Set(attribute.name, *value);
      continue;
    }
    // An operation or a bumped key has set the value already.
    if (on_create && attributes->Contains(attribute.name)) continue;
    if (attribute.set == SetBy::kOnCreate || attribute.set == SetBy::kOnWrite) {
      attributes->Set(attribute.name, Now(attribute.type, draft_.now_ms()));
    } else if (!caller_.name.empty()) {
      attributes->Set(attribute.name, item::Value(caller_.name));
    }
  }
}

Status Planner::FillDefaultsFromReferences(Slot* slot) {
  if (!slot->created() && !slot->replaced) return {};
  for (const AttributeModel& attribute : slot->entity->model->attributes) {
    if (attribute.default_from.empty() || slot->after->attributes.Contains(attribute.name)) {
      continue;
    }
    const size_t dot = attribute.default_from.find('.');
    TRY_ASSIGN(Slot * source, Related(*slot, attribute.default_from.substr(0, dot)));
    if (source == nullptr || source->current() == nullptr) continue;
    const item::Value* value =
        FindPath(source->current()->attributes, attribute.default_from.substr(dot + 1));
    if (value == nullptr) continue;
    source->any_image = false;
    slot->after->attributes.Set(attribute.name, *value);
  }
  return {};
}

// Derived values may be made of each other, so this goes on until nothing changes; a circle ends
// after as many rounds as there are attributes.
Status Planner::Derive(Slot* slot) {
  const auto& attributes = slot->entity->model->attributes;
  for (size_t round = 0; round <= attributes.size(); ++round) {
    bool changed = false;
    for (const AttributeModel& attribute : attributes) {
      if (!attribute.derive) continue;
      TRY_ASSIGN(auto value, Evaluate(*slot, *attribute.derive, nullptr));
      if (value && value->is(item::Type::kNull)) {
        value.reset();
      } else if (value && value->is(item::Type::kNumber) && attribute.type.scale) {
        value = item::Value(value->number().RoundToScale(*attribute.type.scale));
      }
      const item::Value* current = slot->after->attributes.Find(attribute.name);
      if (value ? current != nullptr && *current == *value : current == nullptr) continue;
      changed = true;
      if (value) {
        slot->after->attributes.Set(attribute.name, std::move(*value));
      } else {
        slot->after->attributes.Remove(attribute.name);
      }
    }
    if (!changed) break;
  }
  return {};
}

}  // namespace monotable::entities
