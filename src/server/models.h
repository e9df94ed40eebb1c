#pragma once

#include <string>
#include <vector>

#include "deploy/dynamodb_call.h"
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

// Reads and checks the model files that the config names. A file with errors is refused with all of
// them, each with its line and column, and so are two models of one name.
Result<std::vector<LoadedModel>> LoadModels(const Config& config);

// Creates and changes the tables of the models as `monotable model deploy` would. Destructive
// changes are refused: they are not for a start.
Status DeployModels(const std::vector<LoadedModel>& models, const Config& config,
                    engine::Engine& engine);

// Puts in the samples if the config says so, as raw writes: the rules must be there already.
Status PutSamples(const std::vector<LoadedModel>& models, const Config& config,
                  engine::Engine& engine);

// The file of a model's samples; empty if it names none.
std::string SamplesPath(const std::string& model_path, const model::Model& model);

// Calls operations of the engine.
deploy::Call CallOf(engine::Engine& engine);

}  // namespace monotable::server
