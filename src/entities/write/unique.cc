#include "entities/write/unique.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "entities/problem.h"
#include "entities/write/internal_item.h"
#include "entities/write/planner.h"
#include "model/template/filters.h"

// Unique values: each has a marker item of its own, whose key is the value. Two writers of one
// value meet at the marker.
namespace monotable::entities {
namespace {

constexpr std::string_view kOwner = "owner";

// The marker's name; nothing if a value is missing, which is then not unique with anything.
Result<std::optional<std::string>> MarkerName(const model::UniqueModel& unique,
                                              const item::Map& attributes) {
  std::string name = "UNIQUE#" + unique.name;
  for (const std::string& scope : unique.scope) {
    const item::Value* value = FindPath(attributes, scope);
    if (value == nullptr) return std::optional<std::string>();
    name += "#" + model::Escape(value->is(item::Type::kString)   ? value->string()
                                : value->is(item::Type::kNumber) ? value->number().ToString()
                                                                 : std::string());
  }
  for (const model::Template& field : unique.fields) {
    const auto text =
        field.Render([&](std::string_view path) { return FindPath(attributes, path); }, {});
    if (!text) return Problem(ProblemCode::kInvalid, text.error().message());
    if (!*text) return std::optional<std::string>();
    name += "#" + model::Escape(**text);
  }
  return std::optional(std::move(name));
}

Error NotUnique(const Slot& slot, const model::UniqueModel& unique) {
  auto detail = std::make_shared<ProblemDetail>(ProblemCode::kNotUnique);
  detail->members = {{"rule", unique.name}};
  for (const model::Template& field : unique.fields) {
    for (const std::string& attribute : field.attributes()) {
      detail->fields.push_back({slot.path + "/" + attribute, "not_unique",
                                fmt::format("Another {} has this value.", slot.entity->name())});
    }
  }
  return Problem(std::move(detail), fmt::format("Another {} has the same {}.", slot.entity->name(),
                                                unique.fields.front().attributes().front()));
}

}  // namespace

Result<std::vector<std::string>> UniqueNames(const Entity& entity, const item::Map* attributes) {
  std::vector<std::string> names;
  for (const model::UniqueModel& unique : entity.model->unique) {
    std::optional<std::string> name;
    if (attributes != nullptr) {
      TRY_ASSIGN(name, MarkerName(unique, *attributes));
    }
    names.push_back(name.value_or(""));
  }
  return names;
}

item::Item MarkerItem(const Entity& entity, const std::string& name, const item::Item& owner) {
  item::Item marker = InternalKey(entity, name);
  marker.Set(kOwner, item::Value(owner));
  return marker;
}

// A marker whose item is gone, or has another value by now, marks nothing: raw deletes and expiry
// leave such markers behind.
Result<bool> Planner::IsStale(const Entity& entity, const Slot& marker, const std::string& name,
                              const item::Item& claimant) {
  TRY_ASSIGN(const item::Item item, encoding::DecodeItem(marker.image->bytes));
  const item::Value* owner = item.Find(kOwner);
  if (owner == nullptr || !owner->is(item::Type::kMap) || owner->map() == claimant) return true;
  TRY_ASSIGN(Slot * slot, draft_.Load(entity, owner->map(), KeyLocks::Mode::kShared));
  if (slot->current() == nullptr || IsGone(*slot)) return true;
  slot->any_image = false;
  TRY_ASSIGN(const auto names, UniqueNames(entity, &slot->current()->attributes));
  return std::find(names.begin(), names.end(), name) == names.end();
}

Status Planner::KeepUnique(Slot* slot) {
  const Entity& entity = *slot->entity;
  if (entity.model->unique.empty()) return {};
  const Record* old_record = slot->old_record();
  TRY_ASSIGN(const auto before,
             UniqueNames(entity, old_record == nullptr ? nullptr : &old_record->attributes));
  TRY_ASSIGN(const auto after,
             UniqueNames(entity, slot->after ? &slot->after->attributes : nullptr));
  for (size_t i = 0; i < after.size(); ++i) {
    const bool moved = slot->moved_from != nullptr;
    // The marker of a value that stays is there, unless the item was written past the rules.
    if (!after[i].empty()) {
      TRY_ASSIGN(Slot * marker, draft_.LoadInternal(entity, InternalKey(entity, after[i])));
      bool take = after[i] != before[i] || moved || !marker->image;
      if (take && marker->image && !marker->written && after[i] != before[i]) {
        TRY_ASSIGN(const bool stale, IsStale(entity, *marker, after[i], slot->key));
        if (!stale) return NotUnique(*slot, entity.model->unique[i]);
      }
      if (marker->written && marker->internal && take) {
        return NotUnique(*slot, entity.model->unique[i]);  // twice in this very write
      }
      if (take) {
        marker->internal = MarkerItem(entity, after[i], slot->key);
        marker->written = true;
      }
    }
    if (!before[i].empty() && before[i] != after[i]) {
      TRY_ASSIGN(Slot * marker, draft_.LoadInternal(entity, InternalKey(entity, before[i])));
      // It goes, unless it is another's: of two that were written past the rules one has it.
      if (marker->written || !marker->image) continue;
      const Slot& old_place = moved ? *slot->moved_from : *slot;
      TRY_ASSIGN(const item::Item item, encoding::DecodeItem(marker->image->bytes));
      const item::Value* owner = item.Find(kOwner);
      marker->written = owner != nullptr && *owner == item::Value(old_place.key);
    }
  }
  return {};
}

}  // namespace monotable::entities
