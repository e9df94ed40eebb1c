#pragma once

#include "json/json_writer.h"
#include "model/openapi/operation_head.h"

namespace monotable::model {

// The GET of one pattern, or of several that the query tells apart, as a member "get" of a path.
void WritePatternOperation(const OperationRoutes& routes, DocumentContext* context,
                           json::Writer* out);

}  // namespace monotable::model
