#include "api/dynamodb/answer.h"

#include <memory>

#include <gtest/gtest.h>

#include "encoding/item.h"
#include "operations/parameters.h"
#include "wire/error_json.h"

namespace monotable::api::dynamodb {
namespace {

std::string EncodedError(const Error& error) {
  std::string out;
  EncodeError(error, &out);
  return out;
}

encoding::EncodedItem SomeItem() {
  item::Item item;
  item.Set("a", item::Value("não"));
  return encoding::EncodeItem(item);
}

TEST(ErrorJsonTest, NamesErrorsAsTheServiceDoes) {
  struct Case {
    ErrorCode code;
    int status;
    std::string_view json;
  };
  const Case cases[] = {
      {ErrorCode::kValidation, 400,
       R"({"__type":"com.amazon.coral.validate#ValidationException","message":"m"})"},
      {ErrorCode::kResourceNotFound, 400,
       R"({"__type":"com.amazonaws.dynamodb.v20120810#ResourceNotFoundException","message":"m"})"},
      {ErrorCode::kResourceInUse, 400,
       R"({"__type":"com.amazonaws.dynamodb.v20120810#ResourceInUseException","message":"m"})"},
      {ErrorCode::kSerialization, 400,
       R"({"__type":"com.amazon.coral.service#SerializationException","Message":"m"})"},
      {ErrorCode::kAccessDenied, 400,
       R"({"__type":"com.amazon.coral.service#AccessDeniedException","Message":"m"})"},
      {ErrorCode::kTransactionInProgress, 400,
       R"({"__type":"com.amazonaws.dynamodb.v20120810#TransactionInProgressException",)"
       R"("Message":"m"})"},
      {ErrorCode::kIdempotentParameterMismatch, 400,
       R"({"__type":"com.amazonaws.dynamodb.v20120810#IdempotentParameterMismatchException",)"
       R"("Message":"m"})"},
      {ErrorCode::kThrottling, 400,
       R"({"__type":"com.amazon.coral.availability#ThrottlingException","message":"m"})"},
      {ErrorCode::kUnrecognizedClient, 400,
       R"({"__type":"com.amazon.coral.service#UnrecognizedClientException","message":"m"})"},
  };
  for (const Case& test : cases) {
    EXPECT_EQ(EncodedError(Error(test.code, "m")), test.json);
    EXPECT_EQ(wire::HttpStatus(test.code), test.status);
  }
}

TEST(ErrorJsonTest, LeavesOutAnEmptyMessage) {
  EXPECT_EQ(EncodedError(Error(ErrorCode::kUnknownOperation, "")),
            R"({"__type":"com.amazon.coral.service#UnknownOperationException"})");
}

// A message may repeat a header of the client.
TEST(ErrorJsonTest, IsAlwaysUtf8) {
  EXPECT_EQ(EncodedError(Error::Validation("Host is 'loc\xff'")),
            R"({"__type":"com.amazon.coral.validate#ValidationException",)"
            R"("message":"Host is 'loc?'"})");
}

TEST(ErrorJsonTest, LeaksNothingInternal) {
  EXPECT_EQ(EncodedError(Error::Internal("/var/lib/monotable: disk full")),
            R"({"__type":"com.amazonaws.dynamodb.v20120810#InternalServerError",)"
            R"("message":"Internal server error"})");
  EXPECT_EQ(wire::HttpStatus(ErrorCode::kInternal), 500);
  EXPECT_EQ(wire::HttpStatus(ErrorCode::kUnavailable), 503);
}

TEST(ErrorJsonTest, CarriesTheItemThatFailedACondition) {
  const Error error(ErrorCode::kConditionalCheckFailed, "The conditional request failed",
                    std::make_shared<operations::ConditionFailureDetail>(SomeItem()));
  EXPECT_EQ(EncodedError(error),
            R"({"__type":"com.amazonaws.dynamodb.v20120810#ConditionalCheckFailedException",)"
            R"("message":"The conditional request failed","Item":{"a":{"S":"não"}}})");
}

TEST(ErrorJsonTest, CarriesTheReasonsOfACancelledTransaction) {
  std::vector<operations::CancellationReason> reasons(2);
  reasons[0] = {"ConditionalCheckFailed", "The conditional request failed", SomeItem()};
  const Error error(ErrorCode::kTransactionCanceled, "cancelled",
                    std::make_shared<operations::TransactionCanceledDetail>(std::move(reasons)));
  EXPECT_EQ(EncodedError(error),
            R"({"__type":"com.amazonaws.dynamodb.v20120810#TransactionCanceledException",)"
            R"("Message":"cancelled","CancellationReasons":[{"Code":"ConditionalCheckFailed",)"
            R"("Item":{"a":{"S":"não"}},"Message":"The conditional request failed"},)"
            R"({"Code":"None"}]})");
}

TEST(ErrorJsonTest, ReadsWhatItWrites) {
  for (const ErrorCode code : {ErrorCode::kAccessDenied, ErrorCode::kResourceNotFound,
                               ErrorCode::kUnknownOperation, ErrorCode::kValidation}) {
    const Error read = wire::DecodeError(400, EncodedError(Error(code, "não")));
    EXPECT_EQ(read.code(), code);
    EXPECT_EQ(read.message(), "não");
  }
  EXPECT_EQ(wire::DecodeError(400, EncodedError(Error(ErrorCode::kUnknownOperation, ""))).message(),
            "");
}

TEST(ErrorJsonTest, ReadsAnswersOfOtherServers) {
  const Error other =
      wire::DecodeError(400, R"({"__type":"com.example#OddException","message":"odd"})");
  EXPECT_EQ(other.code(), ErrorCode::kInternal);
  EXPECT_EQ(other.message(), "OddException: odd");
  EXPECT_EQ(wire::DecodeError(400, R"({"__type":"ThrottlingException"})").code(),
            ErrorCode::kThrottling);
  for (const char* body : {"", "<html>", "[]", "{}", R"({"__type":1})"}) {
    EXPECT_EQ(wire::DecodeError(502, body).message(), "the server answered with status 502")
        << body;
  }
}

}  // namespace
}  // namespace monotable::api::dynamodb
