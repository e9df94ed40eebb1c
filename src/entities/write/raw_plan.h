#pragma once

#include <vector>

#include "engine/write.h"
#include "entities/write/draft.h"
#include "entities/write/ids.h"

// Writes in DynamoDB's own words on tables whose model is enforced.
namespace monotable::entities {

// Puts the rules into a request: items as the model has them in place of what the client wrote, and
// after the client's writes those that follow from them. The error is the model's refusal.
Status PlanRaw(const Application& application, const Caller& caller, Ids* ids, Draft* draft,
               engine::WriteRequest* request);
// The request as the client made it, of so many writes.
void RestoreRaw(size_t count, engine::WriteRequest* request);

// The refusal as the outcome of the request: a ValidationException of one of its writes.
engine::WriteOutcome Refused(const engine::WriteRequest& request, const Error& refusal);

// What a write that was done has broken, in sentences; for tables whose model only warns. Looks at
// the item alone.
std::vector<std::string> FindBreaches(const Application& application,
                                      const model::TableModel& table,
                                      const std::optional<encoding::EncodedItem>& old_item,
                                      const std::optional<encoding::EncodedItem>& new_item);

}  // namespace monotable::entities
