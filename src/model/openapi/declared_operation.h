#pragma once

#include "json/json_writer.h"
#include "model/openapi/operation_head.h"

namespace monotable::model {

// An operation that the model declares, as a member of a path: "post": {…}.
void WriteDeclaredOperation(const OperationRoutes& routes, DocumentContext* context,
                            json::Writer* out);

}  // namespace monotable::model
