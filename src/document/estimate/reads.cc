#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "document/estimate/size.h"
#include "document/estimate/units.h"
#include "model/plan/plan.h"

namespace monotable::document {
namespace {

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

// Fetching whole items after an index found their keys: each is rounded up by itself.
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
  // A page that is merged from several partitions may come from any one of them, so each is asked
  // for all of it.
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

}  // namespace

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

}  // namespace monotable::document
