#include "server/front_door.h"

#include <gtest/gtest.h>

#include "http/inbox.h"
#include "http/message.h"

namespace monotable::server {
namespace {

// Counts what comes to it.
class Counter : public http::Handler {
 public:
  void Handle(http::Request, http::Responder responder) override {
    ++requests;
    responder.Send({});
  }
  int requests = 0;
};

class FrontDoorTest : public testing::Test {
 protected:
  // Which of the two APIs a request goes to.
  std::string Sent(std::string_view method, std::string_view target, bool has_target = false,
                   bool serves_models = true) {
    Counter dynamodb;
    Counter rest;
    auto storage = std::make_unique<http::Request::Storage>();
    storage->method = method;
    storage->target = target;
    if (has_target) storage->headers.push_back({"x-amz-target", "DynamoDB_20120810.GetItem"});
    auto inbox = std::make_shared<http::Inbox>();
    FrontDoor door(dynamodb, serves_models ? &rest : nullptr);
    door.Handle(http::Request(std::move(storage)),
                http::Responder(std::make_shared<http::Responder::Target>(inbox, 1)));
    EXPECT_EQ(dynamodb.requests + rest.requests, 1);
    return dynamodb.requests == 1 ? "dynamodb" : "rest";
  }
};

TEST_F(FrontDoorTest, SendsDynamoDbItsOwn) {
  EXPECT_EQ(Sent("POST", "/", true), "dynamodb");
  EXPECT_EQ(Sent("POST", "/?X-Amz-Expires=60", true), "dynamodb");
  EXPECT_EQ(Sent("GET", "/"), "dynamodb");
  // What it refuses is refused in its words, whether models are served or not.
  EXPECT_EQ(Sent("POST", "/"), "dynamodb");
  EXPECT_EQ(Sent("PUT", "/"), "dynamodb");
  EXPECT_EQ(Sent("POST", "/sales", true), "dynamodb");
}

TEST_F(FrontDoorTest, SendsTheRestToRest) {
  EXPECT_EQ(Sent("POST", "/sales"), "rest");
  EXPECT_EQ(Sent("GET", "/healthz"), "rest");
}

TEST_F(FrontDoorTest, AnswersForTheServerAsAWhole) {
  Counter dynamodb;
  auto storage = std::make_unique<http::Request::Storage>();
  storage->method = "OPTIONS";
  storage->target = "*";
  auto inbox = std::make_shared<http::Inbox>();
  FrontDoor(dynamodb, nullptr)
      .Handle(http::Request(std::move(storage)),
              http::Responder(std::make_shared<http::Responder::Target>(inbox, 1)));
  auto contents = inbox->Take();
  ASSERT_EQ(contents.answers.size(), 1u);
  const auto response = contents.answers.front().Take();
  ASSERT_TRUE(response);
  EXPECT_EQ(response->status, 204);
  EXPECT_EQ(response->headers[0].first, "Allow");
  EXPECT_EQ(dynamodb.requests, 0);
}

TEST_F(FrontDoorTest, WithoutModelsAllIsDynamoDbs) {
  EXPECT_EQ(Sent("POST", "/", false, false), "dynamodb");
  EXPECT_EQ(Sent("GET", "/sales", false, false), "dynamodb");
}

}  // namespace
}  // namespace monotable::server
