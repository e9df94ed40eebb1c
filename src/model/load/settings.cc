#include <algorithm>

#include "model/load/context.h"
#include "model/load/reader.h"
#include "model/load/type.h"
#include "text/characters.h"

// The sections defaults, parameters and environments.
namespace monotable::model {
namespace {

void LoadParameter(const Node::Member& member, LoadContext* context) {
  ParameterModel parameter;
  parameter.name = member.name;
  MapReader reader(member.value, "parameters." + member.name, context->findings);
  ExpectName(member.name, member.place, reader.subject(), context->findings);
  if (member.name == "environment") {
    context->Error("bad_name", member.place, reader.subject(),
                   "A parameter cannot be called environment: {environment} is always there.",
                   "Choose another name.");
  }
  parameter.description = reader.Text("description");
  parameter.default_value = reader.Text("default");
  parameter.allowed = reader.Strings("allowed");
  const Node* value = reader.Find("default");
  const auto& allowed = parameter.allowed;
  if (value != nullptr && !allowed.empty() &&
      std::find(allowed.begin(), allowed.end(), parameter.default_value) == allowed.end()) {
    context->Error("default_not_allowed", value->place, reader.SubjectOf("default"),
                   Quoted(parameter.default_value) + " is none of the allowed values.",
                   Suggest(parameter.default_value, allowed));
  }
  reader.Finish();
  context->model.parameters.push_back(std::move(parameter));
}

// 03:00Z
bool IsTimeOfDay(std::string_view text) {
  const auto digit = [&](size_t at) { return text::IsDigit(text[at]); };
  if (text.size() != 6 || text[2] != ':' || text[5] != 'Z') return false;
  if (!digit(0) || !digit(1) || !digit(3) || !digit(4)) return false;
  return text.substr(0, 2) < "24" && text.substr(3, 2) < "60";
}

void ReadBackups(const Node& node, const std::string& subject, EnvironmentModel* environment,
                 LoadContext* context) {
  MapReader reader(node, subject, context->findings);
  environment->daily_backup = reader.RequiredText("daily");
  environment->keep_backups_days = reader.Integer("keep", 0, 1, 36500);
  if (!environment->daily_backup.empty() && !IsTimeOfDay(environment->daily_backup)) {
    context->Error("bad_time", reader.Find("daily")->place, reader.SubjectOf("daily"),
                   Quoted(environment->daily_backup) + " is no time of day.",
                   "Write hours and minutes in UTC, for example \"03:00Z\".");
  }
  reader.Finish();
}

void LoadEnvironment(const Node::Member& member, LoadContext* context) {
  EnvironmentModel environment;
  environment.name = member.name;
  environment.place = member.place;
  MapReader reader(member.value, "environments." + member.name, context->findings);
  ExpectName(member.name, member.place, reader.subject(), context->findings);
  if (const Node* pitr = reader.FindMap("pitr")) {
    MapReader pitr_reader(*pitr, reader.SubjectOf("pitr"), context->findings);
    environment.pitr = true;
    environment.pitr_days = pitr_reader.Integer("days", 35, 1, 35);
    pitr_reader.Finish();
  }
  environment.deletion_protection = reader.Boolean("deletion_protection", false);
  if (const Node* backups = reader.Find("backups")) {
    ReadBackups(*backups, reader.SubjectOf("backups"), &environment, context);
  }
  reader.Finish();
  context->model.environments.push_back(std::move(environment));
}

}  // namespace

void LoadDefaults(const Node& node, LoadContext* context) {
  MapReader reader(node, "defaults", context->findings);
  if (const Node* instant = reader.Find("instant")) {
    MapReader instant_reader(*instant, "defaults.instant", context->findings);
    ReadInstantForm(&instant_reader, &context->instant_form, &context->instant_milliseconds);
    instant_reader.Finish();
  }
  if (const Node* key_values = reader.Find("key_values")) {
    MapReader key_reader(*key_values, "defaults.key_values", context->findings);
    if (const Node* forbid = key_reader.FindText("forbid")) {
      context->model.forbidden_in_keys = forbid->text;
    }
    key_reader.Finish();
  }
  context->open_enums = reader.Choice("enums", false, {{"closed", false}, {"open", true}});
  context->unknown_attributes = ReadUnknownAttributes(&reader, UnknownAttributes::kReject);
  if (const Node* envelope = reader.Find("envelope")) {
    MapReader envelope_reader(*envelope, "defaults.envelope", context->findings);
    context->envelope = envelope_reader.RequiredText("attribute");
    context->outside_envelope = envelope_reader.Strings("outside");
    envelope_reader.Finish();
  }
  reader.Finish();
}

void LoadParameters(const Node& node, LoadContext* context) {
  if (!ExpectMap(node, "parameters", context->findings)) return;
  for (const Node::Member& member : node.members) LoadParameter(member, context);
}

void LoadEnvironments(const Node& node, LoadContext* context) {
  if (!ExpectMap(node, "environments", context->findings)) return;
  for (const Node::Member& member : node.members) LoadEnvironment(member, context);
}

}  // namespace monotable::model
