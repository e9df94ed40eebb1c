#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "api/rest/router.h"
#include "api/rest/served_model.h"
#include "entities/application.h"
#include "entities/write/entity_writer.h"
#include "error/result.h"
#include "http/message.h"

// One request of a client: its headers, what was found out about it, and its answer.
namespace monotable::api::rest {

// Prefer (RFC 7240). Unknown preferences are ignored.
struct Preferences {
  bool minimal = false;  // return=minimal
  bool strict = false;   // handling=strict
  bool numbers_as_strings = false;
};
Preferences ReadPreferences(const http::Request& request);

// If-Match and If-None-Match of a write.
Status ReadPreconditions(const http::Request& request, entities::Change* change);
// An ETag as a body gives it ("v3", with or without its quotes) into a change.
Status SetExpectedTag(std::string_view tag, entities::Change* change);

// Whether If-None-Match of a read names the tag that the item has, so that 304 says it all.
bool IsUnchanged(const http::Request& request, std::string_view tag);

// Whether the type of a body is JSON. A body without a type is not: a page of another site can make
// a browser send a body without a type, or with the type of a form, but not JSON.
bool IsJson(std::string_view content_type);

// The header Idempotency-Key as a key of this model and caller, with a digest of the request.
// Nothing if the request does not have the header.
Result<std::optional<entities::IdempotencyKey>> ReadIdempotencyKey(const http::Request& request,
                                                                   std::string_view model,
                                                                   const entities::Caller& caller);

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
