#include "entities/problem.h"

#include <fmt/format.h>

namespace monotable::entities {
namespace {

// What a client of the DynamoDB API sees the problem as.
ErrorCode CodeOf(ProblemCode code) {
  switch (code) {
    case ProblemCode::kUnauthenticated:
      return ErrorCode::kMissingAuthenticationToken;
    case ProblemCode::kForbidden:
      return ErrorCode::kAccessDenied;
    case ProblemCode::kNotFound:
      return ErrorCode::kResourceNotFound;
    case ProblemCode::kConflict:
      return ErrorCode::kTransactionConflict;
    case ProblemCode::kVersionMismatch:
      return ErrorCode::kConditionalCheckFailed;
    default:
      return ErrorCode::kValidation;
  }
}

}  // namespace

std::string_view ProblemName(ProblemCode code) {
  switch (code) {
    case ProblemCode::kInvalid:
      return "invalid";
    case ProblemCode::kNoAccessPattern:
      return "no_access_pattern";
    case ProblemCode::kBadCursor:
      return "bad_cursor";
    case ProblemCode::kUnauthenticated:
      return "unauthenticated";
    case ProblemCode::kForbidden:
      return "forbidden";
    case ProblemCode::kNotFound:
      return "not_found";
    case ProblemCode::kAlreadyExists:
      return "already_exists";
    case ProblemCode::kKeyChange:
      return "key_change";
    case ProblemCode::kIllegalTransition:
      return "illegal_transition";
    case ProblemCode::kNotUnique:
      return "not_unique";
    case ProblemCode::kMissingReference:
      return "missing_reference";
    case ProblemCode::kRestricted:
      return "restricted";
    case ProblemCode::kConflict:
      return "conflict";
    case ProblemCode::kVersionMismatch:
      return "version_mismatch";
    case ProblemCode::kItemTooLarge:
      return "item_too_large";
    case ProblemCode::kRuleFailed:
      return "rule_failed";
  }
  return "invalid";
}

Error Problem(ProblemCode code, std::string sentence) {
  return Problem(std::make_shared<const ProblemDetail>(code), std::move(sentence));
}

Error Problem(std::shared_ptr<const ProblemDetail> detail, std::string sentence) {
  const ErrorCode code = CodeOf(detail->code);
  return Error(code, std::move(sentence), std::move(detail));
}

Error NotFound(std::string_view entity) {
  return Problem(ProblemCode::kNotFound, fmt::format("There is no such {}.", entity));
}

Error InvalidFields(std::vector<FieldProblem> fields) {
  std::string sentence = fields.empty() ? "The values are not valid." : fields.front().message;
  auto detail = std::make_shared<ProblemDetail>(ProblemCode::kInvalid);
  detail->fields = std::move(fields);
  return Problem(std::move(detail), std::move(sentence));
}

const ProblemDetail* ProblemOf(const Error& error) {
  return dynamic_cast<const ProblemDetail*>(error.detail().get());
}

}  // namespace monotable::entities
