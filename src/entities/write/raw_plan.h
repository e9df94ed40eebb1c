#pragma once

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

// The rules that a finished write has broken, in sentences, for tables whose model only warns.
// Looks at the item alone.
std::vector<std::string> FindBreaches(const Application& application,
                                      const model::TableModel& table,
                                      const std::optional<encoding::EncodedItem>& old_item,
                                      const std::optional<encoding::EncodedItem>& new_item);

}  // namespace monotable::entities
