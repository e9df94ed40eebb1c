#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "model/check/passes.h"
#include "model/plan/keys.h"

namespace monotable::model {
namespace {

bool IsMoment(const EntityModel& entity, const std::string& path) {
  const AttributeModel* attribute = FindAttribute(entity, path);
  return attribute != nullptr &&
         (attribute->type.kind == TypeKind::kInstant || attribute->type.kind == TypeKind::kDate);
}

// Why an attribute changes during an item's life; empty if nothing says that it does.
std::string WhyMutable(const Model& model, const EntityModel& entity, const std::string& path) {
  const AttributeModel* attribute = FindAttribute(entity, path);
  if (attribute == nullptr) return "";
  if (attribute->set == SetBy::kOnWrite || attribute->set == SetBy::kCallerOnWrite) {
    return "is set by every write";
  }
  if (attribute->type.kind == TypeKind::kEnum) {
    const EnumModel* type = model.FindEnum(attribute->type.enum_name);
    if (type != nullptr && type->transitions != EnumModel::Transitions::kNone) {
      return "is a state with transitions";
    }
  }
  const bool copied = std::ranges::any_of(
      entity.copies, [&](const CopyModel& copy) { return copy.live && copy.attribute == path; });
  return copied ? "is a copy that follows its source" : "";
}

// Whether two items could well have the same value, so that it does not tell them apart. Moments
// never do; enums and states do only if the model says that they are the id.
bool IsWeak(const Model& model, const EntityModel& entity, const std::string& path) {
  if (IsMoment(entity, path)) return true;
  if (entity.id && entity.id->attribute == path) return false;
  const AttributeModel* attribute = FindAttribute(entity, path);
  return attribute != nullptr &&
         (attribute->type.kind == TypeKind::kEnum || !WhyMutable(model, entity, path).empty());
}

std::string Enumerate(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

void CheckCollision(const Model& model, const EntityModel& entity, const KeyTexts& key,
                    Report* report) {
  if (entity.cardinality == Cardinality::kOne || !entity.bump_attribute.empty()) return;
  const std::vector<std::string> hash = key.hash.attributes();
  std::vector<std::string> telling = key.range ? key.range->attributes() : hash;
  if (telling.empty()) telling = hash;
  if (telling.empty()) {
    report->Warning("key_collision", entity.primary().place, SubjectOfKey(entity, ""),
                    "All items of " + entity.name +
                        " have the same primary key, so there can be "
                        "only one.",
                    "Put an id into the key, or write `cardinality: one`.");
    return;
  }
  if (entity.id && Contains(hash, entity.id->attribute)) return;
  const bool weak = std::ranges::all_of(
      telling, [&](const std::string& path) { return IsWeak(model, entity, path); });
  if (!weak) return;
  report->Warning("key_collision", entity.primary().place, SubjectOfKey(entity, ""),
                  "Two items of " + entity.name + " with the same " + Enumerate(telling) +
                      " have the same primary key, and the later one replaces the earlier.",
                  "Add an id to the key, or say what happens with on_key_conflict.");
}

void CheckMutable(const Model& model, const EntityModel& entity, const KeyTexts& key,
                  Report* report) {
  std::vector<std::string> paths = key.hash.attributes();
  if (key.range) {
    for (std::string& path : key.range->attributes()) paths.push_back(std::move(path));
  }
  for (const std::string& path : paths) {
    const AttributeModel* attribute = FindAttribute(entity, path);
    const Place place = attribute != nullptr ? attribute->place : entity.primary().place;
    const std::string why = WhyMutable(model, entity, path);
    if (!why.empty() && entity.on_key_change == KeyChange::kRefuse) {
      report->Error(
          "mutable_primary_key", place, SubjectOfKey(entity, ""),
          path + " is part of the primary key and " + why + ", but a primary key cannot change.",
          "Write `on_key_change: move`, or take it out of the key.");
    }
  }
}

// Bumping a moment by less than what is stored of it makes the same key again.
void CheckBump(const EntityModel& entity, const KeyTexts& key, Report* report) {
  if (entity.bump_attribute.empty()) return;
  const AttributeModel* attribute = FindAttribute(entity, entity.bump_attribute);
  const bool in_key = Contains(key.hash.attributes(), entity.bump_attribute) ||
                      (key.range && Contains(key.range->attributes(), entity.bump_attribute));
  if (attribute == nullptr || !in_key) {
    report->Error("bump_not_in_key", entity.place, SubjectOf(entity),
                  "on_key_conflict changes " + entity.bump_attribute +
                      ", which is not part of the primary key.",
                  "Name an instant that is.");
    return;
  }
  const TypeModel& type = attribute->type;
  if (type.kind != TypeKind::kInstant) return;
  const bool millis = type.stored == InstantForm::kEpochMillis ||
                      (type.stored == InstantForm::kIso && type.milliseconds);
  if (millis || entity.bump_ms % 1000 == 0) return;
  report->Error("bump_too_small", attribute->place, SubjectOf(entity, *attribute),
                entity.bump_attribute + " is stored in whole seconds, so " +
                    std::to_string(entity.bump_ms) + " ms more is the same key again.",
                "Store it with `precision: milliseconds`, or bump it by seconds.");
}

}  // namespace

void CheckIdentity(const Model& model, Report* report) {
  for (const EntityModel& entity : model.entities) {
    const TableModel* table = model.FindTable(entity.table);
    if (table == nullptr) continue;
    const std::optional<KeyTexts> key = KeyTextsOf(*table, entity, "");
    if (!key) continue;
    CheckCollision(model, entity, *key, report);
    CheckMutable(model, entity, *key, report);
    CheckBump(entity, *key, report);
  }
}

}  // namespace monotable::model
