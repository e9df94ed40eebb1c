#pragma once

#include <memory>

#include "api/rest/rest_call.h"
#include "engine/engine.h"

// POST, PUT, PATCH and DELETE.
namespace monotable::api::rest {

// Runs the write that the call asks for and answers it when it is done. Waits for the disk, so it
// runs on the executor. The answers are
//   of an item: the item as it is now, with its ETag, and of a new one Location (201);
//   of an operation and of /transact: {"results": […]}, one for each item in order;
//   of a batch: the same, with a problem in place of an item that was refused.
// Prefer: return=minimal leaves the bodies out (204).
void RunWrite(engine::Engine& engine, const std::shared_ptr<const Call>& call);

}  // namespace monotable::api::rest
