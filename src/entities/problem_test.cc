#include "entities/problem.h"

#include <set>
#include <string>

#include <gtest/gtest.h>

namespace monotable::entities {
namespace {

constexpr ProblemCode kAll[] = {
    ProblemCode::kInvalid,         ProblemCode::kNoAccessPattern,  ProblemCode::kBadCursor,
    ProblemCode::kUnauthenticated, ProblemCode::kForbidden,        ProblemCode::kNotFound,
    ProblemCode::kAlreadyExists,   ProblemCode::kKeyChange,        ProblemCode::kIllegalTransition,
    ProblemCode::kNotUnique,       ProblemCode::kMissingReference, ProblemCode::kRestricted,
    ProblemCode::kConflict,        ProblemCode::kVersionMismatch,  ProblemCode::kItemTooLarge,
    ProblemCode::kRuleFailed};

TEST(Problem, EveryCodeHasItsOwnName) {
  std::set<std::string> names;
  for (const ProblemCode code : kAll) names.insert(std::string(ProblemName(code)));
  EXPECT_EQ(names.size(), std::size(kAll));
  EXPECT_EQ(ProblemName(ProblemCode::kIllegalTransition), "illegal_transition");
  EXPECT_EQ(ProblemName(ProblemCode::kNoAccessPattern), "no_access_pattern");
}

TEST(Problem, IsAnErrorOfTheDynamoDbApi) {
  const auto code = [](ProblemCode problem) { return Problem(problem, "x").code(); };
  EXPECT_EQ(code(ProblemCode::kInvalid), ErrorCode::kValidation);
  EXPECT_EQ(code(ProblemCode::kIllegalTransition), ErrorCode::kValidation);
  EXPECT_EQ(code(ProblemCode::kItemTooLarge), ErrorCode::kValidation);
  EXPECT_EQ(code(ProblemCode::kRuleFailed), ErrorCode::kValidation);
  EXPECT_EQ(code(ProblemCode::kUnauthenticated), ErrorCode::kMissingAuthenticationToken);
  EXPECT_EQ(code(ProblemCode::kForbidden), ErrorCode::kAccessDenied);
  EXPECT_EQ(code(ProblemCode::kNotFound), ErrorCode::kResourceNotFound);
  EXPECT_EQ(code(ProblemCode::kVersionMismatch), ErrorCode::kConditionalCheckFailed);
  EXPECT_EQ(code(ProblemCode::kConflict), ErrorCode::kTransactionConflict);
}

TEST(Problem, CarriesItsDetail) {
  const Error error = InvalidFields({{"/a", "type", "a must be a number."}, {"/b", "x", "y"}});
  EXPECT_EQ(error.message(), "a must be a number.");
  const ProblemDetail* detail = ProblemOf(error);
  ASSERT_NE(detail, nullptr);
  EXPECT_EQ(detail->code, ProblemCode::kInvalid);
  ASSERT_EQ(detail->fields.size(), 2u);
  EXPECT_EQ(detail->fields[1].path, "/b");
  EXPECT_FALSE(InvalidFields({}).message().empty());
}

TEST(Problem, OtherErrorsAreNone) {
  EXPECT_EQ(ProblemOf(Error::Internal("broken")), nullptr);
  struct Other final : ErrorDetail {};
  EXPECT_EQ(ProblemOf(Error(ErrorCode::kValidation, "x", std::make_shared<Other>())), nullptr);
}

}  // namespace
}  // namespace monotable::entities
