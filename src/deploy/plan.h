#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "deploy/dynamodb_call.h"
#include "deploy/table_shape.h"
#include "error/result.h"
#include "model/model.h"

// Brings the tables of a model to a server: makes a plan of what to do, and carries it out.
namespace monotable::deploy {

struct PlanOptions {
  Target target;
  // Creates adopted tables that are missing instead of reporting them, for a server of one's own.
  bool create_adopted = false;
  // Leaves protection that a table has beyond what the model asks for: point-in-time recovery, the
  // days of it, deletion protection. A start of a server must not take away what somebody deployed.
  bool keep_protection = false;
};

// One request.
struct Step {
  std::string table = {};      // its name on the server
  std::string line = {};       // create index GSI4 (GSI4PK S, GSI4SK S; all attributes)
  std::string operation = {};  // UpdateTable
  std::string request = {};
  // Clients may lose something: an index, or the records of a stream.
  bool destructive = false;
};

struct Plan {
  std::vector<Step> steps;  // in the order in which they must be done
  // Differences between server and model that no request can change, or that must not change
  // because the table is adopted. A plan with problems cannot be applied.
  std::vector<std::string> problems;
  std::vector<std::string> notes;

  bool empty() const { return steps.empty() && problems.empty(); }
  bool destructive() const;
};

// Compares the tables of the model with those of the server. A plan that is made after its own
// steps were done is empty. Errors are those of the calls, or say that the model does not have the
// target.
Result<Plan> PlanDeployment(const model::Model& model, const PlanOptions& options,
                            const Call& call);

struct ApplyOptions {
  bool allow_destructive = false;
  // Called with each step before it is done.
  std::function<void(const Step& step)> progress = {};
  // How long one change may take until the table is active again. Filling an index can take hours.
  std::chrono::seconds patience{24 * 3600};
  // Waits between two looks at a table. The default blocks the thread.
  std::function<void(std::chrono::milliseconds)> pause = {};
};

// Does the steps in order, each when its table is ready for it, and returns when the last table is
// ready. Before anything is done, a plan with problems is refused, and so is a destructive plan
// unless the options allow it.
Status ApplyPlan(const Plan& plan, const Call& call, const ApplyOptions& options);

}  // namespace monotable::deploy
