#include "model/environment.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "model/finding.h"
#include "text/characters.h"

namespace monotable::model {
namespace {

constexpr std::string_view kUsualEnvironment = "dev";
constexpr size_t kMinTableName = 3;
constexpr size_t kMaxTableName = 255;

bool CanBeTableName(std::string_view name) {
  const bool proper = std::all_of(name.begin(), name.end(), [](char c) {
    return text::IsAlphanumeric(c) || c == '_' || c == '-' || c == '.';
  });
  return proper && name.size() >= kMinTableName && name.size() <= kMaxTableName;
}

// Says which name the caller probably meant.
std::string Choice(std::string_view name, const std::vector<std::string>& known) {
  const std::string meant = ClosestName(name, known);
  if (!meant.empty()) return fmt::format("Did you mean {}?", meant);
  return known.empty() ? "There are none." : fmt::format("Give {}.", fmt::join(known, ", "));
}

}  // namespace

Result<EnvironmentModel> EnvironmentIn(const Model& model, std::string_view environment) {
  if (model.environments.empty()) {
    EnvironmentModel any;
    any.name = environment.empty() ? kUsualEnvironment : environment;
    return any;
  }
  if (environment.empty()) return model.environments.front();
  std::vector<std::string> names;
  for (const EnvironmentModel& each : model.environments) {
    if (each.name == environment) return each;
    names.push_back(each.name);
  }
  return Error::Validation(fmt::format("The model {} has no environment '{}'. {}", model.name,
                                       environment, Choice(environment, names)));
}

Result<ParameterValues> ParametersIn(const Model& model, const ParameterValues& given) {
  ParameterValues values;
  std::vector<std::string> names;
  for (const ParameterModel& parameter : model.parameters) {
    names.push_back(parameter.name);
    const auto found = given.find(parameter.name);
    const std::string& value = found == given.end() ? parameter.default_value : found->second;
    const auto& allowed = parameter.allowed;
    if (!allowed.empty() && std::find(allowed.begin(), allowed.end(), value) == allowed.end()) {
      return Error::Validation(fmt::format("The parameter {} of the model {} cannot be '{}'. {}",
                                           parameter.name, model.name, value,
                                           Choice(value, allowed)));
    }
    values[parameter.name] = value;
  }
  for (const auto& [name, value] : given) {
    if (values.contains(name)) continue;
    return Error::Validation(fmt::format("The model {} has no parameter '{}'. {}", model.name, name,
                                         Choice(name, names)));
  }
  return values;
}

Result<std::string> TableNameIn(const Model& model, const TableModel& table,
                                std::string_view environment, const ParameterValues& parameters) {
  TRY_ASSIGN(const EnvironmentModel chosen, EnvironmentIn(model, environment));
  TRY_ASSIGN(const ParameterValues values, ParametersIn(model, parameters));
  std::string name;
  for (std::string_view rest = table.name; !rest.empty();) {
    const size_t open = rest.find('{');
    const size_t close = open == std::string_view::npos ? open : rest.find('}', open);
    if (close == std::string_view::npos) {
      name += rest;
      break;
    }
    name += rest.substr(0, open);
    const std::string in_braces(rest.substr(open + 1, close - open - 1));
    // The loader accepts only names that are one or the other.
    if (const auto value = values.find(in_braces); value != values.end()) {
      name += value->second;
    } else {
      name += chosen.name;
    }
    rest.remove_prefix(close + 1);
  }
  if (!CanBeTableName(name)) {
    return Error::Validation(
        fmt::format("The table {} of the model {} would be called '{}'. Names have 3 to 255 "
                    "letters, digits, _, - and ..",
                    table.id, model.name, name));
  }
  return name;
}

}  // namespace monotable::model
