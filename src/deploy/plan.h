#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "deploy/dynamodb_call.h"
#include "deploy/table_shape.h"
#include "error/result.h"
#include "model/model.h"

// Brings the tables of a model to a server: what there is to do, and doing it.
namespace monotable::deploy {

struct PlanOptions {
  Target target;
  // Adopted tables that are missing are created instead of missed: for a server of one's own.
  bool create_adopted = false;
};

// One request.
struct Step {
  std::string table = {};      // its name on the server
  std::string line = {};       // create index GSI4 (GSI4PK S, GSI4SK S; all attributes)
  std::string operation = {};  // UpdateTable
  std::string request = {};
  // Readers may lose something: an index, or the records of a stream.
  bool destructive = false;
};

struct Plan {
  std::vector<Step> steps;  // in the order in which they must be done
  // What the server has otherwise than the model wants and no request can change, or may not
  // because the table is adopted. A plan with problems cannot be applied.
  std::vector<std::string> problems;
  std::vector<std::string> notes;

  bool empty() const { return steps.empty() && problems.empty(); }
  bool destructive() const;
};

// Compares the tables of the model with those of the server. A plan made after its own steps were
// done is empty. Errors are those of the calls, and of a target that the model does not have.
Result<Plan> PlanDeployment(const model::Model& model, const PlanOptions& options,
                            const Call& call);

struct ApplyOptions {
  bool allow_destructive = false;
  // Told of each step before it is done.
  std::function<void(const Step& step)> progress = {};
  // How long one change may take until the table is active again; filling an index takes its time.
  std::chrono::seconds patience{24 * 3600};
  // Waits between two looks; of the thread unless a test says otherwise.
  std::function<void(std::chrono::milliseconds)> pause = {};
};

// Does the steps in order, each once the table is ready for it, and returns when the last table is
// ready. Refuses a plan with problems, and a destructive one unless that is allowed, before
// anything is done.
Status ApplyPlan(const Plan& plan, const Call& call, const ApplyOptions& options);

}  // namespace monotable::deploy
