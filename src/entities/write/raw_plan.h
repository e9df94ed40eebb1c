#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/write.h"
#include "entities/write/draft.h"
#include "entities/write/ids.h"

// Writes of the DynamoDB API on tables whose model is enforced.
namespace monotable::entities {

// Applies the rules to a request: replaces the items that the client wrote with items as the model
// stores them, and adds the writes that follow from them. The error is the refusal of the model.
Status PlanRaw(const Application& application, const Caller& caller, Ids* ids, Draft* draft,
               engine::WriteRequest* request);
// Turns the request back into the one that the client made, of `count` writes.
void RestoreRaw(size_t count, engine::WriteRequest* request);

// The refusal as the outcome of the request: a ValidationException of one of its writes.
engine::WriteOutcome Refused(const engine::WriteRequest& request, const Error& refusal);

// What the rules say to a write that was made past them, on a table whose model only warns: the
// refusal that `enforce` would have given, or what it would have made different. The rules run on a
// draft that nobody writes. Empty if nothing is wrong.
std::vector<std::string> CheckWritten(engine::Engine& engine, const Application& application,
                                      const model::TableModel& table,
                                      const std::optional<encoding::EncodedItem>& old_item,
                                      const std::optional<encoding::EncodedItem>& new_item);

}  // namespace monotable::entities
