#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "engine/write.h"
#include "entities/write/write.h"
#include "error/result.h"
#include "http/message.h"

// What the headers of a request say about how it is to be done.
namespace monotable::api::rest {

// Prefer (RFC 7240). What is not known is not heeded.
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

// Refuses a body that is no JSON.
bool IsJson(std::string_view content_type);

// Idempotency-Key, made one of this model and caller, with a digest of the request; nothing if
// there is none.
Result<std::optional<entities::IdempotencyKey>> ReadIdempotencyKey(const http::Request& request,
                                                                   std::string_view model,
                                                                   const entities::Caller& caller);

}  // namespace monotable::api::rest
