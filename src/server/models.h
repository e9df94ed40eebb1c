#pragma once

#include <string>
#include <vector>

#include "backup/daily_backups.h"
#include "deploy/dynamodb_call.h"
#include "deploy/table_shape.h"
#include "engine/engine.h"
#include "error/result.h"
#include "model/model.h"
#include "server/config.h"

// The models that a server serves, and their tables.
namespace monotable::server {

struct LoadedModel {
  std::string path;
  std::string text;
  model::Model model;
};

// Reads and checks the model files that the config names. A file with errors is refused; the error
// lists all of them with line and column. Two models of one name are refused as well.
Result<std::vector<LoadedModel>> LoadModels(const Config& config);

// The environment and the parameters with which a model is served: of the environments that the
// config names, the first that the model has, and the parameters that are for this model.
Result<deploy::Target> TargetOf(const model::Model& model, const Config& config);

// The daily backups that the models declare for the environment in which they are served.
Result<std::vector<backup::DailyBackup>> DailyBackupsOf(const std::vector<LoadedModel>& models,
                                                        const Config& config);

// Creates and changes the tables of the models as `monotable model deploy` would. Destructive
// changes are refused, because a start must not lose data. Protection that a table has beyond its
// model stays.
Status DeployModels(const std::vector<LoadedModel>& models, const Config& config,
                    engine::Engine& engine);

// Puts the samples in if the config says so. The samples are raw writes, so the rules must be in
// force already.
Status PutSamples(const std::vector<LoadedModel>& models, const Config& config,
                  engine::Engine& engine);

// The file of a model's samples; empty if the model names no file.
std::string SamplesPath(const std::string& model_path, const model::Model& model);

// Calls operations of the engine.
deploy::Call CallOf(engine::Engine& engine);

}  // namespace monotable::server
