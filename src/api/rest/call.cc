#include "api/rest/call.h"

#include <utility>

#include <fmt/format.h>

#include "entities/codec/codec.h"
#include "entities/problem.h"

namespace monotable::api::rest {

Result<item::Map> PathParameters(const Call& call, const entities::Entity& entity) {
  item::Map parameters;
  for (const PathValue& value : call.match.values) {
    const model::TypeModel* type = entity.model->FindPath(value.name);
    if (type == nullptr) {
      parameters.Set(value.name, item::Value(value.text));
      continue;
    }
    TRY_ASSIGN(item::Value decoded,
               entities::DecodeParameter(call.model->application(), *type, value.name, value.text));
    parameters.Set(value.name, std::move(decoded));
  }
  return parameters;
}

http::Response MakeAnswer(const Call& call, int status, std::string body) {
  http::Response response;
  response.status = status;
  if (!body.empty()) response.content_type = "application/json";
  response.headers.reserve(5);
  response.headers.emplace_back("x-request-id", call.request_id);
  if (!call.model->model().version.empty()) {
    response.headers.emplace_back("Model-Version", call.model->model().version);
  }
  response.body = std::move(body);
  return response;
}

std::string UnitsText(double units) {
  return fmt::format("{}", units);
}

}  // namespace monotable::api::rest
