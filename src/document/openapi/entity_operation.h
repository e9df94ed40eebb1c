#pragma once

#include "document/openapi/operation_head.h"
#include "json/write.h"

namespace monotable::document {

// What the routes of an entity do (create, get, replace, change, delete, batches), and /transact,
// as a member of a path: "post": {…}.
void WriteEntityOperation(const OperationRoutes& routes, DocumentContext* context,
                          json::Writer* out);

}  // namespace monotable::document
