#include "server/models.h"

#include <filesystem>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "api/dynamodb/in_process.h"
#include "deploy/plan.h"
#include "deploy/samples.h"
#include "model/check/check_model.h"
#include "model/environment.h"
#include "server/text_file.h"
#include "telemetry/log.h"

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

// A table that two models declare would be changed back and forth with every start. One model may
// declare it, and the others adopt it.
Status CheckOwners(const std::vector<LoadedModel>& models, const Config& config) {
  std::map<std::string, std::string> owners;  // by name of the table
  for (const LoadedModel& loaded : models) {
    for (const model::TableModel& table : loaded.model.tables) {
      if (table.adopt) continue;
      TRY_ASSIGN(const std::string name,
                 model::TableNameIn(loaded.model, table, config.environment, {}));
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
  return models;
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
      const deploy::PlanOptions options = {.target = {.environment = config.environment},
                                           .create_adopted = config.create_adopted};
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
    TRY(LoadSamplesOf(loaded, {.environment = config.environment}, call));
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
