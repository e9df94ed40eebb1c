#pragma once

#include <string>
#include <vector>

#include "entities/read/find_entities.h"
#include "entities/rules/rule.h"
#include "entities/write/copies.h"
#include "entities/write/entity_writer.h"
#include "entities/write/plan.h"

namespace monotable::entities {

// An item that is not as If-Match says.
Error Changed(const std::string& current_tag);
// Corrects the place of a problem with a key: it is in a parameter of the route, or in a body that
// is only one part of the body of the request.
Status Located(Status status, const item::Map& route, const std::string& body_path);

// Runs the steps of a declared operation on a plan; each sees the changes of the steps before it.
// Adds the slots that the operation writes to the results.
Status RunOperation(const OperationCall& call, Plan* plan, std::vector<Slot*>* results);

// Decides what changes of entities do to the items of a table, with every rule of the model. The
// changes go into a draft first; then Finish has the rules make them whole and check them, phase by
// phase (rules/rule.h). Not thread-safe; one for each attempt.
class Planner {
 public:
  Planner(const Application& application, const Caller& caller, Ids* ids, Draft* draft)
      : plan_{application, caller, *ids, *draft} {}

  Status AddChange(const Change& change);
  Status AddOperation(const OperationCall& call) { return RunOperation(call, &plan_, &results_); }
  // A change of the DynamoDB API: what the item is to become, or nothing if it is deleted. Stamps
  // and defaults stay as the client wrote them.
  Status AddRaw(const Entity& entity, const item::Item& key, std::optional<item::Item> item);
  // What is deleted has expired: nothing holds it up, and its collection goes with it if the model
  // says so.
  void Expire() { plan_.expires = true; }
  // Gives the values of a source, which must exist, to followers that do not have them yet.
  Status AddFollowers(const Slot& source, const Followers& followers,
                      const std::vector<Found>& found);
  Status Finish();

  // The slots of the changes in order, or what an operation wrote.
  const std::vector<Slot*>& results() const { return results_; }

 private:
  Status Create(const Change& change);
  Status Update(const Change& change);
  Status Delete(const Change& change);
  // Makes an item whole that a change has put into the draft, or that a rule has.
  Status Settle(Slot* slot);
  Status Conclude(Slot* slot);

  Plan plan_;
  std::vector<Slot*> results_;
};

}  // namespace monotable::entities
