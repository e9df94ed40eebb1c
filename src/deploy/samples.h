#pragma once

#include <string_view>

#include "deploy/dynamodb_call.h"
#include "deploy/table_shape.h"
#include "error/result.h"
#include "model/model.h"

namespace monotable::deploy {

struct SampleOptions {
  Target target;
  bool overwrite = false;  // also items that are there already
};

struct SampleCounts {
  int written = 0;
  int kept = 0;  // were there already
};

// Puts the sample items of a model into its tables. The text is a list of {"table": id, "item":
// DynamoDB JSON}. Nothing is written if the text is something else, or names a table that the model
// does not have.
Result<SampleCounts> LoadSamples(const model::Model& model, std::string_view samples_json,
                                 const SampleOptions& options, const Call& call);

}  // namespace monotable::deploy
