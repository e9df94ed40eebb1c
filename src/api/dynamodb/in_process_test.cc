#include "api/dynamodb/in_process.h"

#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "storage/memory/memory_store.h"

namespace monotable::api::dynamodb {
namespace {

using testing::HasSubstr;

class InProcessTest : public testing::Test {
 protected:
  void SetUp() override {
    auto engine = engine::Engine::Open(*store_, clock_, {});
    ASSERT_TRUE(engine) << engine.error().message();
    engine_ = std::move(*engine);
  }

  std::string Call(std::string_view operation, std::string_view body) {
    auto answer = CallInProcess(*engine_, operation, body);
    EXPECT_TRUE(answer) << operation << ": " << answer.error().message();
    return answer ? *std::move(answer) : std::string();
  }
  Error Fail(std::string_view operation, std::string_view body) {
    const auto answer = CallInProcess(*engine_, operation, body);
    EXPECT_FALSE(answer) << operation << ": " << *answer;
    return answer ? Error::Internal("it worked") : answer.error();
  }
  void CreateTable() {
    Call("CreateTable", R"({"TableName":"orders","BillingMode":"PAY_PER_REQUEST",
         "AttributeDefinitions":[{"AttributeName":"pk","AttributeType":"S"}],
         "KeySchema":[{"AttributeName":"pk","KeyType":"HASH"}]})");
  }

  std::unique_ptr<storage::Store> store_ = storage::NewMemoryStore();
  engine::SystemClock clock_;
  std::unique_ptr<engine::Engine> engine_;
};

TEST_F(InProcessTest, RunsOperationsThatAnswerAtOnceAndLater) {
  CreateTable();
  EXPECT_THAT(Call("DescribeTable", R"({"TableName":"orders"})"), HasSubstr(R"("ACTIVE")"));
  EXPECT_EQ(Call("PutItem", R"({"TableName":"orders","Item":{"pk":{"S":"a"}}})"), "{}");
  EXPECT_THAT(Call("GetItem", R"({"TableName":"orders","Key":{"pk":{"S":"a"}}})"),
              HasSubstr(R"({"pk":{"S":"a"}})"));
}

TEST_F(InProcessTest, ErrorsAreThoseOfTheProtocol) {
  EXPECT_EQ(Fail("NoSuchThing", "{}").code(), ErrorCode::kUnknownOperation);
  EXPECT_EQ(Fail("ListTables", "{").code(), ErrorCode::kSerialization);
  EXPECT_EQ(Fail("ListTables", "null").code(), ErrorCode::kSerialization);
  EXPECT_EQ(Fail("ListTables", R"({"Limit":"x"})").code(), ErrorCode::kSerialization);
  EXPECT_THAT(Fail("ListTables", R"({"Limit":0})").message(), HasSubstr("1 validation error"));
  const Error missing = Fail("DescribeTable", R"({"TableName":"orders"})");
  EXPECT_EQ(missing.code(), ErrorCode::kResourceNotFound);
  EXPECT_EQ(missing.message(), "Requested resource not found: Table: orders not found");
  CreateTable();
  const Error refused = Fail("PutItem", R"x({"TableName":"orders","Item":{"pk":{"S":"a"}},
                                            "ConditionExpression":"attribute_exists(pk)"})x");
  EXPECT_EQ(refused.code(), ErrorCode::kConditionalCheckFailed);
  EXPECT_EQ(refused.message(), "The conditional request failed");
}

TEST_F(InProcessTest, MayBeCalledFromManyThreads) {
  CreateTable();
  constexpr int kThreads = 4;
  constexpr int kCalls = 50;
  std::vector<std::thread> threads;
  for (int thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back([&] {
      for (int i = 0; i < kCalls; ++i) {
        Call("UpdateItem", R"({"TableName":"orders","Key":{"pk":{"S":"counter"}},
             "UpdateExpression":"ADD n :one","ExpressionAttributeValues":{":one":{"N":"1"}}})");
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_THAT(Call("GetItem", R"({"TableName":"orders","Key":{"pk":{"S":"counter"}}})"),
              HasSubstr(R"({"N":"200"})"));
}

}  // namespace
}  // namespace monotable::api::dynamodb
