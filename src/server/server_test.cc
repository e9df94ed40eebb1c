#include "server/server.h"

#include <filesystem>
#include <string>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "http/http_client_for_tests.h"

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

  // The body of the answer to a GET.
  static std::string Get(const Server& server, std::string_view target) {
    const std::string url = server.url();
    http::TestClient client(static_cast<uint16_t>(std::stoi(url.substr(url.rfind(':') + 1))));
    client.Send(fmt::format("GET {} HTTP/1.1\r\nHost: localhost\r\n\r\n", target));
    const auto answer = client.Receive();
    return answer ? answer->body : "no answer";
  }

  void ServeSales() {
    const auto models = std::filesystem::path(__FILE__).parent_path() / "../../models";
    config_.models = {(models / "sales.model.yaml").string()};
    config_.samples = true;
  }

  std::string folder_;
  Config config_;
};

// Nobody else on the machine may read the data, whatever the umask of the operator.
TEST_F(ServerTest, KeepsItsFilesToItself) {
  namespace fs = std::filesystem;
  const mode_t before = umask(0);
  ServeSales();
  fs::create_directory(folder_);
  ASSERT_EQ(chmod(folder_.c_str(), 0755), 0);
  const auto server = Server::Start(config_);
  umask(before);
  ASSERT_TRUE(server) << server.error().message();
  const auto others = [](const fs::path& path) {
    return fs::status(path).permissions() & (fs::perms::group_all | fs::perms::others_all);
  };
  EXPECT_EQ(others(folder_), fs::perms::none);
  size_t files = 0;
  for (const auto& entry : fs::recursive_directory_iterator(folder_)) {
    EXPECT_EQ(others(entry.path()), fs::perms::none) << entry.path();
    ++files;
  }
  EXPECT_GT(files, 4u);
}

// Without access keys, the name in Host is all that tells a web page from a program.
TEST_F(ServerTest, WithoutKeysAnswersOnlyToItsOwnNames) {
  ServeSales();
  config_.in_memory = true;
  config_.allowed_hosts = {"db.example"};
  const auto status = [](const Server& server, std::string_view host, std::string_view target) {
    const std::string url = server.url();
    http::TestClient client(static_cast<uint16_t>(std::stoi(url.substr(url.rfind(':') + 1))));
    client.Send(fmt::format("GET {} HTTP/1.1\r\nHost: {}\r\n\r\n", target, host));
    const auto answer = client.Receive();
    return answer ? answer->status : 0;
  };
  {
    const auto server = Server::Start(config_);
    ASSERT_TRUE(server) << server.error().message();
    for (const std::string_view target :
         {"/", "/docs", "/api/v1/sales/sales", "/test-controls/x"}) {
      EXPECT_EQ(status(**server, "evil.example", target), 403) << target;
      EXPECT_NE(status(**server, "db.example:1", target), 403) << target;
      EXPECT_NE(status(**server, "127.0.0.1", target), 403) << target;
    }
    // The authority of the target counts, not the header.
    EXPECT_EQ(status(**server, "localhost", "http://evil.example/docs"), 403);
    EXPECT_EQ(status(**server, "evil.example", "http://localhost/docs"), 200);
  }
  config_.access_key_id = "ID";
  config_.secret_access_key = "secret";
  const auto server = Server::Start(config_);
  ASSERT_TRUE(server) << server.error().message();
  EXPECT_EQ(status(**server, "behind.a.proxy", "/docs"), 200);
  EXPECT_EQ(status(**server, "behind.a.proxy", "/api/v1/sales/sales"), 401);
}

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

TEST_F(ServerTest, WithoutModelsItSpeaksDynamoDbOnly) {
  config_.in_memory = true;
  const auto server = Server::Start(config_);
  ASSERT_TRUE(server) << server.error().message();
  EXPECT_THAT(Get(**server, "/"), HasSubstr("healthy: dynamodb"));
  EXPECT_EQ(Get(**server, "/healthz"), "<UnknownOperationException/>\n");
}

TEST_F(ServerTest, ServesModelsBesideDynamoDb) {
  ServeSales();
  config_.in_memory = true;
  const auto server = Server::Start(config_);
  ASSERT_TRUE(server) << server.error().message();
  EXPECT_THAT(Get(**server, "/"), HasSubstr("healthy: dynamodb"));
  EXPECT_THAT(Get(**server, "/sales/SALE001"), HasSubstr(R"("SaleId":"SALE001")"));
  EXPECT_THAT(Get(**server, "/api/v1/sales/pipeline"), HasSubstr(R"("INVOICED":1)"));
}

TEST_F(ServerTest, CursorsOutliveARestart) {
  ServeSales();
  std::string after;
  {
    const auto server = Server::Start(config_);
    ASSERT_TRUE(server) << server.error().message();
    const std::string body = Get(**server, "/sales/SALE001/full?limit=1");
    const size_t at = body.find(R"("next":")");
    ASSERT_NE(at, std::string::npos) << body;
    after = body.substr(at + 8, body.find('"', at + 8) - at - 8);
  }
  const auto server = Server::Start(config_);
  ASSERT_TRUE(server) << server.error().message();
  EXPECT_THAT(Get(**server, "/sales/SALE001/full?after=" + after), HasSubstr(R"("lines":[{)"));
}

TEST_F(ServerTest, SaysThatTheSecretOfTokensCannotBeRead) {
  config_.jwt_secret_file = "/does/not/exist";
  EXPECT_THAT(StartError(), HasSubstr("/does/not/exist"));
  EXPECT_FALSE(std::filesystem::exists(folder_)) << "found out before the data was touched";
}

}  // namespace
}  // namespace monotable::server
