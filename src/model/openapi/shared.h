#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

#include "json/json_writer.h"
#include "model/openapi/components.h"

// What is the same in the document of every model: problems, headers, parameters of lists.
namespace monotable::model {

// Keeps Api_Problem, Api_ListMeta and the like under components.
void AddSharedSchemas(Components* components);

// The sections of components that are not schemas.
void WriteSharedParameters(json::Writer* out);
void WriteSharedHeaders(json::Writer* out);
void WriteSharedResponses(json::Writer* out);
void WriteSecuritySchemes(json::Writer* out);

// {"$ref": …} to one of the shared parameters, by its key there.
void WriteParameterReference(std::string_view name, json::Writer* out);
// "400": {"$ref": …} and the like, for an operation's responses.
void WriteProblemResponses(std::initializer_list<int> statuses, json::Writer* out);

}  // namespace monotable::model
