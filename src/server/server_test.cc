#include "server/server.h"

#include <filesystem>
#include <string>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

namespace monotable::server {
namespace {

using testing::HasSubstr;

class ServerTest : public testing::Test {
 protected:
  ServerTest() : folder_(fmt::format("{}monotable_server_test_{}", testing::TempDir(), getpid())) {
    config_.http.port = 0;
    config_.http.threads = 1;
    config_.data_folder = folder_;
  }
  ~ServerTest() override { std::filesystem::remove_all(folder_); }

  std::string StartError() const {
    const auto server = Server::Start(config_);
    return server ? "" : server.error().message();
  }

  std::string folder_;
  Config config_;
};

TEST_F(ServerTest, StartsDrainsAndStartsAgain) {
  for (int i = 0; i < 2; ++i) {
    const auto server = Server::Start(config_);
    ASSERT_TRUE(server) << server.error().message();
    EXPECT_THAT((*server)->url(), testing::MatchesRegex("http://127.0.0.1:[0-9]+"));
    EXPECT_EQ((*server)->data_description(), fmt::format("data: {}, durable", folder_));
    (*server)->Drain(std::chrono::seconds(10));
  }
}

TEST_F(ServerTest, InMemoryLeavesNothingBehind) {
  config_.in_memory = true;
  const auto server = Server::Start(config_);
  ASSERT_TRUE(server) << server.error().message();
  EXPECT_THAT((*server)->data_description(), HasSubstr("in memory"));
  EXPECT_FALSE(std::filesystem::exists(folder_));
}

TEST_F(ServerTest, SaysThatTheFolderIsInUse) {
  const auto first = Server::Start(config_);
  ASSERT_TRUE(first) << first.error().message();
  const std::string error = StartError();
  EXPECT_THAT(error, HasSubstr(folder_));
  EXPECT_THAT(error, testing::Not(HasSubstr("\n")));
}

TEST_F(ServerTest, SaysThatTheCredentialsCannotBeRead) {
  config_.credentials_file = "/does/not/exist";
  EXPECT_EQ(StartError(), "Cannot read the credentials file '/does/not/exist'.");
  EXPECT_FALSE(std::filesystem::exists(folder_)) << "found out before the data was touched";
}

TEST_F(ServerTest, WritesIpv6AddressesAsUrls) {
  config_.in_memory = true;
  config_.http.host = "::1";
  const auto server = Server::Start(config_);
  if (!server) GTEST_SKIP() << "no IPv6 here";
  EXPECT_THAT((*server)->url(), testing::StartsWith("http://[::1]:"));
}

}  // namespace
}  // namespace monotable::server
