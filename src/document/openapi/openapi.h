#pragma once

#include <string>

#include "model/model.h"

namespace monotable::document {

struct OpenApiOptions {
  // The URL of the routes. If it is empty, the URL is /api/v1/{model} on the server that the
  // document came from.
  std::string server_url;
};

// The REST API of a model as an OpenAPI 3.1 document (JSON): its routes and the schemas of its
// entities. Members x-stm-* hold what else the design knows: the request, the index and the cost of
// a pattern, keys, rules and transitions.
std::string ToOpenApi(const model::Model& model, const OpenApiOptions& options);

}  // namespace monotable::document
