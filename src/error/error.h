#pragma once

#include <memory>
#include <string>
#include <utility>

namespace monotable {

// What went wrong, in the categories that DynamoDB clients distinguish. Front doors map each code
// to a wire name and an HTTP status; nothing below them knows either.
enum class ErrorCode {
  kAccessDenied,
  kBackupInUse,
  kBackupNotFound,
  kConditionalCheckFailed,
  kContinuousBackupsUnavailable,
  kExpiredIterator,
  kExportConflict,
  kExportNotFound,
  kIdempotentParameterMismatch,
  kImportConflict,
  kImportNotFound,
  kIncompleteSignature,
  kInternal,
  kInvalidExportTime,
  kInvalidRestoreTime,
  kInvalidSignature,
  kItemCollectionSizeLimitExceeded,
  kLimitExceeded,
  kMissingAuthenticationToken,
  kPointInTimeRecoveryUnavailable,
  kProvisionedThroughputExceeded,
  kRequestEntityTooLarge,
  kResourceInUse,
  kResourceNotFound,
  kSerialization,
  kTableAlreadyExists,
  kTableInUse,
  kTableNotFound,
  kThrottling,
  kTransactionCanceled,
  kTransactionConflict,
  kTransactionInProgress,
  kTrimmedDataAccess,
  kUnavailable,
  kUnknownOperation,
  kUnrecognizedClient,
  kValidation,
};

// Data that a few errors carry beside the message: the item that failed a condition, the reasons of
// a cancelled transaction. The layer that raises the error defines the type, and the front door
// that prints the error recognises it.
class ErrorDetail {
 public:
  virtual ~ErrorDetail() = default;
};

// An error as a value. Its message is shown to the client, so the message says what to do and
// reveals nothing internal. Copying an error is cheap enough for the paths that fail.
class Error {
 public:
  Error(ErrorCode code, std::string message) : code_(code), message_(std::move(message)) {}
  Error(ErrorCode code, std::string message, std::shared_ptr<const ErrorDetail> detail)
      : code_(code), message_(std::move(message)), detail_(std::move(detail)) {}

  static Error Validation(std::string message) {
    return Error(ErrorCode::kValidation, std::move(message));
  }
  static Error Internal(std::string message) {
    return Error(ErrorCode::kInternal, std::move(message));
  }

  ErrorCode code() const { return code_; }
  const std::string& message() const { return message_; }
  const std::shared_ptr<const ErrorDetail>& detail() const { return detail_; }

 private:
  ErrorCode code_;
  std::string message_;
  std::shared_ptr<const ErrorDetail> detail_;
};

}  // namespace monotable
