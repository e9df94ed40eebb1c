#include <algorithm>
#include <cstddef>
#include <utility>

#include "model/load/context.h"
#include "model/load/quantity.h"
#include "model/load/reader.h"
#include "model/load/rule.h"

// The sections tenancy, workload and alarms.
namespace monotable::model {
namespace {

void LoadVolume(const Node::Member& member, WorkloadModel* workload, LoadContext* context) {
  const std::string subject = "workload.volumes." + member.name;
  ExpectEntity(member.name, member.place, subject, context);
  WorkloadModel::Volume volume;
  volume.entity = member.name;
  volume.place = member.place;
  if (!member.value.is_map()) {
    volume.total = ReadCount(member.value, subject, context).value_or(0);
  } else {
    MapReader reader(member.value, subject, context->findings);
    if (const Node* total = reader.Find("total")) {
      volume.total = ReadCount(*total, reader.SubjectOf("total"), context).value_or(0);
    }
    if (const Node* per_day = reader.Find("per_day")) {
      volume.per_day = ReadCount(*per_day, reader.SubjectOf("per_day"), context).value_or(0);
    }
    if (const Node* bytes = reader.Find("bytes")) {
      volume.bytes = ReadBytes(*bytes, reader.SubjectOf("bytes"), context).value_or(0);
    }
    reader.Finish();
  }
  workload->volumes.push_back(std::move(volume));
}

// What can have a rate: a pattern, an operation, or create, update or delete with an entity.
bool IsRated(const Model& model, const std::string& what) {
  if (model.FindPattern(what) != nullptr) return true;
  const auto& operations = model.operations;
  if (std::any_of(operations.begin(), operations.end(),
                  [&](const OperationModel& one) { return one.name == what; })) {
    return true;
  }
  const size_t space = what.find(' ');
  if (space == std::string::npos) return false;
  const std::string verb = what.substr(0, space);
  return (verb == "create" || verb == "update" || verb == "delete") &&
         model.FindEntity(what.substr(space + 1)) != nullptr;
}

std::vector<std::string> RatedNames(const Model& model) {
  std::vector<std::string> known = NamesOf(model.patterns);
  for (const OperationModel& operation : model.operations) known.push_back(operation.name);
  for (const EntityModel& entity : model.entities) {
    for (const char* verb : {"create ", "update ", "delete "}) known.push_back(verb + entity.name);
  }
  return known;
}

void LoadRate(const Node::Member& member, WorkloadModel* workload, LoadContext* context) {
  const std::string subject = "workload.rates." + member.name;
  if (!IsRated(context->model, member.name)) {
    context->Error("unknown_rate", member.place, subject,
                   Quoted(member.name) + " is no pattern, no operation, and no write of an entity.",
                   Suggest(member.name, RatedNames(context->model)));
  }
  WorkloadModel::Rate rate;
  rate.what = member.name;
  rate.place = member.place;
  if (!member.value.is_map()) {
    rate.per_day = ReadRate(member.value, subject, context).value_or(0);
  } else {
    MapReader reader(member.value, subject, context->findings);
    if (const Node* node = reader.Require("rate")) {
      rate.per_day = ReadRate(*node, reader.SubjectOf("rate"), context).value_or(0);
    }
    rate.items = reader.Integer("items", 1, 1, 1'000'000);
    rate.consistent = reader.Boolean("consistent", false);
    reader.Finish();
  }
  workload->rates.push_back(std::move(rate));
}

// "> 10"
void ReadThreshold(MapReader* reader, AlarmModel* alarm, LoadContext* context) {
  const Node* node =
      reader->Require("threshold") == nullptr ? nullptr : reader->FindText("threshold");
  if (node == nullptr) return;
  for (const std::string_view comparison : {">=", "<=", ">", "<"}) {
    if (!node->text.starts_with(comparison)) continue;
    std::string number = node->text.substr(comparison.size());
    number.erase(0, number.find_first_not_of(' '));
    const Result<item::Number> parsed = item::Number::Parse(number);
    if (!parsed) break;
    alarm->comparison = comparison;
    alarm->threshold = *parsed;
    return;
  }
  context->Error("bad_threshold", node->place, reader->SubjectOf("threshold"),
                 Quoted(node->text) + " is no comparison with a number.",
                 "Write for example \"> 10\".");
}

}  // namespace

void LoadTenancy(const Node& node, LoadContext* context) {
  MapReader reader(node, "tenancy", context->findings);
  TenancyModel tenancy;
  tenancy.place = node.place;
  tenancy.attribute = reader.RequiredText("attribute");
  tenancy.claim = reader.RequiredText("claim");
  reader.Finish();
  const auto& entities = context->model.entities;
  const bool used = std::any_of(entities.begin(), entities.end(), [&](const EntityModel& entity) {
    return entity.Find(tenancy.attribute) != nullptr;
  });
  if (!tenancy.attribute.empty() && !used) {
    std::vector<std::string> known;
    for (const EntityModel& entity : entities) {
      for (const AttributeModel& attribute : entity.attributes) known.push_back(attribute.name);
    }
    context->Error("unknown_tenant_attribute", reader.Find("attribute")->place, "tenancy.attribute",
                   Quoted(tenancy.attribute) + " is an attribute of no entity.",
                   Suggest(tenancy.attribute, known));
  }
  context->model.tenancy = std::move(tenancy);
}

void LoadWorkload(const Node& node, LoadContext* context) {
  MapReader reader(node, "workload", context->findings);
  WorkloadModel workload;
  if (const Node* volumes = reader.FindMap("volumes")) {
    for (const Node::Member& member : volumes->members) LoadVolume(member, &workload, context);
  }
  if (const Node* rates = reader.FindMap("rates")) {
    for (const Node::Member& member : rates->members) LoadRate(member, &workload, context);
  }
  workload.years = reader.Integer("years", 1, 1, 100);
  reader.Finish();
  context->model.workload = std::move(workload);
}

void LoadAlarms(const Node& node, LoadContext* context) {
  if (!ExpectList(node, "alarms", context->findings)) return;
  for (const Node& item : node.items) {
    MapReader reader(item, "alarms", context->findings);
    AlarmModel alarm;
    alarm.name = reader.RequiredText("name");
    alarm.metric = reader.RequiredText("metric");
    using std::string_view;
    alarm.statistic = reader.Choice("statistic", string_view("Sum"),
                                    {{"Sum", string_view("Sum")},
                                     {"Average", string_view("Average")},
                                     {"Minimum", string_view("Minimum")},
                                     {"Maximum", string_view("Maximum")},
                                     {"SampleCount", string_view("SampleCount")}});
    ReadThreshold(&reader, &alarm, context);
    alarm.period_seconds = reader.Integer("period", 300, 10, 86400);
    alarm.periods = reader.Integer("periods", 1, 1, 1440);
    reader.Finish();
    for (const AlarmModel& other : context->model.alarms) {
      if (other.name != alarm.name || alarm.name.empty()) continue;
      context->Error("duplicate_name", reader.Find("name")->place, "alarms",
                     Quoted(alarm.name) + " is the name of two alarms.",
                     "Give each alarm its own name.");
    }
    context->model.alarms.push_back(std::move(alarm));
  }
}

}  // namespace monotable::model
