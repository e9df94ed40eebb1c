#pragma once

#include "json/json_writer.h"
#include "model/openapi/operation_head.h"

namespace monotable::model {

// The paths of a document: routes that only differ in the names of their parameters are of one
// path, and patterns that only the query tells apart are one operation.
void WritePaths(DocumentContext* context, json::Writer* out);

}  // namespace monotable::model
