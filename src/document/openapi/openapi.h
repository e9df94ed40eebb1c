#pragma once

#include <string>

#include "model/model.h"

namespace monotable::document {

struct OpenApiOptions {
  // Where the routes are; /api/v1/{model} of the server that the document came from if it is empty.
  std::string server_url;
};

// The REST API of a model as an OpenAPI 3.1 document (JSON): its routes, the schemas of its
// entities, and under x-stm-* what the design knows beyond that: the request, the index and the
// cost of a pattern, keys, rules and transitions.
std::string ToOpenApi(const model::Model& model, const OpenApiOptions& options);

}  // namespace monotable::document
