#include "api/dynamodb/service.h"

#include <cctype>
#include <map>
#include <memory>
#include <string>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <libdeflate.h>
#include <poll.h>

#include "http/inbox.h"
#include "http/message.h"
#include "storage/memory/memory_store.h"

namespace monotable::api::dynamodb {
namespace {

using testing::HasSubstr;

constexpr std::string_view kAuthorization =
    "AWS4-HMAC-SHA256 Credential=AKID/20261115/us-east-1/dynamodb/aws4_request, "
    "SignedHeaders=host;x-amz-date, "
    "Signature=0000000000000000000000000000000000000000000000000000000000000000";

// A request as a test writes it down.
struct Ask {
  std::string method = "POST";
  std::string target = "/";
  std::string body = {};
  std::map<std::string, std::string> headers = {};
};

// The service over an engine in memory, called as the HTTP server calls it.
class ServiceTest : public testing::Test {
 protected:
  void SetUp() override {
    auto engine = engine::Engine::Open(*store_, clock_, {});
    ASSERT_TRUE(engine) << engine.error().message();
    engine_ = std::move(*engine);
    service_ = std::make_unique<Service>(*engine_, executor_, authenticator_);
  }

  http::Response Send(const Ask& ask) {
    auto storage = std::make_unique<http::Request::Storage>();
    storage->method = ask.method;
    storage->target = ask.target;
    for (const auto& [name, value] : ask.headers) storage->headers.push_back({name, value});
    storage->body.reserve(ask.body.size() + http::Request::kPadding);
    storage->body = ask.body;
    auto inbox = std::make_shared<http::Inbox>();
    service_->Handle(http::Request(std::move(storage)),
                     http::Responder(std::make_shared<http::Responder::Target>(inbox, 1)));
    for (int i = 0; i < 2; ++i) {
      auto contents = inbox->Take();
      if (!contents.answers.empty()) {
        if (auto response = contents.answers.front().Take()) return *std::move(response);
      }
      pollfd wait{inbox->event_fd(), POLLIN, 0};
      poll(&wait, 1, 10000);
    }
    ADD_FAILURE() << "no answer to " << ask.body;
    return {};
  }

  static Ask Operation(std::string_view name, std::string body) {
    return {.body = std::move(body),
            .headers = {{"Host", "localhost:8000"},
                        {"content-type", "application/x-amz-json-1.0"},
                        {"x-amz-target", std::string("DynamoDB_20120810.").append(name)},
                        {"X-Amz-Date", "20261115T064729Z"},
                        {"Authorization", std::string(kAuthorization)}}};
  }

  // The body of an answer that must have a status.
  std::string Call(std::string_view name, std::string body, int status = 200) {
    const http::Response response = Send(Operation(name, std::move(body)));
    EXPECT_EQ(response.status, status) << name << ": " << response.body;
    return response.body;
  }

  void CreateTable() {
    Call("CreateTable", R"({"TableName":"orders","BillingMode":"PAY_PER_REQUEST",
         "AttributeDefinitions":[{"AttributeName":"pk","AttributeType":"S"}],
         "KeySchema":[{"AttributeName":"pk","KeyType":"HASH"}]})");
  }

  std::unique_ptr<storage::Store> store_ = storage::NewMemoryStore();
  engine::SystemClock clock_;
  auth::Authenticator authenticator_{auth::Credentials()};
  std::unique_ptr<engine::Engine> engine_;
  work::Executor executor_;
  std::unique_ptr<Service> service_;
};

TEST_F(ServiceTest, AnswersHealthChecks) {
  const auto response = Send({.method = "GET"});
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(response.body, "healthy: dynamodb.us-east-1.amazonaws.com ");
}

TEST_F(ServiceTest, KnowsNoOtherPagesMethodsOrContents) {
  EXPECT_EQ(Send({.method = "GET", .target = "/other"}).status, 404);
  EXPECT_EQ(Send({.method = "PUT"}).status, 404);
  Ask form = Operation("ListTables", "{}");
  form.headers["content-type"] = "application/x-www-form-urlencoded";
  EXPECT_EQ(Send(form).status, 404);
}

TEST_F(ServiceTest, AnswersUnknownOperationsBeforeAnythingElse) {
  Ask ask = Operation("NoSuchThing", "{");
  ask.headers.erase("Authorization");
  for (const char* target : {"DynamoDB_20120810.NoSuchThing", "DynamoDB_20120810.", "ListTables",
                             "DynamoDBStreams_20120810.ListTables", ""}) {
    ask.headers["x-amz-target"] = target;
    const auto response = Send(ask);
    EXPECT_EQ(response.status, 400);
    EXPECT_EQ(response.body, R"({"__type":"com.amazon.coral.service#UnknownOperationException"})");
  }
}

TEST_F(ServiceTest, AnswersBadJsonBeforeItAsksForASignature) {
  Ask ask = Operation("ListTables", "");
  ask.headers.erase("Authorization");
  for (const char* body : {"", "{", "[]", "null", "\"x\"", "{}{}", "{\"a\":\"\xff\"}"}) {
    ask.body = body;
    const auto response = Send(ask);
    EXPECT_EQ(response.status, 400);
    EXPECT_THAT(response.body, HasSubstr("SerializationException")) << body;
  }
  ask.body = "{}";
  EXPECT_THAT(Send(ask).body, HasSubstr("MissingAuthenticationTokenException"));
  ask.body = R"({"Limit":"x"})";
  EXPECT_THAT(Send(ask).body, HasSubstr("MissingAuthenticationTokenException"));
}

TEST_F(ServiceTest, SendsTheHeadersOfTheService) {
  const auto response = Send(Operation("ListTables", "{}"));
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(response.content_type, "application/x-amz-json-1.0");
  const std::map<std::string, std::string> headers(response.headers.begin(),
                                                   response.headers.end());
  const std::string& id = headers.at("x-amzn-RequestId");
  EXPECT_EQ(id.size(), 52u);
  for (const char c : id) EXPECT_TRUE(std::isupper(c) || std::isdigit(c)) << id;
  const uint32_t crc = libdeflate_crc32(0, response.body.data(), response.body.size());
  EXPECT_EQ(headers.at("x-amz-crc32"), std::to_string(crc));
  const auto again = Send(Operation("ListTables", "{}"));
  EXPECT_NE(again.headers, response.headers);
}

TEST_F(ServiceTest, AnswersPlainJsonWithPlainJson) {
  Ask ask = Operation("ListTables", "{}");
  ask.headers["content-type"] = "application/json; charset=utf-8";
  EXPECT_EQ(Send(ask).content_type, "application/json");
}

TEST_F(ServiceTest, PutsAndGetsAnItem) {
  CreateTable();
  EXPECT_EQ(Call("PutItem", R"({"TableName":"orders","Item":{"pk":{"S":"ação"},
                 "total":{"N":"12.50"},"tags":{"SS":["b","a"]}}})"),
            "{}");
  EXPECT_EQ(Call("GetItem", R"({"TableName":"orders","Key":{"pk":{"S":"a\u00e7\u00e3o"}},
                 "ConsistentRead":true,"ReturnConsumedCapacity":"TOTAL"})"),
            R"({"Item":{"pk":{"S":"ação"},"tags":{"SS":["a","b"]},"total":{"N":"12.5"}},)"
            R"("ConsumedCapacity":{"TableName":"orders","CapacityUnits":1.0}})");
  EXPECT_EQ(Call("GetItem", R"({"TableName":"orders","Key":{"pk":{"S":"none"}}})"), "{}");
}

TEST_F(ServiceTest, RunsEveryKindOfOperation) {
  CreateTable();
  EXPECT_EQ(Call("UpdateItem", R"({"TableName":"orders","Key":{"pk":{"S":"a"}},
                 "UpdateExpression":"SET n = :n","ExpressionAttributeValues":{":n":{"N":"1"}},
                 "ReturnValues":"ALL_NEW"})"),
            R"({"Attributes":{"n":{"N":"1"},"pk":{"S":"a"}}})");
  EXPECT_EQ(Call("BatchWriteItem",
                 R"({"RequestItems":{"orders":[{"PutRequest":{"Item":{"pk":{"S":"b"}}}}]}})"),
            R"({"UnprocessedItems":{}})");
  EXPECT_EQ(Call("TransactWriteItems",
                 R"({"TransactItems":[{"Put":{"TableName":"orders","Item":{"pk":{"S":"c"}}}}]})"),
            "{}");
  EXPECT_EQ(Call("Query", R"({"TableName":"orders","KeyConditionExpression":"pk = :p",
                 "ExpressionAttributeValues":{":p":{"S":"b"}}})"),
            R"({"Items":[{"pk":{"S":"b"}}],"Count":1,"ScannedCount":1})");
  EXPECT_EQ(Call("Scan", R"({"TableName":"orders","Select":"COUNT"})"),
            R"({"Count":3,"ScannedCount":3})");
  EXPECT_EQ(Call("BatchGetItem",
                 R"({"RequestItems":{"orders":{"Keys":[{"pk":{"S":"c"}},{"pk":{"S":"d"}}]}}})"),
            R"({"Responses":{"orders":[{"pk":{"S":"c"}}]},"UnprocessedKeys":{}})");
  EXPECT_EQ(Call("TransactGetItems",
                 R"({"TransactItems":[{"Get":{"TableName":"orders","Key":{"pk":{"S":"c"}}}}]})"),
            R"({"Responses":[{"Item":{"pk":{"S":"c"}}}]})");
  EXPECT_EQ(Call("DeleteItem", R"({"TableName":"orders","Key":{"pk":{"S":"c"}},
                 "ReturnValues":"ALL_OLD"})"),
            R"({"Attributes":{"pk":{"S":"c"}}})");
  EXPECT_EQ(Call("ListTables", "{}"), R"({"TableNames":["orders"]})");
  EXPECT_THAT(Call("DescribeTable", R"({"TableName":"orders"})"),
              HasSubstr(R"("TableStatus":"ACTIVE")"));
  EXPECT_THAT(Call("DescribeLimits", "{}"), HasSubstr("AccountMaxReadCapacityUnits"));
  EXPECT_THAT(Call("DescribeEndpoints", "{}"), HasSubstr(R"("Address":"localhost:8000")"));
  EXPECT_THAT(Call("DeleteTable", R"({"TableName":"orders"})"),
              HasSubstr(R"("TableStatus":"DELETING")"));
}

TEST_F(ServiceTest, AnswersTagsWithAnEmptyBody) {
  CreateTable();
  const std::string arn = engine_->TableArn("orders");
  EXPECT_EQ(
      Call("TagResource", R"({"ResourceArn":")" + arn + R"(","Tags":[{"Key":"k","Value":"v"}]})"),
      "");
  EXPECT_EQ(Call("ListTagsOfResource", R"({"ResourceArn":")" + arn + "\"}"),
            R"({"Tags":[{"Key":"k","Value":"v"}]})");
}

TEST_F(ServiceTest, ReportsErrorsOfEveryStage) {
  CreateTable();
  EXPECT_THAT(Call("GetItem", R"({"TableName":5})", 400),
              HasSubstr("NUMBER_VALUE cannot be converted to String"));
  EXPECT_THAT(Call("GetItem", R"({"Key":{}})", 400), HasSubstr("Value null at 'tableName'"));
  EXPECT_THAT(Call("GetItem", R"({"TableName":"none","Key":{"pk":{}}})", 400),
              HasSubstr("Supplied AttributeValue is empty"));
  EXPECT_THAT(Call("GetItem", R"({"TableName":"none","Key":{"pk":{"S":"a"}}})", 400),
              HasSubstr("ResourceNotFoundException"));
  EXPECT_THAT(Call("PutItem", R"({"TableName":"orders","Item":{"pk":{"S":"a"}},
                   "ConditionExpression":"pk = :none",
                   "ExpressionAttributeValues":{":none":{"S":"x"}}})",
                   400),
              HasSubstr("ConditionalCheckFailedException"));
}

TEST_F(ServiceTest, TakesLargeBodies) {
  CreateTable();
  const std::string text(200000, 'x');
  EXPECT_EQ(Call("PutItem",
                 R"({"TableName":"orders","Item":{"pk":{"S":"big"},"t":{"S":")" + text + "\"}}}"),
            "{}");
  EXPECT_THAT(Call("GetItem", R"({"TableName":"orders","Key":{"pk":{"S":"big"}}})"),
              HasSubstr(text));
}

TEST_F(ServiceTest, ThrottlesWhenTheWorkersAreFull) {
  work::Executor full({.max_queued = 0});
  service_ = std::make_unique<Service>(*engine_, full, authenticator_);
  EXPECT_THAT(Call("ListTables", "{}", 400), HasSubstr("ThrottlingException"));
}

// A service whose executor takes nothing shows which reads leave the I/O thread.
TEST_F(ServiceTest, LongReadsLeaveTheThreadOfTheConnection) {
  CreateTable();
  const std::string large(60000, 'x');
  for (const char* key : {"a", "b", "c", "d"}) {
    Call("PutItem", fmt::format(R"({{"TableName":"orders","Item":{{"pk":{{"S":"{}"}},)"
                                R"("t":{{"S":"{}"}}}}}})",
                                key, large));
  }
  const std::string get = R"({"TableName":"orders","Key":{"pk":{"S":"a"}}})";
  const std::string batch =
      R"({"RequestItems":{"orders":{"Keys":[{"pk":{"S":"a"}},{"pk":{"S":"b"}},)"
      R"({"pk":{"S":"c"}}]}}})";
  std::string filter = "contains(t, :y)";
  for (int i = 0; i < 20; ++i) filter += " OR contains(t, :y)";
  const std::string query = fmt::format(
      R"({{"TableName":"orders","KeyConditionExpression":"pk = :pk","FilterExpression":"{}",)"
      R"("ExpressionAttributeValues":{{":pk":{{"S":"a"}},":y":{{"S":"y"}}}}}})",
      filter);
  EXPECT_THAT(Call("Query", query), HasSubstr(R"("Count":0,"ScannedCount":1)"));
  EXPECT_THAT(Call("BatchGetItem", batch), HasSubstr(R"("pk":{"S":"c"})"));

  work::Executor full({.max_queued = 0});
  service_ = std::make_unique<Service>(*engine_, full, authenticator_);
  EXPECT_THAT(Call("GetItem", get), HasSubstr(large));
  EXPECT_THAT(Call("BatchGetItem", batch, 400), HasSubstr("ThrottlingException"));
  EXPECT_THAT(Call("Query", query, 400), HasSubstr("ThrottlingException"));

  work::Executor strict({.max_units = 1'000'000});
  service_ = std::make_unique<Service>(*engine_, strict, authenticator_);
  EXPECT_THAT(Call("Query", query, 400), HasSubstr("more work than the server does"));
  EXPECT_THAT(Call("BatchGetItem", batch), HasSubstr(R"("pk":{"S":"c"})"));
}

// An executor that stops after the first slice shows which answers it makes.
TEST_F(ServiceTest, LargeAnswersOfWritesAreMadeOnTheExecutor) {
  CreateTable();
  const auto item = [](std::string_view key, size_t size) {
    return fmt::format(R"("Item":{{"pk":{{"S":"{}"}},"t":{{"S":"{}"}}}})", key,
                       std::string(size, 'x'));
  };
  const auto refused = [](std::string_view key) {
    return fmt::format(R"({{"Put":{{"TableName":"orders","Item":{{"pk":{{"S":"{}"}}}},)"
                       R"("ConditionExpression":"attribute_not_exists(pk) ",)"
                       R"("ReturnValuesOnConditionCheckFailure":"ALL_OLD"}}}})",
                       key);
  };
  const std::string put = R"({"TableName":"orders",)";
  Call("PutItem", put + item("a", 350'000) + "}");
  Call("PutItem", put + item("b", 350'000) + "}");
  Call("PutItem", put + item("c", 50'000) + "}");
  work::Executor strict({.max_units = 1000});
  service_ = std::make_unique<Service>(*engine_, strict, authenticator_);
  const std::string begin = R"({"TransactItems":[)";
  const std::string small = begin + refused("c") + "]}";
  const std::string large = begin + refused("a") + "," + refused("b") + "]}";
  EXPECT_THAT(Call("TransactWriteItems", small, 400), HasSubstr("xxx"));
  EXPECT_THAT(Call("TransactWriteItems", large, 400), HasSubstr("more work than the server does"));
}

}  // namespace
}  // namespace monotable::api::dynamodb
