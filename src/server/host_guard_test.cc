#include "server/host_guard.h"

#include <memory>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "http/inbox.h"
#include "http/message.h"

namespace monotable::server {
namespace {

using testing::HasSubstr;

// Lets everything in, and answers what the guard refuses.
class OpenHouse : public http::Handler {
 public:
  void Handle(http::Request, http::Responder responder) override { responder.Send({}); }
};

// The answer to a request with these headers, of a server that has one name of its own.
http::Response Answer(const std::vector<http::Header>& headers, std::string_view method = "POST") {
  auto storage = std::make_unique<http::Request::Storage>();
  storage->method = method;
  storage->target = "/";
  storage->headers = headers;
  OpenHouse house;
  HostGuard guard(house, {"Monotable.internal", "192.168.7.1", "fd00::1"});
  auto inbox = std::make_shared<http::Inbox>();
  guard.Handle(http::Request(std::move(storage)),
               http::Responder(std::make_shared<http::Responder::Target>(inbox, 1)));
  auto contents = inbox->Take();
  EXPECT_EQ(contents.answers.size(), 1u);
  return contents.answers.front().Take().value_or(http::Response{});
}

bool AcceptsHost(std::string_view host) {
  return Answer({{"host", host}}).status == 200;
}

bool AcceptsOrigin(std::string_view origin) {
  return Answer({{"Host", "localhost:8000"}, {"Origin", origin}}).status == 200;
}

TEST(HostGuardTest, AcceptsLoopbackNamesWithAnyPort) {
  for (const std::string_view host :
       {"localhost", "localhost:8000", "LocalHost:1", "localhost.", "localhost.:80",
        "localhost:", "127.0.0.1", "127.0.0.1:8000", "127.1.2.3:8000", "127.255.255.255", "[::1]",
        "[::1]:8000", "[0:0:0:0:0:0:0:1]:80", "api.localhost:3000", "a.b.LOCALHOST"}) {
    EXPECT_TRUE(AcceptsHost(host)) << host;
  }
}

// A page whose name was pointed at this machine (DNS rebinding) sends its own name.
TEST(HostGuardTest, RefusesOtherNames) {
  for (const std::string_view host : {"evil.example",
                                      "evil.example:8000",
                                      "localhost.evil.example",
                                      "127.0.0.1.evil.example",
                                      "127.0.0.1evil",
                                      "localhostevil:80",
                                      "notlocalhost",
                                      ".localhost.evil",
                                      "128.0.0.1",
                                      "127.0.0.256",
                                      "127.1",
                                      "0.0.0.0:8000",
                                      "[::]:8000",
                                      "[::2]",
                                      "[::1",
                                      "[::1]x",
                                      "::1",
                                      "localhost:80x",
                                      "127.0.0.1:80@evil",
                                      "127.0.0.1:8000.evil",
                                      "10.0.0.1",
                                      "",
                                      ":8000",
                                      ".",
                                      "[]",
                                      "[]:80",
                                      "user@localhost"}) {
    EXPECT_FALSE(AcceptsHost(host)) << host;
  }
}

TEST(HostGuardTest, AcceptsTheNamesOfTheOperator) {
  for (const std::string_view host : {"monotable.internal", "MONOTABLE.INTERNAL:8000",
                                      "monotable.internal.", "192.168.7.1:80", "[fd00::1]:8000"}) {
    EXPECT_TRUE(AcceptsHost(host)) << host;
  }
  EXPECT_FALSE(AcceptsHost("x.monotable.internal"));
  EXPECT_FALSE(AcceptsHost("192.168.7.10"));
  EXPECT_TRUE(AcceptsOrigin("https://monotable.internal"));
}

// Tools that speak HTTP/1.0 send no Host. Browsers always do.
TEST(HostGuardTest, AcceptsRequestsWithoutHost) {
  EXPECT_EQ(Answer({}).status, 200);
  EXPECT_EQ(Answer({{"Origin", "http://evil.example"}}).status, 403);
}

TEST(HostGuardTest, RefusesPagesOfOtherNames) {
  for (const std::string_view origin :
       {"http://localhost:8000", "http://127.0.0.1:3000", "https://localhost", "http://[::1]:5173",
        "http://app.localhost"}) {
    EXPECT_TRUE(AcceptsOrigin(origin)) << origin;
  }
  for (const std::string_view origin :
       {"http://evil.example", "https://localhost.evil.example:8000", "null", "", "file://",
        "localhost", "http://evil.example/localhost", "http://localhost@evil.example"}) {
    EXPECT_FALSE(AcceptsOrigin(origin)) << origin;
  }
  // Two origins are one too many.
  EXPECT_EQ(Answer({{"Origin", "http://localhost"}, {"Origin", "http://evil.example"}}).status,
            403);
}

// Images and scripts are fetched without Origin. Browsers say where they come from nevertheless.
TEST(HostGuardTest, RefusesWhatPagesOfOtherSitesLoad) {
  const auto status = [](std::string_view site, std::string_view mode) {
    return Answer({{"Host", "127.0.0.1:8000"}, {"Sec-Fetch-Mode", mode}, {"Sec-Fetch-Site", site}},
                  "GET")
        .status;
  };
  EXPECT_EQ(status("cross-site", "no-cors"), 403);
  EXPECT_EQ(status("cross-site", "cors"), 403);
  EXPECT_EQ(status("cross-site", "navigate"), 200);  // somebody followed a link
  EXPECT_EQ(status("same-origin", "cors"), 200);
  EXPECT_EQ(status("same-site", "no-cors"), 200);
  EXPECT_EQ(status("none", "navigate"), 200);
  // An application on localhost:3000 is of another site than 127.0.0.1, but on this machine.
  EXPECT_EQ(Answer({{"Host", "127.0.0.1:8000"},
                    {"Origin", "http://localhost:3000"},
                    {"Sec-Fetch-Site", "cross-site"},
                    {"Sec-Fetch-Mode", "cors"}})
                .status,
            200);
}

TEST(HostGuardTest, SaysWhatToDo) {
  EXPECT_THAT(Answer({{"Host", "dynamodb:8000"}}).body,
              HasSubstr("Host is 'dynamodb:8000'. While this server has no access keys, it answers "
                        "only to loopback names such as localhost. Start it with --allowed-host "
                        "dynamodb, or with access keys."));
  EXPECT_THAT(Answer({{"Origin", "https://app.example:1"}}).body,
              HasSubstr("--allowed-host app.example,"));
  EXPECT_THAT(Answer({{"Origin", "null"}}).body, HasSubstr("--allowed-host NAME,"));
}

}  // namespace
}  // namespace monotable::server
