#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "api/rest/preferences.h"
#include "api/rest/query_string.h"
#include "api/rest/router.h"
#include "api/rest/served_model.h"
#include "entities/application.h"
#include "http/message.h"

namespace monotable::api::rest {

// One request of a client and what was found out about it so far. Movable; views of the request
// hold when it moves.
struct Call {
  Call(http::Request asked, http::Responder answer)
      : request(std::move(asked)), responder(std::move(answer)) {}

  http::Request request;
  http::Responder responder;
  std::string request_id;
  QueryParameters query;

  // Set once the model is known.
  const ServedModel* model = nullptr;
  std::string_view prefix;  // what stood before the path: /api/v1/sales, or nothing
  std::string_view path;    // as it was sent, after the prefix
  RouteMatch match;
  entities::Caller caller;
  Preferences preferences;
};

// The parameters of the path in their stored form, by the types of an entity's attributes.
Result<item::Map> PathParameters(const Call& call, const entities::Entity& entity);

// An answer with the headers that all answers about a model have.
http::Response MakeAnswer(const Call& call, int status, std::string body);

// A number of capacity units, as the header X-Consumed-Capacity and meta.consumed say it: 0.5, 12.
std::string UnitsText(double units);

}  // namespace monotable::api::rest
