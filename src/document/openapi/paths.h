#pragma once

#include "document/openapi/operation_head.h"
#include "json/write.h"

namespace monotable::document {

// The paths of a document: routes that only differ in the names of their parameters are of one
// path, and patterns that only the query tells apart are one operation.
void WritePaths(DocumentContext* context, json::Writer* out);

}  // namespace monotable::document
