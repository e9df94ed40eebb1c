#pragma once

#include "document/openapi/operation_head.h"
#include "json/write.h"

namespace monotable::document {

// An operation that the model declares, as a member of a path: "post": {…}.
void WriteDeclaredOperation(const OperationRoutes& routes, DocumentContext* context,
                            json::Writer* out);

}  // namespace monotable::document
