#pragma once

#include "document/openapi/operation_head.h"
#include "json/write.h"

namespace monotable::document {

// The GET of one pattern, or of several that the query tells apart, as a member "get" of a path.
void WritePatternOperation(const OperationRoutes& routes, DocumentContext* context,
                           json::Writer* out);

}  // namespace monotable::document
