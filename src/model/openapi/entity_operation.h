#pragma once

#include "json/json_writer.h"
#include "model/openapi/operation_head.h"

namespace monotable::model {

// What the routes of an entity do (create, get, replace, change, delete, batches), and /transact,
// as a member of a path: "post": {…}.
void WriteEntityOperation(const OperationRoutes& routes, DocumentContext* context,
                          json::Writer* out);

}  // namespace monotable::model
