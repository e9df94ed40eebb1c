#include "wire/error_json.h"

#include <optional>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "json/parse.h"

namespace monotable::wire {
namespace {

struct WireError {
  std::string_view type;
  int status = 400;
  // Clients understand both spellings; these are the service's.
  std::string_view message_member = "message";
};

WireError WireErrorOf(ErrorCode code) {
  switch (code) {
    case ErrorCode::kAccessDenied:
      return {"com.amazon.coral.service#AccessDeniedException", 400, "Message"};
    case ErrorCode::kBackupInUse:
      return {"com.amazonaws.dynamodb.v20120810#BackupInUseException"};
    case ErrorCode::kBackupNotFound:
      return {"com.amazonaws.dynamodb.v20120810#BackupNotFoundException"};
    case ErrorCode::kConditionalCheckFailed:
      return {"com.amazonaws.dynamodb.v20120810#ConditionalCheckFailedException"};
    case ErrorCode::kContinuousBackupsUnavailable:
      return {"com.amazonaws.dynamodb.v20120810#ContinuousBackupsUnavailableException"};
    case ErrorCode::kExpiredIterator:
      return {"com.amazonaws.dynamodb.v20120810#ExpiredIteratorException"};
    case ErrorCode::kExportConflict:
      return {"com.amazonaws.dynamodb.v20120810#ExportConflictException"};
    case ErrorCode::kExportNotFound:
      return {"com.amazonaws.dynamodb.v20120810#ExportNotFoundException"};
    case ErrorCode::kIdempotentParameterMismatch:
      return {"com.amazonaws.dynamodb.v20120810#IdempotentParameterMismatchException", 400,
              "Message"};
    case ErrorCode::kImportConflict:
      return {"com.amazonaws.dynamodb.v20120810#ImportConflictException"};
    case ErrorCode::kImportNotFound:
      return {"com.amazonaws.dynamodb.v20120810#ImportNotFoundException"};
    case ErrorCode::kIncompleteSignature:
      return {"com.amazon.coral.service#IncompleteSignatureException"};
    case ErrorCode::kInternal:
      return {"com.amazonaws.dynamodb.v20120810#InternalServerError", 500};
    case ErrorCode::kInvalidExportTime:
      return {"com.amazonaws.dynamodb.v20120810#InvalidExportTimeException"};
    case ErrorCode::kInvalidRestoreTime:
      return {"com.amazonaws.dynamodb.v20120810#InvalidRestoreTimeException"};
    case ErrorCode::kInvalidSignature:
      return {"com.amazon.coral.service#InvalidSignatureException"};
    case ErrorCode::kItemCollectionSizeLimitExceeded:
      return {"com.amazonaws.dynamodb.v20120810#ItemCollectionSizeLimitExceededException"};
    case ErrorCode::kLimitExceeded:
      return {"com.amazonaws.dynamodb.v20120810#LimitExceededException"};
    case ErrorCode::kMissingAuthenticationToken:
      return {"com.amazon.coral.service#MissingAuthenticationTokenException"};
    case ErrorCode::kPointInTimeRecoveryUnavailable:
      return {"com.amazonaws.dynamodb.v20120810#PointInTimeRecoveryUnavailableException"};
    case ErrorCode::kProvisionedThroughputExceeded:
      return {"com.amazonaws.dynamodb.v20120810#ProvisionedThroughputExceededException"};
    case ErrorCode::kRequestEntityTooLarge:
      return {"com.amazon.coral.service#RequestEntityTooLargeException", 413};
    case ErrorCode::kResourceInUse:
      return {"com.amazonaws.dynamodb.v20120810#ResourceInUseException"};
    case ErrorCode::kResourceNotFound:
      return {"com.amazonaws.dynamodb.v20120810#ResourceNotFoundException"};
    case ErrorCode::kSerialization:
      return {"com.amazon.coral.service#SerializationException", 400, "Message"};
    case ErrorCode::kTableAlreadyExists:
      return {"com.amazonaws.dynamodb.v20120810#TableAlreadyExistsException"};
    case ErrorCode::kTableInUse:
      return {"com.amazonaws.dynamodb.v20120810#TableInUseException"};
    case ErrorCode::kTableNotFound:
      return {"com.amazonaws.dynamodb.v20120810#TableNotFoundException"};
    case ErrorCode::kThrottling:
      return {"com.amazon.coral.availability#ThrottlingException"};
    case ErrorCode::kTransactionCanceled:
      return {"com.amazonaws.dynamodb.v20120810#TransactionCanceledException", 400, "Message"};
    case ErrorCode::kTransactionConflict:
      return {"com.amazonaws.dynamodb.v20120810#TransactionConflictException"};
    case ErrorCode::kTransactionInProgress:
      return {"com.amazonaws.dynamodb.v20120810#TransactionInProgressException", 400, "Message"};
    case ErrorCode::kTrimmedDataAccess:
      return {"com.amazonaws.dynamodb.v20120810#TrimmedDataAccessException"};
    case ErrorCode::kUnavailable:
      return {"com.amazon.coral.service#ServiceUnavailableException", 503};
    case ErrorCode::kUnknownOperation:
      return {"com.amazon.coral.service#UnknownOperationException"};
    case ErrorCode::kUnrecognizedClient:
      return {"com.amazon.coral.service#UnrecognizedClientException"};
    case ErrorCode::kValidation:
      return {"com.amazon.coral.validate#ValidationException"};
  }
  return {"com.amazonaws.dynamodb.v20120810#InternalServerError", 500};
}

// The part of a type that clients tell errors apart by: what follows the number sign.
std::string_view NameOf(std::string_view type) {
  return type.substr(type.find('#') + 1);
}

std::optional<ErrorCode> CodeOf(std::string_view name) {
  constexpr int kLast = static_cast<int>(ErrorCode::kValidation);
  for (int i = 0; i <= kLast; ++i) {
    const auto code = static_cast<ErrorCode>(i);
    if (NameOf(WireErrorOf(code).type) == name) return code;
  }
  return std::nullopt;
}

std::string_view TextOf(const json::Object& object, std::string_view name) {
  const auto member = json::Find(object, name);
  return member ? json::StringOf(*member) : std::string_view();
}

}  // namespace

int HttpStatus(ErrorCode code) {
  return WireErrorOf(code).status;
}

std::string_view ErrorName(ErrorCode code) {
  return NameOf(WireErrorOf(code).type);
}

void BeginError(const Error& error, json::Writer* writer) {
  const WireError wire = WireErrorOf(error.code());
  writer->BeginObject().Key("__type").String(wire.type);
  const std::string_view message = error.code() == ErrorCode::kInternal
                                       ? std::string_view("Internal server error")
                                       : std::string_view(error.message());
  if (!message.empty()) writer->Key(wire.message_member).String(json::AsUtf8(message));
}

Error DecodeError(int status, std::string_view body) {
  std::string padded;
  padded.reserve(body.size() + json::kPadding);
  padded = body;
  json::Parser parser;
  const auto root = parser.Parse(padded);
  json::Object object;
  const bool readable = root && root->Get(&object);
  const std::string_view name = readable ? NameOf(TextOf(object, "__type")) : std::string_view();
  if (name.empty()) {
    return Error::Internal(fmt::format("the server answered with status {}", status));
  }
  std::string message(TextOf(object, "message"));
  if (message.empty()) message = TextOf(object, "Message");
  if (const auto code = CodeOf(name)) return Error(*code, std::move(message));
  return Error::Internal(fmt::format("{}: {}", name, message));
}

}  // namespace monotable::wire
