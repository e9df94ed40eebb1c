#include "server/models.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "api/dynamodb/in_process.h"
#include "deploy/plan.h"
#include "deploy/samples.h"
#include "model/check/check_model.h"
#include "model/environment.h"
#include "server/text_file.h"
#include "telemetry/log.h"
#include "text/words.h"

namespace monotable::server {
namespace {

using telemetry::Log;
using telemetry::LogLevel;

Result<LoadedModel> LoadOne(const std::string& path) {
  LoadedModel loaded;
  loaded.path = path;
  TRY_ASSIGN(loaded.text, ReadTextFile(path));
  model::CheckedText checked = model::CheckText(loaded.text);
  if (checked.has_errors() || !checked.model) {
    std::string message = fmt::format("The model {} is not served because of its errors.", path);
    for (const model::Finding& finding : checked.findings) {
      if (finding.severity != model::Severity::kError) continue;
      message += "\n" + model::FormatFinding(path, finding);
      while (message.back() == '\n') message.pop_back();
    }
    return Error::Validation(std::move(message));
  }
  loaded.model = *std::move(checked.model);
  return loaded;
}

// The parameters of one model. Values for another model alone, and those of parameters that only
// other models have, are left out.
model::ParameterValues ParametersOf(const model::Model& model, const Config& config) {
  model::ParameterValues values;
  for (const bool by_model : {false, true}) {  // what names the model is stronger
    for (const std::string& given : config.parameters) {
      const size_t equals = given.find('=');
      std::string name = given.substr(0, equals);
      const bool named = name.starts_with(model.name + ".");
      if (named) name.erase(0, model.name.size() + 1);
      if (named != by_model) continue;
      const bool known = std::any_of(
          model.parameters.begin(), model.parameters.end(),
          [&](const model::ParameterModel& parameter) { return parameter.name == name; });
      if (known || named) values[name] = given.substr(equals + 1);
    }
  }
  return values;
}

// A parameter that no model has is a mistake of the one who starts the server.
Status CheckParameters(const std::vector<LoadedModel>& models, const Config& config) {
  for (const std::string& given : config.parameters) {
    const std::string name = given.substr(0, given.find('='));
    const bool used = std::any_of(models.begin(), models.end(), [&](const LoadedModel& loaded) {
      if (name.starts_with(loaded.model.name + ".")) return true;
      return std::any_of(
          loaded.model.parameters.begin(), loaded.model.parameters.end(),
          [&](const model::ParameterModel& parameter) { return parameter.name == name; });
    });
    if (used) continue;
    return Error::Validation(
        fmt::format("No model has the parameter '{}'. Correct --set, or leave it out.", name));
  }
  return {};
}

// A table that two models declare would be changed back and forth with every start. One model may
// declare it, and the others adopt it.
Status CheckOwners(const std::vector<LoadedModel>& models, const Config& config) {
  std::map<std::string, std::string> owners;  // by name of the table
  for (const LoadedModel& loaded : models) {
    for (const model::TableModel& table : loaded.model.tables) {
      if (table.adopt) continue;
      TRY_ASSIGN(const deploy::Target target, TargetOf(loaded.model, config));
      TRY_ASSIGN(const std::string name,
                 model::TableNameIn(loaded.model, table, target.environment, target.parameters));
      const auto [owner, is_new] = owners.emplace(name, loaded.model.name);
      if (is_new) continue;
      return Error::Validation(
          fmt::format("The models {} and {} both declare table {}. Let one of them adopt it.",
                      owner->second, loaded.model.name, name));
    }
  }
  return {};
}

Status LoadSamplesOf(const LoadedModel& loaded, const deploy::Target& target,
                     const deploy::Call& call) {
  const std::string path = SamplesPath(loaded.path, loaded.model);
  if (path.empty()) return {};
  TRY_ASSIGN(const std::string text, ReadTextFile(path));
  const auto counts = deploy::LoadSamples(loaded.model, text, {.target = target}, call);
  if (!counts) {
    return Error::Validation(fmt::format("{}: {}", path, counts.error().message()));
  }
  Log(LogLevel::kInfo, "model {}: samples: {} written, {} were there", loaded.model.name,
      counts->written, counts->kept);
  return {};
}

}  // namespace

Result<std::vector<LoadedModel>> LoadModels(const Config& config) {
  std::vector<LoadedModel> models;
  for (const std::string& path : config.models) {
    TRY_ASSIGN(LoadedModel loaded, LoadOne(path));
    for (const LoadedModel& other : models) {
      if (other.model.name != loaded.model.name) continue;
      return Error::Validation(
          fmt::format("{} and {} are both called {}; a server needs "
                      "different names.",
                      other.path, path, loaded.model.name));
    }
    models.push_back(std::move(loaded));
  }
  TRY(CheckParameters(models, config));
  return models;
}

Result<deploy::Target> TargetOf(const model::Model& model, const Config& config) {
  deploy::Target target{.environment = {}, .parameters = ParametersOf(model, config)};
  if (config.environments.empty()) return target;
  for (const std::string& name : config.environments) {
    if (!model::EnvironmentIn(model, name)) continue;
    target.environment = name;
    return target;
  }
  return model::EnvironmentIn(model, config.environments.front()).error();
}

Result<std::vector<backup::DailyBackup>> DailyBackupsOf(const std::vector<LoadedModel>& models,
                                                        const Config& config) {
  std::vector<backup::DailyBackup> daily;
  for (const LoadedModel& loaded : models) {
    TRY_ASSIGN(const deploy::Target target, TargetOf(loaded.model, config));
    TRY_ASSIGN(const model::EnvironmentModel environment,
               model::EnvironmentIn(loaded.model, target.environment));
    const std::string& time = environment.daily_backup;  // 03:00Z
    if (time.empty()) continue;
    const auto part = [&](size_t at) {
      return text::ParseNumber<int64_t>(std::string_view(time).substr(at, 2)).value_or(0);
    };
    for (const model::TableModel& table : loaded.model.tables) {
      if (table.adopt) continue;  // its owner backs it up
      TRY_ASSIGN(std::string name,
                 model::TableNameIn(loaded.model, table, target.environment, target.parameters));
      daily.push_back(
          {std::move(name), (part(0) * 60 + part(3)) * 60'000, environment.keep_backups_days});
    }
  }
  return daily;
}

Status DeployModels(const std::vector<LoadedModel>& models, const Config& config,
                    engine::Engine& engine) {
  TRY(CheckOwners(models, config));
  const deploy::Call call = CallOf(engine);
  // A model can adopt the table of another, whichever of them comes first.
  for (const bool adopting : {false, true}) {
    for (const LoadedModel& loaded : models) {
      model::Model part = loaded.model;
      std::erase_if(part.tables,
                    [&](const model::TableModel& table) { return table.adopt != adopting; });
      TRY_ASSIGN(const deploy::Target target, TargetOf(loaded.model, config));
      const deploy::PlanOptions options = {
          .target = target, .create_adopted = config.create_adopted, .keep_protection = true};
      TRY_ASSIGN(const deploy::Plan plan, deploy::PlanDeployment(part, options, call));
      for (const std::string& note : plan.notes) {
        Log(LogLevel::kInfo, "model {}: {}", loaded.model.name, note);
      }
      deploy::ApplyOptions apply;
      apply.progress = [&](const deploy::Step& step) {
        Log(LogLevel::kInfo, "model {}: {}: {}", loaded.model.name, step.table, step.line);
      };
      TRY(deploy::ApplyPlan(plan, call, apply));
    }
  }
  return {};
}

Status PutSamples(const std::vector<LoadedModel>& models, const Config& config,
                  engine::Engine& engine) {
  if (!config.samples) return {};
  const deploy::Call call = CallOf(engine);
  for (const LoadedModel& loaded : models) {
    TRY_ASSIGN(const deploy::Target target, TargetOf(loaded.model, config));
    TRY(LoadSamplesOf(loaded, target, call));
  }
  return {};
}

std::string SamplesPath(const std::string& model_path, const model::Model& model) {
  if (model.samples.empty()) return {};
  return (std::filesystem::path(model_path).parent_path() / model.samples).string();
}

deploy::Call CallOf(engine::Engine& engine) {
  return [&engine](std::string_view operation, std::string_view body) {
    return api::dynamodb::CallInProcess(engine, operation, body);
  };
}

}  // namespace monotable::server
