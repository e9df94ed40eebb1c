#include "cli/dynamodb_client.h"

#include <chrono>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "auth/authenticator.h"
#include "http/file_descriptor.h"
#include "text/words.h"

namespace monotable::cli {
namespace {

using testing::HasSubstr;

TEST(EndpointTest, ReadsHostsAndPorts) {
  for (const auto& [url, authority] : std::vector<std::pair<std::string, std::string>>{
           {"http://127.0.0.1:8000", "127.0.0.1:8000"},
           {"http://127.0.0.1:8000/", "127.0.0.1:8000"},
           {"http://example.com", "example.com"},
           {"https://example.com", "example.com"},
           {"https://example.com:443/", "example.com"},
           {"https://example.com:80", "example.com:80"},
           {"http://example.com:443", "example.com:443"},
           {"http://[::1]:9", "[::1]:9"}}) {
    const auto endpoint = ParseEndpoint(url);
    ASSERT_TRUE(endpoint) << endpoint.error().message();
    EXPECT_EQ(endpoint->authority(), authority);
  }
  EXPECT_EQ(ParseEndpoint("http://[::1]:9")->host, "::1");
  EXPECT_EQ(ParseEndpoint("https://[::1]")->url(), "https://[::1]/");
  EXPECT_EQ(ParseEndpoint("http://a:80")->url(), "http://a/");
}

TEST(EndpointTest, RefusesWhatIsNone) {
  for (const auto& [url, why] : std::vector<std::pair<std::string, std::string>>{
           {"ftp://127.0.0.1:8000", "does not begin with http://"},
           {"127.0.0.1:8000", "does not begin with http://"},
           {"https://", "names no host"},
           {"https://a:65536", "port"},
           {"http://", "names no host"},
           {"http://:80", "names no host"},
           {"http://[::1", "not closed"},
           {"http://a:", "port"},
           {"http://a:0", "port"},
           {"http://a:65536", "port"},
           {"http://a:b", "port"},
           {"http://a/path", "more than"},
           {"http://me@a", "more than"}}) {
    const auto endpoint = ParseEndpoint(url);
    ASSERT_FALSE(endpoint) << url;
    EXPECT_THAT(endpoint.error().message(), HasSubstr(why)) << url;
  }
}

// A server that reads one request and answers with given bytes, whatever they are.
class OneAnswer {
 public:
  explicit OneAnswer(std::string bytes) : bytes_(std::move(bytes)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t length = sizeof(address);
    auto* const name = reinterpret_cast<sockaddr*>(&address);
    EXPECT_EQ(bind(listener_.get(), name, length), 0);
    EXPECT_EQ(listen(listener_.get(), 1), 0);
    EXPECT_EQ(getsockname(listener_.get(), name, &length), 0);
    port_ = ntohs(address.sin_port);
    thread_ = std::thread([this] { Serve(); });
  }
  ~OneAnswer() { Request(); }

  std::string url() const { return "http://127.0.0.1:" + std::to_string(port_); }
  // Waits until the answer is sent, and returns the request.
  const std::string& Request() {
    if (thread_.joinable()) thread_.join();
    return request_;
  }

 private:
  void Serve() {
    const http::FileDescriptor connection(accept(listener_.get(), nullptr, nullptr));
    char buffer[4096];
    while (!IsWhole()) {
      const ssize_t got = recv(connection.get(), buffer, sizeof(buffer), 0);
      if (got <= 0) return;
      request_.append(buffer, static_cast<size_t>(got));
    }
    send(connection.get(), bytes_.data(), bytes_.size(), MSG_NOSIGNAL);
  }
  bool IsWhole() const {
    constexpr std::string_view kLength = "Content-Length: ";
    const size_t end = request_.find("\r\n\r\n");
    const size_t length = request_.find(kLength);
    if (end == std::string::npos || length == std::string::npos) return false;
    return request_.size() >= end + 4 + std::stoul(request_.substr(length + kLength.size()));
  }

  const std::string bytes_;
  const http::FileDescriptor listener_{socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
  int port_ = 0;
  std::string request_;
  std::thread thread_;
};

Result<HttpAnswer> AnswerOf(std::string bytes) {
  OneAnswer server(std::move(bytes));
  HttpClient client(*ParseEndpoint(server.url()), {});
  return client.Post({}, "{}");
}

TEST(AnswerTest, ReadsEveryKindOfBody) {
  for (const char* bytes :
       {"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello",
        "HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhello and more",
        "HTTP/1.1 200\r\nTransfer-Encoding: Chunked\r\n\r\n3\r\nhel\r\n2\r\nlo\r\n0\r\n\r\n",
        "HTTP/1.0 200 OK\r\n\r\nhello"}) {
    const auto answer = AnswerOf(bytes);
    ASSERT_TRUE(answer) << answer.error().message();
    EXPECT_EQ(answer->status, 200);
    EXPECT_EQ(answer->body, "hello") << bytes;
  }
}

TEST(AnswerTest, NoticesWhatIsNotWhole) {
  for (const char* bytes : {"", "HTTP/1.1 200 OK\r\n", "SSH-2.0\r\n\r\n", "HTTP/1.1 huh\r\n\r\n",
                            "HTTP/1.\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhell",
                            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhel",
                            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n"}) {
    const auto answer = AnswerOf(bytes);
    ASSERT_FALSE(answer) << bytes;
    EXPECT_EQ(answer.error().code(), ErrorCode::kUnavailable);
  }
}

TEST(AnswerTest, IsBounded) {
  const std::string large(size_t{65} << 20, 'x');
  const auto answer = AnswerOf("HTTP/1.1 200 OK\r\n\r\n" + large);
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().message(), "The answer of the server is larger than 64 MB.");
}

TEST(AnswerTest, HasPatienceForSoLong) {
  const http::FileDescriptor listener(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof(address);
  auto* const name = reinterpret_cast<sockaddr*>(&address);
  ASSERT_EQ(bind(listener.get(), name, length), 0);
  ASSERT_EQ(listen(listener.get(), 1), 0);
  ASSERT_EQ(getsockname(listener.get(), name, &length), 0);
  const std::string authority = "127.0.0.1:" + std::to_string(ntohs(address.sin_port));
  HttpClient client(*ParseEndpoint("http://" + authority), {.patience = std::chrono::seconds(1)});
  const auto answer = client.Post({}, "{}");
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().message(), "No answer from " + authority + ": it took too long.");
}

// A request taken apart again, for the authenticator.
struct Sent {
  explicit Sent(std::string_view text) {
    const size_t end = text.find("\r\n\r\n");
    body = text.substr(end + 4);
    text = text.substr(0, end);
    text.remove_prefix(text.find("\r\n") + 2);
    while (!text.empty()) {
      const size_t line_end = text.find("\r\n");
      const std::string_view line = text.substr(0, line_end);
      text.remove_prefix(line_end == std::string_view::npos ? text.size() : line_end + 2);
      const size_t colon = line.find(':');
      headers.push_back({line.substr(0, colon), text::Trim(line.substr(colon + 1))});
    }
  }

  std::vector<auth::Header> headers;
  std::string_view body;
};

TEST(SignedCallTest, IsWhatTheServerAccepts) {
  auth::Credentials credentials;
  ASSERT_TRUE(credentials.Add("AKID", "a secret"));
  const auth::Authenticator authenticator(std::move(credentials));
  for (const std::string token : {"", "a/token+of=a session"}) {
    const SigningKeys keys{"AKID", "a secret", token, "sa-east-1"};
    OneAnswer server("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}");
    const auto call = CallOf(server.url(), keys);
    ASSERT_TRUE(call) << call.error().message();
    const auto answer = (*call)("ListTables", R"({"Limit":3})");
    ASSERT_TRUE(answer) << answer.error().message();
    EXPECT_EQ(*answer, "{}");
    const std::string text = server.Request();
    EXPECT_THAT(text, testing::StartsWith("POST / HTTP/1.1\r\n"));
    EXPECT_THAT(text, HasSubstr("x-amz-target: DynamoDB_20120810.ListTables\r\n"));
    EXPECT_THAT(text, HasSubstr("Content-Length: 11\r\n"));
    const Sent sent(text);
    EXPECT_EQ(sent.body, R"({"Limit":3})");
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    const int64_t now_ms = std::chrono::duration_cast<std::chrono::milliseconds>(now).count();
    const auto identity =
        authenticator.Authenticate({"POST", "/", sent.headers, sent.body}, now_ms);
    ASSERT_TRUE(identity) << identity.error().message();
    EXPECT_EQ(identity->access_key_id, "AKID");
    EXPECT_EQ(identity->region, "sa-east-1");
    EXPECT_FALSE(authenticator.Authenticate({"POST", "/", sent.headers, "{}"}, now_ms));
  }
}

TEST(CallOfTest, SaysThatNobodyAnswers) {
  for (const std::string scheme : {"http", "https"}) {
    const auto call = CallOf(scheme + "://127.0.0.1:1", {});
    ASSERT_TRUE(call);
    const auto answer = (*call)("ListTables", "{}");
    ASSERT_FALSE(answer);
    EXPECT_EQ(answer.error().code(), ErrorCode::kUnavailable);
    EXPECT_EQ(answer.error().message(),
              "No answer from 127.0.0.1:1: Connection refused. Is the server running? Start one "
              "with monotable serve, or name another with --endpoint URL.");
  }
  EXPECT_FALSE(CallOf("ftp://127.0.0.1:1", {}));
}

}  // namespace
}  // namespace monotable::cli
