#include "document/estimate/estimate.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "document/estimate/item_sizes.h"
#include "model/model.h"
#include "model/plan/read_plan.h"

namespace monotable::document {
namespace {

// The request units of single reads and writes.

// The bytes that one unit reads or writes.
inline constexpr double kReadUnit = 4096;

inline constexpr double kWriteUnit = 1024;

// Units and what they are made of.
struct Units {
  double count = 0;
  std::string how;
};

// A transaction writes each item twice, to prepare and to commit. Index entries are written once,
// after it.
constexpr double kTransactional = 2;

double WriteUnits(int64_t bytes) {
  return std::max(std::ceil(static_cast<double>(bytes) / kWriteUnit), 1.0);
}

// The units of one write, by where they go.
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

// A change of some attributes. An entry whose key changes is deleted and written again. A change of
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
    case Action::kUpsert:  // the dearer of the two
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

// The number of items that a step with `each` writes: from the rate, or else from the volumes.
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

// A write outside of operations: create, update or delete.
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

double ReadUnits(double bytes, bool consistent) {
  return std::max(std::ceil(bytes / kReadUnit), 1.0) * (consistent ? 1.0 : 0.5);
}

std::string Kilobytes(double bytes) {
  return bytes < 1024 ? fmt::format("{:.0f} bytes", bytes) : fmt::format("{:.3g} KB", bytes / 1024);
}

std::string_view Consistency(bool consistent) {
  return consistent ? "strongly consistent" : "eventually consistent";
}

Units ScanUnits(const model::Model& model, const model::EntityModel& wanted) {
  double bytes = 0;
  for (const model::EntityModel& entity : model.entities) {
    if (entity.table != wanted.table) continue;
    bytes += ItemsAfter(model, entity, model.workload->years) *
             static_cast<double>(ItemBytes(model, entity));
  }
  return {ReadUnits(bytes, false), "no key serves it: a Scan of the whole table at its largest"};
}

Units CollectionUnits(const model::Model& model, const model::PatternModel& pattern,
                      const model::WorkloadModel::Rate& rate) {
  const model::CollectionModel* collection = model.FindCollection(pattern.collection);
  const model::EntityModel* root = collection ? model.FindEntity(collection->root) : nullptr;
  if (root == nullptr) return {};
  double bytes = static_cast<double>(ItemBytes(model, *root));
  double items = 1;
  for (const model::CollectionModel::Member& member : collection->members) {
    const model::EntityModel* entity = model.FindEntity(member.entity);
    if (entity == nullptr) continue;
    const double count = member.many ? ItemsPer(model, *entity, *root) : 1;
    items += count;
    bytes += count * static_cast<double>(ItemBytes(model, *entity));
  }
  return {ReadUnits(bytes, rate.consistent),
          fmt::format("Query of {:.3g} items, {} together, {}", items, Kilobytes(bytes),
                      Consistency(rate.consistent))};
}

// The units for fetching whole items after an index found their keys. Each item is rounded up by
// itself.
Units FetchUnits(const model::Model& model, const model::EntityModel& entity, double items) {
  const double bytes = static_cast<double>(ItemBytes(model, entity));
  return {items * ReadUnits(bytes, false),
          fmt::format(" + BatchGetItem of {:.3g} {}", items, entity.name)};
}

Units QueryUnits(const model::Model& model, const model::PatternModel& pattern,
                 const model::ReadPlan& plan, const model::WorkloadModel::Rate& rate) {
  const model::ReadStep& step = plan.steps.front();
  const model::EntityModel& entity = *model.FindEntity(pattern.entity);
  const model::TableModel* table = model.FindTable(step.table);
  const model::IndexModel* index = table ? table->FindIndex(step.index) : nullptr;
  const double entry =
      static_cast<double>(index ? EntryBytes(model, entity, *index) : ItemBytes(model, entity));
  const bool consistent =
      rate.consistent && (index == nullptr || index->kind == table::IndexKind::kLocal);
  // A page that is merged from several partitions may come from any one of them, so each partition
  // is asked for a whole page.
  const double widths = static_cast<double>(std::max<size_t>(plan.fan_out_values.size(), 1));
  Units units = {
      widths * ReadUnits(rate.items * entry, consistent),
      fmt::format("{}Query of {} x {}, {}", widths > 1 ? fmt::format("{:.0f} x ", widths) : "",
                  rate.items, Kilobytes(entry), Consistency(consistent))};
  if (plan.hydrate) {
    const Units fetch = FetchUnits(model, entity, rate.items);
    units = {units.count + fetch.count, units.how + fetch.how};
  }
  const model::EntityModel* parent = pattern.parents ? model.FindEntity(entity.parent) : nullptr;
  if (parent != nullptr) {
    const Units fetch = FetchUnits(model, *parent, rate.items);
    units = {units.count + fetch.count, units.how + fetch.how};
  }
  if (!step.also_read.empty()) {
    units.how += fmt::format("; also reads {}, not counted", fmt::join(step.also_read, ", "));
  }
  return units;
}

Units PatternUnits(const model::Model& model, const model::PatternModel& pattern,
                   const model::WorkloadModel::Rate& rate) {
  if (pattern.kind == model::PatternModel::Kind::kCollection)
    return CollectionUnits(model, pattern, rate);
  const model::EntityModel* entity = model.FindEntity(pattern.entity);
  if (entity == nullptr) return {};
  const model::ReadPlan plan = model::PlanPattern(model, pattern);
  if (plan.steps.empty()) return ScanUnits(model, *entity);
  if (plan.steps.front().action != model::ReadStep::Action::kGetItem) {
    return QueryUnits(model, pattern, plan, rate);
  }
  const double bytes = static_cast<double>(ItemBytes(model, *entity));
  return {ReadUnits(bytes, rate.consistent),
          fmt::format("GetItem of {}, {}", Kilobytes(bytes), Consistency(rate.consistent))};
}

enum class Verb { kCreate, kUpdate, kDelete };

// Splits a rate such as "create Sale". There is no verb if the rate is something else.
struct PlainWrite {
  std::optional<Verb> verb;
  std::string_view entity;
};

PlainWrite ParsePlainWrite(std::string_view what) {
  const size_t space = what.find(' ');
  if (space == std::string_view::npos) return {};
  const std::string_view verb = what.substr(0, space);
  const std::string_view entity = what.substr(space + 1);
  if (verb == "create") return {Verb::kCreate, entity};
  if (verb == "update") return {Verb::kUpdate, entity};
  if (verb == "delete") return {Verb::kDelete, entity};
  return {};
}

const model::OperationModel* FindOperation(const model::Model& model, std::string_view name) {
  for (const model::OperationModel& operation : model.operations) {
    if (operation.name == name) return &operation;
  }
  return nullptr;
}

RequestEstimate Request(const model::Model& model, const model::WorkloadModel::Rate& rate,
                        const model::EntityModel& entity, bool write) {
  RequestEstimate request;
  request.what = rate.what;
  request.write = write;
  request.per_day = rate.per_day;
  request.item_bytes = static_cast<double>(ItemBytes(model, entity));
  if (write) {
    request.plain_units = std::ceil(request.item_bytes / kWriteUnit);
  } else {
    request.items = rate.items;
    request.plain_units = rate.items * request.item_bytes / kReadUnit;
  }
  return request;
}

void Fill(Units units, RequestEstimate* request) {
  request->units = units.count;
  request->how = std::move(units.how);
}

Units PlainWriteUnits(const model::Model& model, Verb verb, const model::EntityModel& entity) {
  switch (verb) {
    case Verb::kCreate:
      return CreateUnits(model, entity);
    case Verb::kUpdate:
      return UpdateUnits(model, entity);
    case Verb::kDelete:
      return DeleteUnits(model, entity);
  }
  return {};
}

std::optional<RequestEstimate> EstimateRate(const model::Model& model,
                                            const model::WorkloadModel::Rate& rate) {
  if (const model::PatternModel* pattern = model.FindPattern(rate.what)) {
    const model::EntityModel* entity = model.FindEntity(pattern->entity);
    if (entity == nullptr) return std::nullopt;
    RequestEstimate request = Request(model, rate, *entity, false);
    Fill(PatternUnits(model, *pattern, rate), &request);
    return request;
  }
  if (const model::OperationModel* operation = FindOperation(model, rate.what)) {
    if (operation->steps.empty()) return std::nullopt;
    const model::EntityModel* first = model.FindEntity(operation->steps.front().entity);
    if (first == nullptr) return std::nullopt;
    RequestEstimate request = Request(model, rate, *first, true);
    Fill(OperationUnits(model, *operation, rate), &request);
    return request;
  }
  const PlainWrite write = ParsePlainWrite(rate.what);
  const model::EntityModel* entity = model.FindEntity(write.entity);
  if (!write.verb || entity == nullptr) return std::nullopt;
  RequestEstimate request = Request(model, rate, *entity, true);
  Fill(PlainWriteUnits(model, *write.verb, *entity), &request);
  return request;
}

// Whether some rate of the workload creates items of the entity.
bool IsCreated(const model::Model& model, std::string_view entity) {
  for (const model::WorkloadModel::Rate& rate : model.workload->rates) {
    const PlainWrite write = ParsePlainWrite(rate.what);
    if (write.verb == Verb::kCreate && write.entity == entity) return true;
    const model::OperationModel* operation = FindOperation(model, rate.what);
    if (operation == nullptr) continue;
    for (const model::OperationModel::Step& step : operation->steps) {
      if (step.action == model::OperationModel::Step::Action::kPut && step.entity == entity)
        return true;
    }
  }
  return false;
}

StorageEstimate EstimateStorage(const model::Model& model, const model::EntityModel& entity) {
  StorageEstimate storage;
  storage.entity = entity.name;
  storage.items_first_year = ItemsAfter(model, entity, 1);
  storage.items_last_year = ItemsAfter(model, entity, model.workload->years);
  storage.item_bytes = static_cast<double>(ItemBytes(model, entity));
  storage.stored_bytes = storage.item_bytes + kStorageOverhead;
  const model::TableModel* table = model.FindTable(entity.table);
  if (table == nullptr) return storage;
  for (const model::IndexModel& index : table->indexes) {
    if (!IsInIndex(entity, *table, index)) continue;
    ++storage.entries;
    storage.stored_bytes +=
        static_cast<double>(EntryBytes(model, entity, index) + kStorageOverhead);
  }
  return storage;
}

}  // namespace

double Estimate::UnitsPerDay(bool writes) const {
  double units = 0;
  for (const RequestEstimate& request : requests) {
    if (request.write == writes) units += request.UnitsPerDay();
  }
  return units;
}

double Estimate::PlainUnitsPerDay(bool writes) const {
  double units = 0;
  for (const RequestEstimate& request : requests) {
    if (request.write == writes && !request.implied) {
      units += request.per_day * request.plain_units;
    }
  }
  return units;
}

double Estimate::StoredBytes(bool last_year) const {
  double bytes = 0;
  for (const StorageEstimate& each : storage) {
    bytes += each.stored_bytes * (last_year ? each.items_last_year : each.items_first_year);
  }
  return bytes;
}

double Estimate::PlainBytes(bool last_year) const {
  double bytes = 0;
  for (const StorageEstimate& each : storage) {
    bytes += each.item_bytes * (last_year ? each.items_last_year : each.items_first_year);
  }
  return bytes;
}

Estimate EstimateWorkload(const model::Model& model) {
  Estimate estimate;
  if (!model.workload) return estimate;
  estimate.years = model.workload->years;
  for (const model::WorkloadModel::Rate& rate : model.workload->rates) {
    if (auto request = EstimateRate(model, rate)) estimate.requests.push_back(std::move(*request));
  }
  for (const model::WorkloadModel::Volume& volume : model.workload->volumes) {
    const model::EntityModel* entity = model.FindEntity(volume.entity);
    if (entity == nullptr) continue;
    estimate.storage.push_back(EstimateStorage(model, *entity));
    if (volume.per_day == 0 || IsCreated(model, volume.entity)) continue;
    // Items that grow in number are written, even if no rate says so.
    model::WorkloadModel::Rate rate;
    rate.what = "create " + volume.entity;
    rate.per_day = volume.per_day;
    if (auto request = EstimateRate(model, rate)) {
      request->implied = true;
      estimate.requests.push_back(std::move(*request));
    }
  }
  return estimate;
}

}  // namespace monotable::document
