#include <algorithm>
#include <charconv>
#include <cstddef>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "model/load/load_context.h"
#include "model/load/node_reader.h"

namespace monotable::model {
namespace {

struct Unit {
  std::string_view name;
  double factor;
};

struct Quantity {
  std::string_view id;  // of the finding
  std::string_view name;
  std::string_view example;
  std::vector<Unit> units;
};

// The value of a number that is followed by one of the units.
std::optional<double> ParseQuantity(std::string_view text, const std::vector<Unit>& units) {
  constexpr double kMost = 1e15;
  double number = 0;
  const auto [rest, error] =
      std::from_chars(text.data(), text.data() + text.size(), number, std::chars_format::fixed);
  if (error != std::errc()) return std::nullopt;
  const std::string_view unit(rest, static_cast<size_t>(text.data() + text.size() - rest));
  for (const Unit& one : units) {
    if (one.name != unit) continue;
    const double value = number * one.factor;
    if (value >= 0 && value <= kMost) return value;
  }
  return std::nullopt;
}

std::optional<double> ReadQuantity(const Node& node, const std::string& subject,
                                   const Quantity& quantity, LoadContext* context) {
  if (!ExpectText(node, subject, context->findings)) return std::nullopt;
  const std::optional<double> value = ParseQuantity(node.text, quantity.units);
  if (!value) {
    context->Error(std::string(quantity.id), node.place, subject,
                   Quoted(node.text) + " is no " + std::string(quantity.name) + ".",
                   "Write for example " + std::string(quantity.example) + ".");
  }
  return value;
}

std::optional<int64_t> Whole(std::optional<double> value) {
  if (!value) return std::nullopt;
  return static_cast<int64_t>(*value);
}

}  // namespace

std::optional<int64_t> ReadDuration(const Node& node, const std::string& subject,
                                    LoadContext* context) {
  const Quantity duration{"bad_duration",
                          "duration",
                          "90d; the units are ms, s, m, h and d",
                          {{"ms", 1}, {"s", 1e3}, {"m", 60e3}, {"h", 3600e3}, {"d", 86400e3}}};
  return Whole(ReadQuantity(node, subject, duration, context));
}

std::optional<int64_t> ReadBytes(const Node& node, const std::string& subject,
                                 LoadContext* context) {
  const Quantity size{"bad_size",
                      "size",
                      "4KB; the units are B, KB, MB and GB",
                      {{"", 1}, {"B", 1}, {"KB", 0x1p10}, {"MB", 0x1p20}, {"GB", 0x1p30}}};
  return Whole(ReadQuantity(node, subject, size, context));
}

std::optional<double> ReadRate(const Node& node, const std::string& subject, LoadContext* context) {
  const Quantity rate{
      "bad_rate",
      "rate",
      "1000/day; the units are second, minute, hour, day and month",
      {{"/second", 86400}, {"/minute", 1440}, {"/hour", 24}, {"/day", 1}, {"/month", 12.0 / 365}}};
  return ReadQuantity(node, subject, rate, context);
}

std::optional<double> ReadCount(const Node& node, const std::string& subject,
                                LoadContext* context) {
  return ReadQuantity(node, subject, {"bad_count", "count", "500", {{"", 1}}}, context);
}

// The sections tenancy, workload and alarms.

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
    context->Error(
        "unknown_rate", member.place, subject,
        Quoted(member.name) + " is neither a pattern nor an operation nor a write of an entity.",
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
                 Quoted(node->text) + " is not a comparison with a number.",
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
                   Quoted(tenancy.attribute) + " is not an attribute of any entity.",
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
