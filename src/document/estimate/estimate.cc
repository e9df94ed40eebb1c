#include "document/estimate/estimate.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "document/estimate/size.h"
#include "document/estimate/units.h"

namespace monotable::document {
namespace {

enum class Verb { kCreate, kUpdate, kDelete };

// "create Sale" taken apart; the verb is nothing if it is no such rate.
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

// Whether some rate of the workload makes items of the entity.
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
    // What grows is written, whether the rates say so or not.
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
