#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "encoding/keyspace.h"
#include "engine/key_check.h"
#include "engine/read.h"
#include "entities/audit/item_audit.h"
#include "entities/audit/show.h"
#include "entities/problem.h"
#include "entities/write/copies.h"
#include "entities/write/unique_values.h"

// Internal items: markers of unique values, counters of ids and copy jobs (docs/models/rules.md).
namespace monotable::entities {
namespace {

using AuditKind = Breach::Kind;
using AuditState = Breach::State;

constexpr std::string_view kMarkers = "UNIQUE#";
constexpr std::string_view kCounters = "COUNTER#";
constexpr std::string_view kAdoption = "STATE";
constexpr std::string_view kCount = "n";
// A counter is not raised beyond this: a client may have given a number that no counter reaches.
constexpr int64_t kMaxCount = 1'000'000'000'000'000;

// The name of an internal item: its partition key without the prefix.
std::string NameOf(const model::TableModel& table, const item::Item& key) {
  const item::Value& hash = *key.Find(table.key.hash.front().name);
  const std::string& text = hash.is(item::Type::kBinary) ? hash.binary() : hash.string();
  return text.substr(kInternalPrefix.size());
}

bool HasRule(const Application& application, const model::TableModel& table,
             std::string_view marker) {
  for (const auto& entity : application.entities()) {
    if (entity->table != &table) continue;
    for (const model::UniqueModel& unique : entity->model->unique) {
      if (marker.starts_with(fmt::format("{}{}#", kMarkers, unique.name))) return true;
    }
  }
  return false;
}

}  // namespace

void ItemAudit::Remove(Slot* slot) {
  slot->written = repair_;
}

// Each unique value needs its marker, and the marker names the item.
Status ItemAudit::CompareMarkers(const Slot& slot, const Record& record, const item::Item& owner) {
  const Entity& entity = *slot.entity;
  if (entity.model->unique.empty()) return {};
  const auto names = UniqueNames(entity, &record.attributes);
  // A value that cannot be in a marker breaks its type as well.
  if (!names) return ProblemOf(names.error()) != nullptr ? Status() : names.error();
  for (size_t i = 0; i < names->size(); ++i) {
    const std::string& name = (*names)[i];
    if (name.empty()) continue;
    // A value that is too long for a key breaks its type as well.
    if (!engine::CheckKey(*audited_.table, InternalKey(entity, name))) continue;
    const std::string attribute = entity.model->unique[i].fields.front().attributes().front();
    TRY_ASSIGN(Slot * marker, draft_.LoadInternal(entity, InternalKey(entity, name)));
    std::string why = "Its unique value is not reserved: the marker is missing.";
    if (marker->image) {
      const std::string& bytes = marker->image->bytes;
      if (bytes == encoding::EncodeItem(MarkerItem(entity, name, owner)).bytes) continue;
      const bool moves = bytes == encoding::EncodeItem(MarkerItem(entity, name, slot.key)).bytes;
      if (!moves) {
        TRY_ASSIGN(const item::Item item, encoding::DecodeItem(bytes));
        const item::Value* other = item.Find(kMarkerOwner);
        const bool is_map = other != nullptr && other->is(item::Type::kMap);
        bool owned = false;
        if (is_map && !(other->map() == slot.key)) {
          TRY_ASSIGN(owned, IsOwner(other->map(), name));
        }
        if (owned) {
          Add(AuditKind::kDuplicate, AuditState::kUndecided, attribute,
              fmt::format("{} is to be unique, and the item with {} has the same value.", attribute,
                          Show(other->map())),
              "Decide which of the two items keeps the value, and change or delete the other one.");
          continue;
        }
        why = "Its unique value is reserved for another item, which does not have it.";
      } else if (!repair_) {
        continue;
      }
      if (moves) why.clear();
    }
    if (!why.empty()) {
      Add(AuditKind::kMissingMarker, AuditState::kRepairable, attribute, why,
          "The marker is made.");
    }
    if (!repair_) continue;
    marker->internal = MarkerItem(entity, name, owner);
    marker->written = true;
  }
  return {};
}

// Whether an item of the table has the unique value of a marker.
Result<bool> ItemAudit::IsOwner(const item::Item& owner, const std::string& name) {
  if (!engine::CheckKey(*audited_.table, owner)) return false;
  TRY_ASSIGN(const auto image,
             engine::ReadItem(draft_.reader(), encoding::ItemKey(*audited_.table, owner)));
  const Entity* entity =
      image ? audited_.application.Recognise(audited_.model, encoding::ItemView(*image)) : nullptr;
  if (entity == nullptr) {
    TRY(draft_.LoadInternal(audited_.first_entity, owner));
    return false;
  }
  TRY_ASSIGN(const Slot* slot, draft_.Load(*entity, *image, KeyLocks::Mode::kShared));
  if (slot->current() == nullptr) return false;
  const auto names = UniqueNames(*entity, &slot->current()->attributes);
  return names && std::ranges::find(*names, name) != names->end();
}

Status ItemAudit::LookAtInternal(Slot* slot, const item::Item& item) {
  const table::KeySchema& schema = audited_.model.key;
  const item::Value& hash = *item.Find(schema.hash.front().name);
  if (hash.is(item::Type::kString) && hash.string() == kJobsPartition) {
    return LookAtJob(slot, item);
  }
  const std::string name = NameOf(audited_.model, item);
  if (slot->key == InternalKey(audited_.first_entity, name)) {
    if (name == kAdoption) return {};
    if (name.starts_with(kMarkers)) return LookAtMarker(slot, item, name);
    if (name.starts_with(kCounters)) return LookAtStoredCounter(slot, item, name);
  }
  Add(AuditKind::kUnknownItem, AuditState::kUndecided, "",
      "The key begins with MONOTABLE#, but the server does not keep such an item.",
      "Delete the item.");
  return {};
}

Status ItemAudit::LookAtMarker(Slot* slot, const item::Item& item, const std::string& name) {
  if (!HasRule(audited_.application, audited_.model, name)) {
    if (!audited_.sharing.empty()) return {};  // it may be a rule of another model
    Add(AuditKind::kStaleMarker, AuditState::kRepairable, "",
        "The marker is of a unique rule that the model does not have.", "The marker is deleted.");
    Remove(slot);
    return {};
  }
  const item::Value* owner = item.Find(kMarkerOwner);
  const bool is_map = owner != nullptr && owner->is(item::Type::kMap);
  bool owned = false;
  if (is_map) {
    TRY_ASSIGN(owned, IsOwner(owner->map(), name));
  }
  if (owned) return {};
  Add(AuditKind::kStaleMarker, AuditState::kRepairable, "",
      is_map ? fmt::format("The marker is of the item with {}, which does not have the value.",
                           Show(owner->map()))
             : "The marker names no item.",
      "The marker is deleted.");
  Remove(slot);
  return {};
}

// A job that cannot be read, or whose source is gone, is never done.
Status ItemAudit::LookAtJob(Slot* slot, const item::Item& item) {
  const auto job = ReadCopyJob(audited_.application, item);
  const auto key = job ? CopyJobKey(*job->entity, job->source) : std::nullopt;
  if (key && *key == slot->key) {
    TRY_ASSIGN(const Slot* source, draft_.LoadInternal(*job->entity, job->source));
    if (source->image) return {};
    Add(AuditKind::kStaleJob, AuditState::kRepairable, "",
        fmt::format("The job is to copy from the {} with {}, which does not exist.",
                    job->entity->name(), Show(job->source)),
        "The job is deleted.");
    Remove(slot);
    return {};
  }
  if (!audited_.sharing.empty()) return {};  // it may be a job of another model
  Add(AuditKind::kStaleJob, AuditState::kRepairable, "",
      "The job is of an entity that the model does not have, or cannot be read.",
      "The job is deleted.");
  Remove(slot);
  return {};
}

// A counter that holds no number makes every new id fail.
Status ItemAudit::LookAtStoredCounter(Slot* slot, const item::Item& /*item*/,
                                      const std::string& name) {
  const Entity* entity = audited_.application.Find(name.substr(kCounters.size()));
  if (entity == nullptr || entity->table != &audited_.model) return {};
  if (CountedNumber(*slot->image)) return {};
  Add(AuditKind::kCounter, AuditState::kRepairable, std::string(kCount),
      fmt::format("The counter of {} holds no number.", entity->name()),
      "The counter begins again. Numbers that are in use are passed over.");
  Remove(slot);
  return {};
}

Status ItemAudit::LookAtCounter(const Entity& entity, const UsedNumber& used) {
  entity_ = &entity;
  key_ = InternalKey(entity, std::string(kCounters) + entity.name());
  TRY_ASSIGN(Slot * counter, draft_.LoadInternal(entity, key_));
  counter->any_image = false;
  int64_t count = 0;
  if (counter->image) {
    const auto number = CountedNumber(*counter->image);
    if (!number) return {};  // the counter is looked at by itself
    count = *number;
  }
  if (used.number <= count || used.number > kMaxCount) return {};
  Add(AuditKind::kCounter, AuditState::kNote, std::string(kCount),
      fmt::format("The counter of {} is at {}, below the number {} of the item with {}.",
                  entity.name(), count, used.number, Show(used.key)),
      fmt::format("The counter is set to {}.", used.number));
  if (!repair_) return {};
  item::Item raised = key_;
  if (counter->image) {
    TRY_ASSIGN(raised, encoding::DecodeItem(counter->image->bytes));
  }
  raised.Set(kCount, item::Value(item::Number::FromInt(used.number)));
  counter->internal = std::move(raised);
  counter->written = true;
  return {};
}

}  // namespace monotable::entities
