#include <algorithm>
#include <cmath>
#include <vector>

#include <fmt/format.h>

#include "document/estimate/size.h"
#include "document/estimate/units.h"

namespace monotable::document {
namespace {

// A transaction writes each item twice, to prepare and to commit. Index entries are written once,
// after it.
constexpr double kTransactional = 2;

double WriteUnits(int64_t bytes) {
  return std::max(std::ceil(static_cast<double>(bytes) / kWriteUnit), 1.0);
}

// What one write takes, apart by where it goes.
struct WriteParts {
  double table = 0;
  double indexes = 0;
  double markers = 0;  // items that keep values unique
  double counter = 0;  // the item that ids are counted in
  std::string moved;   // attributes whose change moves index entries, or the item
  bool moves_item = false;
};

Units Sum(const WriteParts& parts, bool transactional) {
  const double twice = transactional ? kTransactional : 1;
  Units units = {
      parts.table * twice + parts.indexes + parts.markers * kTransactional + parts.counter,
      fmt::format("table {:g}", parts.table * twice)};
  if (transactional) units.how += " (transaction)";
  if (parts.indexes > 0) units.how += fmt::format(", indexes {:g}", parts.indexes);
  if (!parts.moved.empty()) units.how += fmt::format(" (as {} changes)", parts.moved);
  if (parts.markers > 0) {
    units.how += fmt::format(", unique markers {:g}", parts.markers * kTransactional);
  }
  if (parts.counter > 0) units.how += fmt::format(", id counter {:g}", parts.counter);
  return units;
}

bool Uses(const model::KeyModel& key, const std::vector<std::string>& changed) {
  return std::any_of(key.parts.begin(), key.parts.end(), [&](const model::KeyModel::Part& part) {
    const std::vector<std::string> used = part.text.attributes();
    return std::any_of(used.begin(), used.end(), [&](const std::string& name) {
      return std::find(changed.begin(), changed.end(), name) != changed.end();
    });
  });
}

template <typename Visit>
void ForEachEntry(const model::Model& model, const model::EntityModel& entity, Visit visit) {
  const model::TableModel* table = model.FindTable(entity.table);
  if (table == nullptr) return;
  for (const model::IndexModel& index : table->indexes) {
    if (IsInIndex(entity, *table, index)) {
      visit(index, WriteUnits(EntryBytes(model, entity, index)));
    }
  }
}

// A put of a new item, or a delete of an old one: every entry is written once.
WriteParts WholeItem(const model::Model& model, const model::EntityModel& entity) {
  WriteParts parts;
  parts.table = WriteUnits(ItemBytes(model, entity));
  ForEachEntry(model, entity,
               [&](const model::IndexModel&, double units) { parts.indexes += units; });
  parts.markers = static_cast<double>(entity.unique.size());
  return parts;
}

WriteParts NewItem(const model::Model& model, const model::EntityModel& entity) {
  WriteParts parts = WholeItem(model, entity);
  if (entity.id && entity.id->generate == model::IdModel::Generate::kCounter) parts.counter = 1;
  return parts;
}

bool Projects(const model::IndexModel& index, const std::vector<std::string>& changed) {
  const auto& kept = index.projection.non_key_attributes;
  switch (index.projection.type) {
    case table::ProjectionType::kAll:
      return true;
    case table::ProjectionType::kKeysOnly:
      return false;
    case table::ProjectionType::kInclude:
      return std::any_of(changed.begin(), changed.end(), [&](const std::string& name) {
        return std::find(kept.begin(), kept.end(), name) != kept.end();
      });
  }
  return false;
}

// A change of some attributes. An entry whose key changes is deleted and written anew; a change of
// the primary key does that to the item and all of its entries.
WriteParts ChangedItem(const model::Model& model, const model::EntityModel& entity,
                       const std::vector<std::string>& changed) {
  WriteParts parts;
  parts.moves_item = Uses(entity.primary(), changed);
  parts.table = WriteUnits(ItemBytes(model, entity)) * (parts.moves_item ? 2 : 1);
  if (parts.moves_item) parts.moved = fmt::format("{}", fmt::join(changed, ", "));
  ForEachEntry(model, entity, [&](const model::IndexModel& index, double units) {
    const model::KeyModel* key = entity.FindKeys(index.name);
    if (parts.moves_item || (key != nullptr && Uses(*key, changed))) {
      parts.indexes += 2 * units;
      parts.moved = fmt::format("{}", fmt::join(changed, ", "));
    } else if (Projects(index, changed)) {
      parts.indexes += units;
    }
  });
  return parts;
}

// An update of an item that has a state in one of its keys is most often a change of that state.
std::vector<std::string> LikelyChange(const model::Model& model, const model::EntityModel& entity) {
  for (const model::AttributeModel& attribute : entity.attributes) {
    if (attribute.type.kind != model::TypeKind::kEnum) continue;
    const model::EnumModel* states = model.FindEnum(attribute.type.enum_name);
    if (states == nullptr || states->transitions == model::EnumModel::Transitions::kNone) continue;
    const bool in_key =
        std::any_of(entity.keys.begin(), entity.keys.end(),
                    [&](const model::KeyModel& k) { return Uses(k, {attribute.name}); });
    if (in_key) return {attribute.name};
  }
  return {};
}

WriteParts StepParts(const model::Model& model, const model::EntityModel& entity,
                     const model::OperationModel::Step& step) {
  using Action = model::OperationModel::Step::Action;
  std::vector<std::string> changed;
  for (const auto& [attribute, value] : step.set) changed.push_back(attribute);
  switch (step.action) {
    case Action::kPut:
      return NewItem(model, entity);
    case Action::kUpdate:
      return ChangedItem(model, entity, changed);
    case Action::kDelete:
      return WholeItem(model, entity);
    case Action::kMove: {
      WriteParts parts = WholeItem(model, entity);
      parts.table *= 2;
      parts.indexes *= 2;
      parts.markers = 0;
      return parts;
    }
    case Action::kCheck: {
      WriteParts parts;
      parts.table = WriteUnits(ItemBytes(model, entity));
      return parts;
    }
  }
  return {};
}

// How many items a step with `each` writes: what the rate says, or else what the volumes do.
double StepCount(const model::Model& model, const model::OperationModel& operation,
                 const model::OperationModel::Step& step, const model::WorkloadModel::Rate& rate) {
  if (step.each.empty()) return 1;
  if (rate.items > 1) return rate.items;
  const model::EntityModel* each = model.FindEntity(step.entity);
  for (const model::OperationModel::Step& other : operation.steps) {
    const model::EntityModel* parent = model.FindEntity(other.entity);
    if (other.each.empty() && parent && each) return ItemsPer(model, *each, *parent);
  }
  return 1;
}

}  // namespace

Units CreateUnits(const model::Model& model, const model::EntityModel& entity) {
  const WriteParts parts = NewItem(model, entity);
  return Sum(parts, parts.markers > 0);
}

Units UpdateUnits(const model::Model& model, const model::EntityModel& entity) {
  const WriteParts parts = ChangedItem(model, entity, LikelyChange(model, entity));
  return Sum(parts, parts.moves_item);
}

Units DeleteUnits(const model::Model& model, const model::EntityModel& entity) {
  const WriteParts parts = WholeItem(model, entity);
  return Sum(parts, parts.markers > 0);
}

Units OperationUnits(const model::Model& model, const model::OperationModel& operation,
                     const model::WorkloadModel::Rate& rate) {
  WriteParts all;
  double writes = 0;
  for (const model::OperationModel::Step& step : operation.steps) {
    const model::EntityModel* entity = model.FindEntity(step.entity);
    if (entity == nullptr) continue;
    const double count = StepCount(model, operation, step, rate);
    const WriteParts parts = StepParts(model, *entity, step);
    all.table += count * parts.table;
    all.indexes += count * parts.indexes;
    all.markers += count * parts.markers;
    all.counter += count * parts.counter;
    writes += parts.moves_item ? 2 * count : count;
    if (!parts.moved.empty()) all.moved = parts.moved;
  }
  return Sum(all, writes > 1 || all.markers > 0);
}

}  // namespace monotable::document
