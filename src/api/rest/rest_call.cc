#include "api/rest/rest_call.h"

#include <utility>

#include <fmt/format.h>

#include "api/rest/browser_headers.h"
#include "auth/crypto.h"
#include "auth/sigv4.h"
#include "encoding/varint.h"
#include "entities/codec/codec.h"
#include "entities/problem.h"
#include "text/words.h"

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
  response.headers.reserve(7);
  response.headers.emplace_back("x-request-id", call.request_id);
  if (!call.model->model().version.empty()) {
    response.headers.emplace_back("Model-Version", call.model->model().version);
  }
  AddBrowserHeaders(&response);
  response.body = std::move(body);
  return response;
}

std::string UnitsText(double units) {
  return fmt::format("{}", units);
}

namespace {

constexpr size_t kMaxKeyLength = 255;

// Calls visit with each element of a list in a header.
template <typename Visit>
void ForEachElement(std::string_view list, const Visit& visit) {
  while (!list.empty()) {
    const size_t comma = list.find(',');
    visit(text::Trim(list.substr(0, comma)));
    list.remove_prefix(comma == std::string_view::npos ? list.size() : comma + 1);
  }
}

Error InvalidHeader(std::string header, std::string message) {
  return entities::InvalidFields({{std::move(header), "header", std::move(message)}});
}

// The version that "v7" tells; nothing if it is a tag of another form.
std::optional<int64_t> VersionOf(std::string_view tag) {
  if (!tag.starts_with("\"v") || !tag.ends_with('"') || tag.size() < 4) return std::nullopt;
  const std::string_view digits = tag.substr(2, tag.size() - 3);
  const auto version = text::ParseNumber<int64_t>(digits);
  if (!version || *version < 0) return std::nullopt;
  return version;
}

}  // namespace

Preferences ReadPreferences(const http::Request& request) {
  Preferences preferences;
  for (const http::Header& header : request.headers()) {
    if (!text::EqualsIgnoringCase(header.name, "prefer")) continue;
    ForEachElement(header.value, [&](std::string_view preference) {
      if (preference == "return=minimal") preferences.minimal = true;
      if (preference == "handling=strict") preferences.strict = true;
      if (preference == "numbers=string") preferences.numbers_as_strings = true;
    });
  }
  return preferences;
}

Status SetExpectedTag(std::string_view tag, entities::Change* change) {
  const std::string quoted = tag.starts_with('"') ? std::string(tag) : '"' + std::string(tag) + '"';
  if (tag.empty() || tag.find(',') != std::string_view::npos) {
    return InvalidHeader("If-Match", "If-Match takes one ETag, such as \"v7\", or *.");
  }
  if (!change->entity->table->version_attribute.empty()) change->if_version = VersionOf(quoted);
  // A tag of another form than the entity's cannot match any version.
  if (!change->if_version) change->if_tag = quoted;
  return {};
}

Status ReadPreconditions(const http::Request& request, entities::Change* change) {
  if (const std::string_view match = request.header("If-Match"); match.data() != nullptr) {
    if (match == "*") {
      change->if_present = true;
    } else {
      TRY(SetExpectedTag(match, change));
    }
  }
  if (const std::string_view none = request.header("If-None-Match"); none.data() != nullptr) {
    if (none != "*")
      return InvalidHeader("If-None-Match", "If-None-Match of a write is *: create only.");
    change->if_absent = true;
  }
  return {};
}

bool IsUnchanged(const http::Request& request, std::string_view tag) {
  const std::string_view header = request.header("If-None-Match");
  if (header.data() == nullptr) return false;
  bool unchanged = false;
  ForEachElement(header, [&](std::string_view element) {
    if (element.starts_with("W/")) element.remove_prefix(2);
    unchanged |= element == tag || element == "*";
  });
  return unchanged;
}

bool IsJson(std::string_view content_type) {
  const std::string_view type = text::Trim(content_type.substr(0, content_type.find(';')));
  return text::EqualsIgnoringCase(type, "application/json") ||
         text::EqualsIgnoringCase(type, "application/merge-patch+json");
}

Result<std::optional<entities::IdempotencyKey>> ReadIdempotencyKey(const http::Request& request,
                                                                   std::string_view model,
                                                                   const entities::Caller& caller) {
  const std::string_view given = request.header("Idempotency-Key");
  if (given.data() == nullptr) return std::optional<entities::IdempotencyKey>();
  if (given.empty() || given.size() > kMaxKeyLength) {
    return InvalidHeader("Idempotency-Key", "Idempotency-Key has 1 to 255 characters.");
  }
  std::string scope;
  const std::string_view tenant = caller.tenant ? std::string_view(*caller.tenant) : "";
  for (const std::string_view part : {model, std::string_view(caller.name), tenant, given}) {
    encoding::AppendBytes(part, &scope);
  }
  std::string content;
  for (const std::string_view part : {request.method(), request.target(), request.body()}) {
    encoding::AppendBytes(part, &content);
  }
  entities::IdempotencyKey key;
  key.token = "rest:" + auth::Hex(auth::Sha256(scope));
  key.fingerprint = auth::Hex(auth::Sha256(content));
  return std::optional<entities::IdempotencyKey>(std::move(key));
}

}  // namespace monotable::api::rest
