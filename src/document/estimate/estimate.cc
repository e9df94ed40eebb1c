#include "document/estimate/estimate.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>

#include <fmt/format.h>

#include "document/estimate/item_sizes.h"
#include "document/estimate/write_units.h"
#include "model/model.h"
#include "model/plan/read_plan.h"

namespace monotable::document {
namespace {

// The bytes that one unit reads or writes.
constexpr double kReadUnit = 4096;
constexpr double kPlainWriteUnit = 1024;

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
    request.plain_units = std::ceil(request.item_bytes / kPlainWriteUnit);
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
  Fill(WriteUnitsOf(model, *write.verb, *entity, rate), &request);
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
