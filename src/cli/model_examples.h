#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "error/result.h"
#include "server/models.h"

namespace monotable::cli {

// What became of one example of a pattern.
struct ExampleOutcome {
  std::string pattern;                // AP6 salesOfBuyer
  std::string given;                  // BuyerId = BUYER001, from = 2026-01-01
  std::vector<std::string> returned;  // ids, in order; of a count: the number
  double units = 0;
  std::string mistake;  // what is not as the example says; empty if all is
};

// Reads every example of a model's patterns from a store in memory that holds the model's samples,
// at a given moment. Errors are those of a model that cannot be deployed or has no samples.
Result<std::vector<ExampleOutcome>> RunExamples(const server::LoadedModel& model, int64_t now_ms);

}  // namespace monotable::cli
