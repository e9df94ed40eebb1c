#include "document/estimate/write_units.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "document/estimate/item_sizes.h"
#include "document/estimate/write_items.h"

namespace monotable::document {
namespace {

using Did = WriteItem::Action;
using Step = model::OperationModel::Step;

constexpr double kWriteUnit = 1024;  // bytes

// A transaction writes and checks each item twice, to prepare and to commit. Index entries are
// written once, after it.
constexpr double kTransactional = 2;

double UnitsOfBytes(int64_t bytes) {
  return std::max(std::ceil(static_cast<double>(bytes) / kWriteUnit), 1.0);
}

bool Projects(const model::IndexModel& index, const std::set<std::string>& changed) {
  const auto& kept = index.projection.non_key_attributes;
  switch (index.projection.type) {
    case table::ProjectionType::kAll:
      return true;
    case table::ProjectionType::kKeysOnly:
      return false;
    case table::ProjectionType::kInclude:
      return std::any_of(kept.begin(), kept.end(),
                         [&](const std::string& name) { return changed.contains(name); });
  }
  return false;
}

// How many times an item's entry in an index is written. An entry whose key changes is deleted and
// written again. A change of the primary key does that to all entries.
double EntryWrites(const WriteItem& item, const model::IndexModel& index) {
  if (item.action == Did::kPut || item.action == Did::kDelete) return 1;
  if (item.action == Did::kMove) return 2;
  if (item.action == Did::kCheck) return 0;
  const model::KeyModel* key = item.entity->FindKeys(index.name);
  if (key != nullptr) {
    if (UsesAny(*key, item.changed)) return 2;
    // A condition decides whether the item is in the index: it may come or go, which is one write.
    if (key->when && !Projects(index, item.changed)) {
      const auto& paths = key->when->paths();
      return std::any_of(paths.begin(), paths.end(),
                         [&](const std::string& path) { return item.changed.contains(path); })
                 ? 1
                 : 0;
    }
  }
  return Projects(index, item.changed) ? 1 : 0;
}

double IndexUnits(const model::Model& model, const WriteItem& item) {
  const model::TableModel* table = model.FindTable(item.entity->table);
  if (table == nullptr || item.marker) return 0;
  double units = 0;
  for (const model::IndexModel& index : table->indexes) {
    if (!IsInIndex(*item.entity, *table, index)) continue;
    units += EntryWrites(item, index) * UnitsOfBytes(EntryBytes(model, *item.entity, index));
  }
  return item.count * units;
}

void AddName(const std::string& name, std::vector<std::string>* names) {
  if (std::find(names->begin(), names->end(), name) == names->end()) names->push_back(name);
}

// Names the entities with their numbers: Sale, 3 SaleLine.
std::string CountedName(const WriteItem& item) {
  if (item.count == 1) return item.entity->name;
  return fmt::format("{:.3g} {}", item.count, item.entity->name);
}

// The units of all items of a write, by where they go.
class WriteBill {
 public:
  WriteBill(const model::Model& model, const WriteItems& write) {
    for (const WriteItem& item : write.items()) Add(model, item);
    counter_ = write.counted();
  }

  Units Total() const {
    const bool transaction = items_ > 1;
    const double twice = transaction ? kTransactional : 1;
    Units units = {(table_ + checks_ + markers_) * twice + indexes_ + counter_,
                   fmt::format("table {:g}", table_ * twice)};
    if (transaction) units.how += fmt::format(" (transaction of {})", fmt::join(written_, ", "));
    if (indexes_ > 0) units.how += fmt::format(", indexes {:g}", indexes_);
    if (!moved_.empty()) units.how += fmt::format(" (as {} changes)", fmt::join(moved_, ", "));
    if (checks_ > 0) {
      units.how += fmt::format(", checks of {} {:g}", fmt::join(checked_, ", "), checks_ * twice);
    }
    if (markers_ > 0) units.how += fmt::format(", unique markers {:g}", markers_ * twice);
    if (counter_ > 0) units.how += fmt::format(", id counter {:g}", counter_);
    return units;
  }

 private:
  void Add(const model::Model& model, const WriteItem& item) {
    const double places = item.action == Did::kMove ? 2 : 1;
    items_ += places * item.count;
    if (item.marker) {
      markers_ += places * item.count;
      return;
    }
    const double units = places * item.count * UnitsOfBytes(ItemBytes(model, *item.entity));
    if (item.action == Did::kCheck) {
      checks_ += units;
      AddName(item.entity->name, &checked_);
      return;
    }
    table_ += units;
    AddName(CountedName(item), &written_);
    indexes_ += IndexUnits(model, item);
    AddMoved(item);
  }

  // The attributes whose change moves the item or its entries.
  void AddMoved(const WriteItem& item) {
    if (item.action != Did::kChange && item.action != Did::kMove) return;
    for (const model::KeyModel& key : item.entity->keys) {
      for (const std::string& name : item.changed) {
        if (UsesAny(key, {name})) AddName(name, &moved_);
      }
    }
  }

  double items_ = 0;
  double table_ = 0;
  double checks_ = 0;
  double indexes_ = 0;
  double markers_ = 0;  // items that keep values unique
  double counter_ = 0;  // writes of the items that ids are counted in
  std::vector<std::string> written_;
  std::vector<std::string> checked_;
  std::vector<std::string> moved_;
};

// An update of an item that has a state in one of its keys is most often a change of that state.
std::set<std::string> LikelyChange(const model::Model& model, const model::EntityModel& entity) {
  std::set<std::string> changed = SummedUp(model, entity);
  std::erase_if(changed,
                [&](const std::string& name) { return UsesAny(entity.primary(), {name}); });
  for (const model::AttributeModel& attribute : entity.attributes) {
    if (attribute.type.kind != model::TypeKind::kEnum) continue;
    const model::EnumModel* states = model.FindEnum(attribute.type.enum_name);
    if (states == nullptr || states->transitions == model::EnumModel::Transitions::kNone) continue;
    const bool in_key =
        std::any_of(entity.keys.begin(), entity.keys.end(),
                    [&](const model::KeyModel& key) { return UsesAny(key, {attribute.name}); });
    if (!in_key) continue;
    changed.insert(attribute.name);
    break;
  }
  return changed;
}

// The number of items that a step with `each` writes: from the rate, or else from the volumes.
double StepCount(const model::Model& model, const model::OperationModel& operation,
                 const Step& step, const model::WorkloadModel::Rate& rate) {
  if (step.each.empty()) return 1;
  if (rate.items > 1) return rate.items;
  const model::EntityModel* each = model.FindEntity(step.entity);
  for (const Step& other : operation.steps) {
    const model::EntityModel* parent = model.FindEntity(other.entity);
    if (other.each.empty() && parent && each) return ItemsPer(model, *each, *parent);
  }
  return 1;
}

// The attributes that a step may change. A body may have every attribute but those of the key.
std::set<std::string> StepChange(const model::EntityModel& entity, const Step& step) {
  std::set<std::string> changed;
  for (const auto& [attribute, value] : step.set) changed.insert(attribute);
  if (step.from.empty()) return changed;
  for (const model::AttributeModel& attribute : entity.attributes) {
    if (!UsesAny(entity.primary(), {attribute.name})) changed.insert(attribute.name);
  }
  return changed;
}

}  // namespace

Units WriteUnitsOf(const model::Model& model, Verb verb, const model::EntityModel& entity,
                   const model::WorkloadModel::Rate& rate) {
  WriteItems write(model);
  if (rate.items > 1) write.set_followers(rate.items);
  switch (verb) {
    case Verb::kCreate:
      write.Create(entity, 1);
      break;
    case Verb::kUpdate:
      write.Update(entity, LikelyChange(model, entity), 1);
      break;
    case Verb::kDelete:
      write.Delete(entity, 1, true);
      break;
  }
  return WriteBill(model, write).Total();
}

Units OperationUnits(const model::Model& model, const model::OperationModel& operation,
                     const model::WorkloadModel::Rate& rate) {
  WriteItems write(model);
  if (rate.items > 1) write.set_followers(rate.items);
  for (const Step& step : operation.steps) {
    const model::EntityModel* entity = model.FindEntity(step.entity);
    if (entity == nullptr) continue;
    switch (step.action) {
      case Step::Action::kPut:
      case Step::Action::kUpsert:  // the dearer of its two forms
        write.Create(*entity, StepCount(model, operation, step, rate));
        break;
      case Step::Action::kUpdate:
      case Step::Action::kMove:
        write.Update(*entity, StepChange(*entity, step), 1);
        break;
      case Step::Action::kDelete:
        write.Delete(*entity, 1, false);
        break;
      case Step::Action::kCheck:
        write.Check(*entity);
        break;
    }
  }
  return WriteBill(model, write).Total();
}

}  // namespace monotable::document
