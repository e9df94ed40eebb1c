#include "api/rest/problem_json.h"

#include <map>
#include <memory>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "entities/problem.h"

namespace monotable::api::rest {
namespace {

using entities::ProblemCode;
using entities::ProblemDetail;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;
using testing::Pair;

TEST(ProblemJsonTest, SaysWhatAModelRefused) {
  auto detail = std::make_shared<ProblemDetail>(ProblemCode::kIllegalTransition);
  detail->members = {{"from", "CONFIRMED"}};
  detail->allowed = {"INVOICED", "CANCELLED"};
  const auto response =
      MakeProblem(entities::Problem(detail, "Sale.Status CONFIRMED cannot become DRAFT"), "R1");
  EXPECT_EQ(response.status, 409);
  EXPECT_EQ(response.content_type, "application/problem+json");
  EXPECT_THAT(response.headers, Contains(Pair("x-request-id", "R1")));
  EXPECT_EQ(
      response.body,
      R"({"type":"/problems/illegal_transition","title":"The state may not change like this",)"
      R"("status":409,"code":"illegal_transition",)"
      R"("detail":"Sale.Status CONFIRMED cannot become DRAFT","from":"CONFIRMED",)"
      R"("allowed":["INVOICED","CANCELLED"],"aws":"ValidationException","requestId":"R1"})");
}

// A problem may repeat what a client has sent in its path.
TEST(ProblemJsonTest, IsAlwaysUtf8) {
  const http::Response response = MakeProblem("not_found", "There is no path /a\xff.", "ID");
  EXPECT_NE(response.body.find("There is no path /a?."), std::string::npos) << response.body;
}

TEST(ProblemJsonTest, NamesEveryField) {
  const auto response = MakeProblem(
      entities::InvalidFields({{"/Total", "type", "Not a number."}, {"/a/0", "required", "x"}}),
      "R");
  EXPECT_EQ(response.status, 400);
  EXPECT_THAT(response.body,
              HasSubstr(R"("errors":[{"path":"/Total","code":"type","message":"Not a number."},)"
                        R"({"path":"/a/0","code":"required","message":"x"}])"));
}

TEST(ProblemJsonTest, HasAKindForEveryProblemOfAModel) {
  const std::map<ProblemCode, int> statuses = {
      {ProblemCode::kInvalid, 400},           {ProblemCode::kNoAccessPattern, 400},
      {ProblemCode::kBadCursor, 400},         {ProblemCode::kUnauthenticated, 401},
      {ProblemCode::kForbidden, 403},         {ProblemCode::kNotFound, 404},
      {ProblemCode::kAlreadyExists, 409},     {ProblemCode::kKeyChange, 409},
      {ProblemCode::kIllegalTransition, 409}, {ProblemCode::kNotUnique, 409},
      {ProblemCode::kMissingReference, 409},  {ProblemCode::kRestricted, 409},
      {ProblemCode::kConflict, 409},          {ProblemCode::kVersionMismatch, 412},
      {ProblemCode::kItemTooLarge, 413},      {ProblemCode::kRuleFailed, 422}};
  EXPECT_EQ(statuses.size(), static_cast<size_t>(ProblemCode::kRuleFailed) + 1);
  for (const auto& [code, status] : statuses) {
    const ProblemKind* kind = FindProblemKind(entities::ProblemName(code));
    ASSERT_NE(kind, nullptr) << entities::ProblemName(code);
    EXPECT_EQ(kind->status, status) << kind->code;
    EXPECT_EQ(MakeProblem(entities::Problem(code, "x"), "R").status, status) << kind->code;
  }
}

TEST(ProblemJsonTest, TranslatesErrorsOfTheEngine) {
  const auto status_of = [](ErrorCode code) {
    return MakeProblem(Error(code, "because"), "R").status;
  };
  EXPECT_EQ(status_of(ErrorCode::kValidation), 400);
  EXPECT_EQ(status_of(ErrorCode::kInvalidSignature), 401);
  EXPECT_EQ(status_of(ErrorCode::kAccessDenied), 403);
  EXPECT_EQ(status_of(ErrorCode::kTransactionConflict), 409);
  EXPECT_EQ(status_of(ErrorCode::kIdempotentParameterMismatch), 422);
  EXPECT_EQ(status_of(ErrorCode::kUnavailable), 503);
  const auto throttled = MakeProblem(Error(ErrorCode::kThrottling, "slow down"), "R");
  EXPECT_EQ(throttled.status, 429);
  EXPECT_THAT(throttled.headers, Contains(Pair("Retry-After", "1")));
  EXPECT_THAT(throttled.body, HasSubstr(R"("aws":"ThrottlingException")"));
}

TEST(ProblemJsonTest, KeepsWhatHappenedInsideToTheLog) {
  const auto response = MakeProblem(Error::Internal("block 7 is damaged"), "R");
  EXPECT_EQ(response.status, 500);
  EXPECT_THAT(response.body, Not(HasSubstr("block")));
}

TEST(ProblemJsonTest, TakesMembersOfTheCaller) {
  const auto response = MakeProblem(entities::Problem(ProblemCode::kNoAccessPattern, "No."), "R",
                                    R"("patterns":[1])");
  EXPECT_THAT(response.body, HasSubstr(R"("detail":"No.","patterns":[1],"aws")"));
}

}  // namespace
}  // namespace monotable::api::rest
