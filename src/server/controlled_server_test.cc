#include <atomic>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "http/http_client_for_tests.h"
#include "server/server.h"

namespace monotable::server {
namespace {

using testing::HasSubstr;
using testing::Not;

// A server with test controls, as a test of an application uses it.
class ControlledServerTest : public testing::Test {
 protected:
  ControlledServerTest() {
    config_.http.port = 0;
    config_.http.threads = 2;
    config_.in_memory = true;
    config_.test_controls = true;
    config_.ttl_delay = std::chrono::milliseconds(0);
  }

  void Start() {
    auto started = Server::Start(config_);
    ASSERT_TRUE(started) << started.error().message();
    server_ = std::move(started).value();
  }

  std::string Send(std::string_view method, std::string_view target, std::string_view headers,
                   std::string_view body) const {
    const std::string url = server_->url();
    http::TestClient client(static_cast<uint16_t>(std::stoi(url.substr(url.rfind(':') + 1))));
    client.Send(fmt::format("{} {} HTTP/1.1\r\nHost: localhost\r\n{}Content-Length: {}\r\n\r\n{}",
                            method, target, headers, body.size(), body));
    const auto answer = client.Receive();
    return answer ? answer->body : "no answer";
  }
  std::string Control(std::string_view name, std::string_view body = "{}") const {
    return Send("POST", fmt::format("/test-controls/{}", name),
                "Content-Type: application/json\r\n", body);
  }
  std::string Call(std::string_view operation, std::string_view body) const {
    constexpr std::string_view kHeaders =
        "Content-Type: application/x-amz-json-1.0\r\n"
        "X-Amz-Target: DynamoDB_20120810.{}\r\n"
        "X-Amz-Date: 20260101T000000Z\r\n"
        "Authorization: AWS4-HMAC-SHA256 Credential=id/20260101/us-east-1/dynamodb/aws4_request, "
        "SignedHeaders=host;x-amz-date, Signature=00\r\n";
    return Send("POST", "/", fmt::format(fmt::runtime(kHeaders), operation), body);
  }
  void CreateTable() const {
    EXPECT_THAT(Call("CreateTable",
                     R"({"TableName": "Music", "BillingMode": "PAY_PER_REQUEST",
                 "AttributeDefinitions": [{"AttributeName": "Id", "AttributeType": "S"}],
                 "KeySchema": [{"AttributeName": "Id", "KeyType": "HASH"}],
                 "StreamSpecification": {"StreamEnabled": true, "StreamViewType": "NEW_IMAGE"}})"),
                HasSubstr("TableDescription"));
  }
  void Put(std::string_view id, int64_t expires = 0) const {
    EXPECT_EQ(
        Call("PutItem", fmt::format(R"({{"TableName": "Music", "Item": {{"Id": {{"S": "{}"}}, )"
                                    R"("Expires": {{"N": "{}"}}}}}})",
                                    id, expires)),
        "{}");
  }
  std::string Scan() const {
    return Call("Scan", R"({"TableName": "Music", "ProjectionExpression": "Id"})");
  }

  Config config_;
  std::unique_ptr<Server> server_;
};

TEST_F(ControlledServerTest, ResetDropsAllTables) {
  Start();
  CreateTable();
  EXPECT_EQ(Control("reset"), "{}");
  EXPECT_EQ(Call("ListTables", "{}"), R"({"TableNames":[]})");
  CreateTable();
}

TEST_F(ControlledServerTest, RestoreBringsBackTablesAndItems) {
  Start();
  CreateTable();
  Put("first");
  EXPECT_EQ(Control("snapshot"), R"({"snapshot":"1"})");
  Put("second");
  EXPECT_THAT(Call("DeleteTable", R"({"TableName": "Music"})"), HasSubstr("DELETING"));
  EXPECT_EQ(Control("restore", R"({"snapshot": "1"})"), "{}");
  EXPECT_EQ(Scan(), R"({"Items":[{"Id":{"S":"first"}}],"Count":1,"ScannedCount":1})");
  EXPECT_THAT(Call("DescribeTable", R"({"TableName": "Music"})"),
              testing::AllOf(HasSubstr(R"("ItemCount":1)"), HasSubstr("LatestStreamArn")));
  Put("third");
  EXPECT_THAT(Scan(), HasSubstr(R"("Count":2)"));
}

TEST_F(ControlledServerTest, TheClockGoesBackWithTheData) {
  Start();
  CreateTable();
  EXPECT_THAT(Call("UpdateTimeToLive",
                   R"({"TableName": "Music", "TimeToLiveSpecification":
                       {"AttributeName": "Expires", "Enabled": true}})"),
              HasSubstr("Expires"));
  const int64_t now_s = engine::SystemClock().NowMs() / 1000;
  Put("soon", now_s + 3600);
  Control("snapshot");
  for (int i = 0; i < 2; ++i) {
    EXPECT_THAT(Scan(), HasSubstr("soon"));
    EXPECT_THAT(Control("advance", R"({"milliseconds": 7200000})"), HasSubstr("now"));
    EXPECT_THAT(Scan(), Not(HasSubstr("soon")));
    EXPECT_EQ(Control("restore", R"({"snapshot": "1"})"), "{}");
  }
  EXPECT_THAT(Scan(), HasSubstr("soon"));
}

TEST_F(ControlledServerTest, ResetPutsTheSamplesOfModelsBack) {
  const auto models = std::filesystem::path(__FILE__).parent_path() / "../../models";
  config_.models = {(models / "sales.model.yaml").string()};
  config_.samples = true;
  Start();
  const std::string_view sale = "/api/v1/sales/sales/SALE001?fields=SaleId";
  const std::string before = Send("GET", sale, "", "");
  EXPECT_THAT(before, HasSubstr("SALE001"));
  const std::string tables = Call("ListTables", "{}");
  EXPECT_EQ(Control("reset"), "{}");
  EXPECT_EQ(Call("ListTables", "{}"), tables);
  EXPECT_EQ(Send("GET", sale, "", ""), before);
}

// Clients may see a table or none, an item or none, but always an answer.
TEST_F(ControlledServerTest, AnswersEveryRequestWhileItsDataIsReplaced) {
  const auto models = std::filesystem::path(__FILE__).parent_path() / "../../models";
  config_.models = {(models / "sales.model.yaml").string()};
  config_.samples = true;
  Start();
  CreateTable();
  EXPECT_EQ(Control("snapshot"), R"({"snapshot":"1"})");
  std::atomic<bool> stop = false;
  std::vector<std::thread> clients;
  for (int i = 0; i < 3; ++i) {
    clients.emplace_back([&, i] {
      while (!stop) {
        const std::string key = fmt::format(
            R"("TableName": "Music", "{}": {{"Id": {{"S": "{}"}}}})", i == 0 ? "Item" : "Key", i);
        if (i == 0) {
          EXPECT_THAT(Call("PutItem", fmt::format("{{{}}}", key)),
                      testing::AnyOf("{}", HasSubstr("ResourceNotFound")));
        } else if (i == 1) {
          EXPECT_THAT(Call("TransactGetItems",
                           fmt::format(R"({{"TransactItems": [{{"Get": {{{}}}}}]}})", key)),
                      testing::AnyOf(HasSubstr("Responses"), HasSubstr("ResourceNotFound")));
        } else {
          EXPECT_THAT(Send("PATCH", "/api/v1/sales/products/PROD001",
                           "Content-Type: application/json\r\n", R"({"Name": "Another"})"),
                      Not(testing::AnyOf("no answer", HasSubstr("InternalServerError"))));
        }
      }
    });
  }
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(Control("restore", R"({"snapshot": "1"})"), "{}");
    EXPECT_EQ(Control("reset"), "{}");
  }
  stop = true;
  for (std::thread& client : clients) client.join();
}

TEST_F(ControlledServerTest, ControlsNeedDataInMemoryAndThisMachine) {
  const auto loads = [](ConfigSources sources) { return LoadConfig(sources).has_value(); };
  using Arguments = std::vector<std::pair<std::string, std::string>>;
  Arguments arguments = {{"test-controls", "true"}};
  EXPECT_FALSE(loads({.arguments = arguments}));
  arguments.emplace_back("in-memory", "true");
  EXPECT_TRUE(loads({.arguments = arguments}));
  arguments.emplace_back("host", "0.0.0.0");
  arguments.emplace_back("access-key-id", "id");
  arguments.emplace_back("secret-access-key", "secret");
  EXPECT_FALSE(loads({.arguments = arguments}));
}

TEST_F(ControlledServerTest, WithoutTheSettingThereAreNoControls) {
  config_.test_controls = false;
  Start();
  CreateTable();
  EXPECT_THAT(Control("reset"), Not(HasSubstr("{}")));
  EXPECT_THAT(Call("ListTables", "{}"), HasSubstr("Music"));
}

}  // namespace
}  // namespace monotable::server
