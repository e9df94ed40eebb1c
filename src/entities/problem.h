#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "error/error.h"

// What a model refuses. A problem travels as an Error whose detail says which rule it was; the REST
// API prints it as RFC 9457 has it, the DynamoDB API as a ValidationException with its message.
namespace monotable::entities {

enum class ProblemCode {
  kInvalid,          // the values are not what the model says; see the fields
  kNoAccessPattern,  // no pattern answers this
  kBadCursor,        // not made by this server, or for another question
  kUnauthenticated,
  kForbidden,  // another tenant's
  kNotFound,
  kAlreadyExists,
  kKeyChange,  // the entity's key may not change
  kIllegalTransition,
  kNotUnique,
  kMissingReference,  // what it refers to is not there
  kRestricted,        // others still refer to it
  kConflict,          // other writes kept coming in between; try again
  kVersionMismatch,
  kItemTooLarge,
  kRuleFailed,
};

// The name of a code in texts: illegal_transition. The REST API has a status for each
// (api/rest/problem_json.cc).
std::string_view ProblemName(ProblemCode code);

// What is wrong with one field of a request.
struct FieldProblem {
  std::string path;  // JSON pointer into the body (/lines/0/Quantity), or the parameter's name
  std::string
      code;  // required, type, enum, range, length, pattern, unknown, read_only, key_text, …
  std::string message;
};

struct ProblemDetail final : ErrorDetail {
  explicit ProblemDetail(ProblemCode problem) : code(problem) {}
  ProblemCode code;
  std::vector<FieldProblem> fields;
  // More members for the reader: from, name of a rule, …
  std::vector<std::pair<std::string, std::string>> members;
  std::vector<std::string> allowed;  // of an illegal transition
};

// An error with that detail. The sentence says what to do.
Error Problem(ProblemCode code, std::string sentence);
Error Problem(std::shared_ptr<const ProblemDetail> detail, std::string sentence);
// kNotFound for an item of the entity with this name.
Error NotFound(std::string_view entity);
// kInvalid with these fields. The sentence is the message of the first field.
Error InvalidFields(std::vector<FieldProblem> fields);
// The detail of an error that is a problem; null otherwise.
const ProblemDetail* ProblemOf(const Error& error);

}  // namespace monotable::entities
