#include "document/cloudformation/stack_choices.h"

#include <algorithm>

#include "text/characters.h"

namespace monotable::document {

std::string LogicalId(std::string_view text) {
  std::string id;
  bool word_begins = true;
  for (char c : text) {
    if (!text::IsAlphanumeric(c)) {
      word_begins = true;
      continue;
    }
    if (word_begins) c = text::ToUpper(c);
    id += c;
    word_begins = false;
  }
  return id;
}

std::string TableLogicalId(const model::Model& model, const model::TableModel& table) {
  std::string id = LogicalId(model.tables.size() == 1 ? model.name : table.id);
  if (!id.ends_with("Table")) id += "Table";
  return id;
}

void WriteFilledIn(std::string_view text, std::string_view environment, json::Writer* out) {
  std::string filled;
  bool open = false;
  while (!text.empty()) {
    const size_t brace = text.find('{');
    const size_t end = brace == std::string_view::npos ? brace : text.find('}', brace);
    if (end == std::string_view::npos) break;
    filled += text.substr(0, brace);
    const std::string_view name = text.substr(brace + 1, end - brace - 1);
    const bool is_environment = name == "environment" || name == kEnvironmentParameter;
    if (is_environment && !environment.empty()) {
      filled += environment;
    } else {
      filled += "${";
      filled += is_environment ? kEnvironmentParameter : name;
      filled += "}";
      open = true;
    }
    text.remove_prefix(end + 1);
  }
  filled += text;
  if (!open) {
    out->String(filled);
    return;
  }
  out->BeginObject().Key("Fn::Sub").String(filled).EndObject();
}

void WriteRef(std::string_view name, json::Writer* out) {
  out->BeginObject().Key("Ref").String(name).EndObject();
}

namespace {

constexpr std::string_view kPitrParameter = "EnablePITR";
constexpr std::string_view kProtectionParameter = "DeletionProtection";
constexpr std::string_view kKmsParameter = "KmsKeyArn";

constexpr std::string_view kPitrCondition = "PitrEnabled";
constexpr std::string_view kProtectionCondition = "DeletionProtected";
constexpr std::string_view kKmsCondition = "KmsKeyGiven";
constexpr std::string_view kEnvironmentsMap = "Environments";

// The largest number of conditions that CloudFormation allows in one Fn::Or.
constexpr size_t kMaxOr = 10;

void WriteParameter(const model::ParameterModel& parameter, json::Writer* out) {
  out->Key(parameter.name).BeginObject().Key("Type").String("String");
  out->Key("Default").String(parameter.default_value);
  if (!parameter.allowed.empty()) {
    out->Key("AllowedValues").BeginArray();
    for (const std::string& value : parameter.allowed) out->String(value);
    out->EndArray();
  }
  if (!parameter.description.empty()) out->Key("Description").String(parameter.description);
  out->EndObject();
}

void WriteEquals(std::string_view parameter, std::string_view value, json::Writer* out) {
  out->BeginObject().Key("Fn::Equals").BeginArray();
  WriteRef(parameter, out);
  out->String(value).EndArray().EndObject();
}

}  // namespace

Choices::Choices(const model::Model& model, const model::EnvironmentModel* environment)
    : model_(model), environment_(environment) {
  pitr_ = Decide(&model::EnvironmentModel::pitr, kPitrParameter);
  protection_ = Decide(&model::EnvironmentModel::deletion_protection, kProtectionParameter);
}

std::string_view Choices::environment() const {
  return environment_ == nullptr ? std::string_view() : environment_->name;
}

bool Choices::HasParameter(std::string_view name) const {
  return std::any_of(
      model_.parameters.begin(), model_.parameters.end(),
      [&](const model::ParameterModel& parameter) { return parameter.name == name; });
}

bool Choices::TakesKmsKey() const {
  return HasParameter(kKmsParameter);
}

Choices::Switch Choices::Decide(bool model::EnvironmentModel::*setting,
                                std::string_view parameter) const {
  Switch decided;
  if (environment_ != nullptr) {
    if (environment_->*setting) decided.constant = true;
  } else {
    for (const model::EnvironmentModel& each : model_.environments) {
      if (each.*setting) decided.on_if.emplace_back(kEnvironmentParameter, each.name);
    }
    const size_t all = model_.environments.size();
    if (all > 0 && decided.on_if.size() == all) decided.constant = true;
  }
  if (HasParameter(parameter)) decided.on_if.emplace_back(parameter, "true");
  if (decided.on_if.empty() && !decided.constant) decided.constant = false;
  return decided;
}

bool Choices::NeedsEnvironment() const {
  if (environment_ != nullptr) return false;
  return !model_.environments.empty() || HasParameter(kEnvironmentParameter) ||
         std::any_of(model_.tables.begin(), model_.tables.end(),
                     [](const model::TableModel& table) {
                       return table.name.find("{environment}") != std::string::npos;
                     });
}

bool Choices::NeedsThroughput() const {
  return std::any_of(model_.tables.begin(), model_.tables.end(),
                     [](const model::TableModel& table) {
                       return !table.adopt && table.billing == table::BillingMode::kProvisioned;
                     });
}

model::ParameterModel Choices::EnvironmentParameter() const {
  model::ParameterModel parameter;
  parameter.name = kEnvironmentParameter;
  parameter.description = "What the stack is for";
  parameter.default_value = model_.environments.empty() ? "dev" : model_.environments.front().name;
  for (const model::ParameterModel& declared : model_.parameters) {
    if (declared.name == kEnvironmentParameter) parameter = declared;
  }
  if (!model_.environments.empty()) parameter.allowed.clear();
  for (const model::EnvironmentModel& each : model_.environments)
    parameter.allowed.push_back(each.name);
  return parameter;
}

void Choices::WriteParameters(json::Writer* out) const {
  if (!NeedsEnvironment() && model_.parameters.empty() && !NeedsThroughput()) return;
  out->Key("Parameters").BeginObject();
  if (NeedsEnvironment()) WriteParameter(EnvironmentParameter(), out);
  for (const model::ParameterModel& parameter : model_.parameters) {
    if (parameter.name != kEnvironmentParameter) WriteParameter(parameter, out);
  }
  for (const std::string_view name : {kReadUnitsParameter, kWriteUnitsParameter}) {
    if (!NeedsThroughput() || HasParameter(name)) continue;
    out->Key(name).BeginObject().Key("Type").String("Number").Key("Default").Integer(5);
    out->Key("MinValue").Integer(1);
    out->Key("Description").String("For each table and each of its global indexes").EndObject();
  }
  out->EndObject();
}

// The days of recovery, if all environments with recovery agree.
std::optional<int> Choices::CommonPitrDays() const {
  if (environment_ != nullptr) return environment_->pitr_days;
  std::optional<int> days;
  for (const model::EnvironmentModel& each : model_.environments) {
    if (!each.pitr) continue;
    if (days && *days != each.pitr_days) return std::nullopt;
    days = each.pitr_days;
  }
  return days.value_or(model::EnvironmentModel().pitr_days);
}

void Choices::WriteMappings(json::Writer* out) const {
  if (CommonPitrDays()) return;
  out->Key("Mappings").BeginObject().Key(kEnvironmentsMap).BeginObject();
  for (const model::EnvironmentModel& each : model_.environments) {
    out->Key(each.name).BeginObject().Key("PitrDays").Integer(each.pitr_days).EndObject();
  }
  out->EndObject().EndObject();
}

// Writes that any of the cases from `first` on holds. Cases beyond the limit of Fn::Or are nested.
void Choices::WriteAnyOf(const Switch& decided, size_t first, json::Writer* out) {
  const size_t left = decided.on_if.size() - first;
  if (left == 1) {
    WriteEquals(decided.on_if[first].first, decided.on_if[first].second, out);
    return;
  }
  const size_t here = left > kMaxOr ? kMaxOr - 1 : left;
  out->BeginObject().Key("Fn::Or").BeginArray();
  for (size_t i = first; i < first + here; ++i) {
    WriteEquals(decided.on_if[i].first, decided.on_if[i].second, out);
  }
  if (here < left) WriteAnyOf(decided, first + here, out);
  out->EndArray().EndObject();
}

void Choices::WriteConditions(json::Writer* out) const {
  if (pitr_.constant && protection_.constant && !TakesKmsKey()) return;
  out->Key("Conditions").BeginObject();
  if (!pitr_.constant) {
    out->Key(kPitrCondition);
    WriteAnyOf(pitr_, 0, out);
  }
  if (!protection_.constant) {
    out->Key(kProtectionCondition);
    WriteAnyOf(protection_, 0, out);
  }
  if (TakesKmsKey()) {
    out->Key(kKmsCondition).BeginObject().Key("Fn::Not").BeginArray();
    WriteEquals(kKmsParameter, "", out);
    out->EndArray().EndObject();
  }
  out->EndObject();
}

void Choices::WritePitr(json::Writer* out) const {
  const auto write = [&](bool on) {
    out->BeginObject().Key("PointInTimeRecoveryEnabled").Bool(on);
    if (!on) {
      out->EndObject();
      return;
    }
    out->Key("RecoveryPeriodInDays");
    if (const auto days = CommonPitrDays()) {
      out->Integer(*days).EndObject();
      return;
    }
    out->BeginObject().Key("Fn::FindInMap").BeginArray().String(kEnvironmentsMap);
    WriteRef(kEnvironmentParameter, out);
    out->String("PitrDays").EndArray().EndObject().EndObject();
  };
  if (pitr_.constant) {
    write(*pitr_.constant);
    return;
  }
  out->BeginObject().Key("Fn::If").BeginArray().String(kPitrCondition);
  write(true);
  write(false);
  out->EndArray().EndObject();
}

void Choices::WriteDeletionProtection(json::Writer* out) const {
  if (protection_.constant) {
    out->Bool(*protection_.constant);
    return;
  }
  out->BeginObject().Key("Fn::If").BeginArray().String(kProtectionCondition);
  out->Bool(true).Bool(false).EndArray().EndObject();
}

void Choices::WriteKmsKey(std::string_view declared, json::Writer* out) const {
  if (!TakesKmsKey()) {
    out->String(declared);
    return;
  }
  out->BeginObject().Key("Fn::If").BeginArray().String(kKmsCondition);
  WriteRef(kKmsParameter, out);
  if (declared.empty()) {
    WriteRef("AWS::NoValue", out);
  } else {
    out->String(declared);
  }
  out->EndArray().EndObject();
}

}  // namespace monotable::document
