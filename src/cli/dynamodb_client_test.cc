#include "cli/dynamodb_client.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "auth/authenticator.h"
#include "auth/sigv4.h"
#include "text/words.h"

namespace monotable::cli {
namespace {

using testing::HasSubstr;

TEST(EndpointTest, ReadsHostsAndPorts) {
  for (const auto& [url, authority] : std::vector<std::pair<std::string, std::string>>{
           {"http://127.0.0.1:8000", "127.0.0.1:8000"},
           {"http://127.0.0.1:8000/", "127.0.0.1:8000"},
           {"http://example.com", "example.com"},
           {"http://[::1]:9", "[::1]:9"}}) {
    const auto endpoint = ParseEndpoint(url);
    ASSERT_TRUE(endpoint) << endpoint.error().message();
    EXPECT_EQ(endpoint->authority(), authority);
  }
  EXPECT_EQ(ParseEndpoint("http://[::1]:9")->host, "::1");
}

TEST(EndpointTest, RefusesWhatIsNone) {
  for (const auto& [url, why] : std::vector<std::pair<std::string, std::string>>{
           {"https://127.0.0.1:8000", "https is not spoken here"},
           {"127.0.0.1:8000", "does not begin with http://"},
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

TEST(AnswerTest, ReadsEveryKindOfBody) {
  for (const char* bytes :
       {"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello",
        "HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhello and more",
        "HTTP/1.1 200\r\nTransfer-Encoding: Chunked\r\n\r\n3\r\nhel\r\n2\r\nlo\r\n0\r\n\r\n",
        "HTTP/1.0 200 OK\r\n\r\nhello"}) {
    const auto answer = ParseAnswer(bytes);
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
    const auto answer = ParseAnswer(bytes);
    ASSERT_FALSE(answer) << bytes;
    EXPECT_EQ(answer.error().code(), ErrorCode::kUnavailable);
  }
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
  constexpr int64_t kNow = 1794723600;
  auth::Credentials credentials;
  ASSERT_TRUE(credentials.Add("AKID", "a secret"));
  const auth::Authenticator authenticator(std::move(credentials));
  const Endpoint endpoint{"127.0.0.1", "8000"};
  for (const std::string token : {"", "a/token+of=a session"}) {
    const SigningKeys keys{"AKID", "a secret", token, "sa-east-1"};
    const std::string text =
        SignedCall(endpoint, keys, kNow, "DynamoDB_20120810.ListTables", R"({"Limit":3})");
    EXPECT_THAT(text, testing::StartsWith("POST / HTTP/1.1\r\n"));
    EXPECT_THAT(text, HasSubstr("x-amz-target: DynamoDB_20120810.ListTables\r\n"));
    EXPECT_THAT(text, HasSubstr("content-length: 11\r\n"));
    const Sent sent(text);
    EXPECT_EQ(sent.body, R"({"Limit":3})");
    const auto identity =
        authenticator.Authenticate({"POST", "/", sent.headers, sent.body}, kNow * 1000);
    ASSERT_TRUE(identity) << identity.error().message();
    EXPECT_EQ(identity->access_key_id, "AKID");
    EXPECT_EQ(identity->region, "sa-east-1");
    EXPECT_FALSE(authenticator.Authenticate({"POST", "/", sent.headers, "{}"}, kNow * 1000));
  }
}

TEST(CallOfTest, SaysThatNobodyAnswers) {
  const auto call = CallOf("http://127.0.0.1:1", {});
  ASSERT_TRUE(call);
  const auto answer = (*call)("ListTables", "{}");
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code(), ErrorCode::kUnavailable);
  EXPECT_EQ(answer.error().message(), "No answer from 127.0.0.1:1: Connection refused.");
  EXPECT_FALSE(CallOf("https://127.0.0.1:1", {}));
}

}  // namespace
}  // namespace monotable::cli
