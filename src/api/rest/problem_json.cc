#include "api/rest/problem_json.h"

#include <algorithm>
#include <array>
#include <utility>

#include "api/rest/browser_headers.h"
#include "entities/problem.h"
#include "json/json_writer.h"
#include "json/parse.h"
#include "telemetry/log.h"
#include "wire/error_json.h"

namespace monotable::api::rest {
namespace {

constexpr std::array kKinds = {
    ProblemKind{"invalid", 400, "The request is not valid",
                "A value is not what the model says it may be. `errors` names every field that is "
                "wrong, as a JSON pointer into the body or as the name of a parameter."},
    ProblemKind{"no_access_pattern", 400, "No access pattern answers this",
                "The keys of the design do not serve this question, and a server that read the "
                "whole table for it would be slow for everybody. `patterns` lists the questions "
                "that are served."},
    ProblemKind{
        "bad_cursor", 400, "The cursor belongs to another list",
        "A cursor continues the list that it came with: the same route, parameters, filters "
        "and tenant. Start again without `after`."},
    ProblemKind{"unauthenticated", 401, "The request is not authenticated",
                "The request needs a bearer token or a signature (AWS Signature Version 4)."},
    ProblemKind{"forbidden", 403, "Access is denied", "The caller may not see or change this."},
    ProblemKind{"not_found", 404, "Not found", "There is no such item or no such path."},
    ProblemKind{"method_not_allowed", 405, "The method is not allowed",
                "The path is known, but not for this method. The header Allow lists those that it "
                "takes."},
    ProblemKind{"already_exists", 409, "The item exists already",
                "POST creates. To replace what is there use PUT, to change it PATCH."},
    ProblemKind{
        "key_change", 409, "The key may not change",
        "The attribute is part of the item's key. Create another item and delete this one."},
    ProblemKind{"illegal_transition", 409, "The state may not change like this",
                "The model lists which state may follow which. `allowed` has those that may follow "
                "the current one."},
    ProblemKind{"not_unique", 409, "Another item has this value",
                "The model says that the value is unique, and another item holds it."},
    ProblemKind{"missing_reference", 409, "The referenced item does not exist",
                "Create the item that the attribute names first."},
    ProblemKind{"restricted", 409, "Other items refer to the item",
                "The item cannot be deleted while others refer to it."},
    ProblemKind{"conflict", 409, "Other writes came in between",
                "Others changed the same items at the same time. Try again."},
    ProblemKind{"version_mismatch", 412, "The item has changed",
                "The item has changed since its ETag was read. Read the item again."},
    ProblemKind{"item_too_large", 413, "Too large",
                "An item may have 400 KB, its attributes' names included."},
    ProblemKind{"unsupported_media_type", 415, "The body is not JSON",
                "Bodies are application/json; those of PATCH may also be "
                "application/merge-patch+json."},
    ProblemKind{"rule_failed", 422, "A rule of the model does not hold",
                "The values are fine one by one, but not together. `rule` says which one."},
    ProblemKind{"idempotency_mismatch", 422, "The idempotency key is of another request",
                "A key names one request for ten minutes. Use a new one for another request."},
    ProblemKind{"throttled", 429, "Too many requests",
                "The server has more to do than it can. Try again after the time in Retry-After."},
    ProblemKind{"internal", 500, "The server failed",
                "This is a fault of the server; its log tells more under the id of the request."},
    ProblemKind{"unavailable", 503, "Not available now",
                "Try again after the time in Retry-After."},
    ProblemKind{"not_deployed", 503, "The tables of the model are not there",
                "The model is served, but its tables do not exist yet. Deploy the model."},
};

std::string_view CodeOf(ErrorCode code) {
  switch (code) {
    case ErrorCode::kAccessDenied:
      return "forbidden";
    case ErrorCode::kBackupInUse:
    case ErrorCode::kConditionalCheckFailed:
    case ErrorCode::kExportConflict:
    case ErrorCode::kImportConflict:
    case ErrorCode::kItemCollectionSizeLimitExceeded:
    case ErrorCode::kResourceInUse:
    case ErrorCode::kTableAlreadyExists:
    case ErrorCode::kTableInUse:
    case ErrorCode::kTransactionCanceled:
    case ErrorCode::kTransactionConflict:
    case ErrorCode::kTransactionInProgress:
      return "conflict";
    case ErrorCode::kIdempotentParameterMismatch:
      return "idempotency_mismatch";
    case ErrorCode::kIncompleteSignature:
    case ErrorCode::kInvalidSignature:
    case ErrorCode::kMissingAuthenticationToken:
    case ErrorCode::kUnrecognizedClient:
      return "unauthenticated";
    case ErrorCode::kInternal:
      return "internal";
    case ErrorCode::kLimitExceeded:
    case ErrorCode::kProvisionedThroughputExceeded:
    case ErrorCode::kThrottling:
      return "throttled";
    case ErrorCode::kRequestEntityTooLarge:
      return "item_too_large";
    case ErrorCode::kResourceNotFound:
      return "not_deployed";
    case ErrorCode::kUnavailable:
      return "unavailable";
    case ErrorCode::kBackupNotFound:
    case ErrorCode::kContinuousBackupsUnavailable:
    case ErrorCode::kExportNotFound:
    case ErrorCode::kImportNotFound:
    case ErrorCode::kPointInTimeRecoveryUnavailable:
    case ErrorCode::kTableNotFound:
    case ErrorCode::kUnknownOperation:
      return "not_found";
    case ErrorCode::kExpiredIterator:
    case ErrorCode::kInvalidExportTime:
    case ErrorCode::kInvalidRestoreTime:
    case ErrorCode::kTrimmedDataAccess:
    case ErrorCode::kSerialization:
    case ErrorCode::kValidation:
      return "invalid";
  }
  return "internal";
}

const ProblemKind& KindNamed(std::string_view code) {
  const ProblemKind* kind = FindProblemKind(code);
  return kind != nullptr ? *kind : *FindProblemKind("internal");
}

json::Writer Begin(const ProblemKind& kind, std::string_view detail, std::string* out) {
  json::Writer writer(out);
  writer.BeginObject().Key("type").String(std::string("/problems/").append(kind.code));
  writer.Key("title").String(kind.title).Key("status").Integer(kind.status);
  writer.Key("code").String(kind.code);
  if (!detail.empty()) writer.Key("detail").String(json::AsUtf8(detail));
  return writer;
}

void AppendDetail(const entities::ProblemDetail& detail, json::Writer* writer) {
  if (!detail.fields.empty()) {
    writer->Key("errors").BeginArray();
    for (const entities::FieldProblem& field : detail.fields) {
      writer->BeginObject().Key("path").String(json::AsUtf8(field.path));
      writer->Key("code").String(field.code);
      writer->Key("message").String(json::AsUtf8(field.message)).EndObject();
    }
    writer->EndArray();
  }
  for (const auto& [name, value] : detail.members) writer->Key(name).String(json::AsUtf8(value));
  if (detail.allowed.empty() && detail.code != entities::ProblemCode::kIllegalTransition) return;
  writer->Key("allowed").BeginArray();
  for (const std::string& value : detail.allowed) writer->String(value);
  writer->EndArray();
}

http::Response Answer(const ProblemKind& kind, std::string body, std::string_view request_id) {
  http::Response response;
  response.status = kind.status;
  response.content_type = kProblemJson;
  response.body = std::move(body);
  response.headers.emplace_back("x-request-id", request_id);
  AddBrowserHeaders(&response);
  if (kind.status == 429 || kind.status == 503) response.headers.emplace_back("Retry-After", "1");
  return response;
}

}  // namespace

const ProblemKind* FindProblemKind(std::string_view code) {
  const auto found = std::find_if(kKinds.begin(), kKinds.end(),
                                  [&](const ProblemKind& kind) { return kind.code == code; });
  return found == kKinds.end() ? nullptr : &*found;
}

const ProblemKind& KindOf(const Error& error) {
  const entities::ProblemDetail* detail = entities::ProblemOf(error);
  return KindNamed(detail != nullptr ? entities::ProblemName(detail->code) : CodeOf(error.code()));
}

void AppendProblem(const Error& error, std::string_view request_id, std::string_view more,
                   std::string* out) {
  const bool internal = error.code() == ErrorCode::kInternal;
  json::Writer writer = Begin(KindOf(error), internal ? std::string_view() : error.message(), out);
  const entities::ProblemDetail* detail = entities::ProblemOf(error);
  if (detail != nullptr) AppendDetail(*detail, &writer);
  if (!more.empty()) out->append(",").append(more);
  writer.Key("aws").String(wire::ErrorName(error.code()));
  writer.Key("requestId").String(request_id).EndObject();
}

http::Response MakeProblem(const Error& error, std::string_view request_id, std::string_view more) {
  if (error.code() == ErrorCode::kInternal) {
    telemetry::Log(telemetry::LogLevel::kError, "request {} failed: {}", request_id,
                   error.message());
  }
  std::string body;
  AppendProblem(error, request_id, more, &body);
  return Answer(KindOf(error), std::move(body), request_id);
}

http::Response MakeProblem(std::string_view code, std::string_view detail,
                           std::string_view request_id) {
  const ProblemKind& kind = KindNamed(code);
  std::string body;
  Begin(kind, detail, &body).Key("requestId").String(request_id).EndObject();
  return Answer(kind, std::move(body), request_id);
}

}  // namespace monotable::api::rest
