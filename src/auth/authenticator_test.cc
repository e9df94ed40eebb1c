#include "auth/authenticator.h"

#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "auth/sigv4.h"

namespace monotable::auth {
namespace {

using testing::HasSubstr;

constexpr std::string_view kSecret = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY";
constexpr std::string_view kMissingToken = "Request is missing Authentication Token";
constexpr std::string_view kMismatch =
    "The request signature we calculated does not match the signature you provided. Check your AWS "
    "Secret Access Key and signing method. Consult the service documentation for details.";

// A request as the AWS CLI sent and signed it.
struct Example {
  std::string method = "POST";
  std::string target = "/";
  std::vector<Header> headers = {
      {"Host", "localhost:18080"},
      {"X-Amz-Target", "DynamoDB_20120810.Query"},
      {"Content-Type", "application/x-amz-json-1.0"},
      {"X-Amz-Date", "20261115T064729Z"},
      {"Authorization",
       "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20261115/us-east-1/dynamodb/aws4_request, "
       "SignedHeaders=content-type;host;x-amz-date;x-amz-target, "
       "Signature=7045cc8dc6c0caa1b5e07f8cf069abfcd2a0d621e77b20890870d9e26b1729c7"}};
  std::string body = R"~({"TableName": "oms_trading_data_dev", "KeyConditionExpression": )~"
                     R"~("PK = :pk AND begins_with(SK, :sk)", "ExpressionAttributeValues": )~"
                     R"~({":pk": {"S": "CLIENT#client_123"}, ":sk": {"S": "ORDER#"}}})~";

  SignedRequest request() const { return {method, target, headers, body}; }
  void Set(std::string_view name, std::string_view value) {
    for (Header& header : headers) {
      if (header.name == name) header.value = value;
    }
  }
};

const int64_t kNow = *ParseTimestamp("20261115T064729Z") * 1000;

Authenticator Verifying() {
  Credentials credentials;
  EXPECT_TRUE(credentials.Add("AKIDEXAMPLE", std::string(kSecret)));
  return Authenticator(std::move(credentials));
}

// "code: message" or the access key id.
std::string Outcome(const Authenticator& authenticator, const Example& example,
                    int64_t now_ms = kNow) {
  const Result<Identity> result = authenticator.Authenticate(example.request(), now_ms);
  if (result) return result->access_key_id;
  switch (result.error().code()) {
    case ErrorCode::kMissingAuthenticationToken:
      return "Missing: " + result.error().message();
    case ErrorCode::kIncompleteSignature:
      return "Incomplete: " + result.error().message();
    case ErrorCode::kUnrecognizedClient:
      return "Unrecognized: " + result.error().message();
    case ErrorCode::kInvalidSignature:
      return "Invalid: " + result.error().message();
    default:
      return "Other: " + result.error().message();
  }
}

TEST(SigV4Test, DerivesTheDocumentedSigningKey) {
  EXPECT_EQ(Hex(DeriveSigningKey(kSecret, {"20150830", "us-east-1", "iam"})),
            "c4afb1cc5771d871763a393e44b703571b55cc28424d1a5e86da6ed3c154a4b9");
}

TEST(SigV4Test, MakesTheCanonicalRequestOfTheClient) {
  const Example example;
  const auto authorization = ParseAuthorization(example.request());
  ASSERT_TRUE(authorization);
  EXPECT_EQ(Hex(Sha256(CanonicalRequest(example.request(), *authorization))),
            "b3fa6ace424f9cba5b98f7a6f2b71fefb74677747423568fbae2c7514306fa24");
}

TEST(SigV4Test, SignsTheDocumentedExample) {
  const std::vector<Header> headers = {
      {"Host", "iam.amazonaws.com"},
      {"Content-Type", "application/x-www-form-urlencoded; charset=utf-8"},
      {"X-Amz-Date", "20150830T123600Z"}};
  const SignedRequest request{"GET", "/?Action=ListUsers&Version=2010-05-08", headers, ""};
  Authorization authorization;
  authorization.signed_headers = "content-type;host;x-amz-date";
  const SigningScope scope{"20150830", "us-east-1", "iam"};
  EXPECT_EQ(Sign(DeriveSigningKey(kSecret, scope),
                 StringToSign(CanonicalRequest(request, authorization), "20150830T123600Z", scope)),
            "5d672d79c15b13162d9279b0855cfba6789a8edb4c82c400e06b5924a6f2b5d7");
}

TEST(SigV4Test, CanonicalHeadersAreTrimmedCollapsedAndJoined) {
  const std::vector<Header> headers = {{"b", "x"}, {"A", " 1   2\t 3 "}, {"a", "4"}};
  Authorization authorization;
  authorization.signed_headers = "a;absent;b";
  EXPECT_THAT(CanonicalRequest({"GET", "/", headers, ""}, authorization),
              testing::StartsWith("GET\n/\n\na:1 2 3,4\nabsent:\nb:x\n\na;absent;b\n"));
}

TEST(AuthenticatorTest, AcceptsTheSignatureOfTheCli) {
  const Authenticator authenticator = Verifying();
  ASSERT_TRUE(authenticator.verifies());
  const Example example;
  for (int i = 0; i < 3; ++i) {
    const auto identity = authenticator.Authenticate(example.request(), kNow);
    ASSERT_TRUE(identity) << identity.error().message();
    EXPECT_EQ(identity->access_key_id, "AKIDEXAMPLE");
    EXPECT_EQ(identity->region, "us-east-1");
    EXPECT_EQ(identity->service, "dynamodb");
  }
}

TEST(AuthenticatorTest, AcceptsEverySeparatorOfComponents) {
  const Authenticator authenticator = Verifying();
  for (const std::string_view separator : {",", ", ", " ", " , ", ",\t"}) {
    std::string text(Example().headers.back().value);
    for (size_t at = 0; (at = text.find(", ", at)) != std::string::npos; at += separator.size()) {
      text.replace(at, 2, separator);
    }
    Example example;
    example.Set("Authorization", text);
    EXPECT_EQ(Outcome(authenticator, example), "AKIDEXAMPLE") << text;
  }
}

// Signed by botocore.
TEST(AuthenticatorTest, AcceptsPathsAndQueriesThatNeedEncoding) {
  Example example;
  example.target = "/a%20b/?x=%2F&b=2&b=1&empty=";
  example.body = "{}";
  example.headers = {
      {"host", "localhost:18080"},
      {"X-Odd", "a   b"},
      {"X-Amz-Date", "20261115T064729Z"},
      {"Authorization",
       "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20261115/eu-west-1/dynamodb/aws4_request, "
       "SignedHeaders=host;x-amz-date;x-odd, "
       "Signature=52acd878a3cbc81ffd0210fb17489e8c06247e88c6fc19f32a182bc7f301230a"}};
  EXPECT_EQ(Outcome(Verifying(), example), "AKIDEXAMPLE");
}

TEST(AuthenticatorTest, RefusesWhateverWasChangedAfterSigning) {
  const Authenticator authenticator = Verifying();
  ASSERT_EQ(Outcome(authenticator, Example()), "AKIDEXAMPLE");
  const auto expect_mismatch = [&](const Example& example) {
    EXPECT_EQ(Outcome(authenticator, example), "Invalid: " + std::string(kMismatch));
  };
  Example body;
  body.body[10] = 'X';
  expect_mismatch(body);
  Example target;
  target.Set("X-Amz-Target", "DynamoDB_20120810.DeleteTable");
  expect_mismatch(target);
  Example path;
  path.target = "/?a=b";
  expect_mismatch(path);
  Example method;
  method.method = "PUT";
  expect_mismatch(method);
  Example date;
  date.Set("X-Amz-Date", "20261115T064730Z");
  expect_mismatch(date);
  Example signature;
  std::string text(signature.headers.back().value);
  text.back() = '8';
  signature.Set("Authorization", text);
  expect_mismatch(signature);
  text.pop_back();
  signature.Set("Authorization", text);
  expect_mismatch(signature);
}

TEST(AuthenticatorTest, RefusesUnknownKeys) {
  Credentials credentials;
  ASSERT_TRUE(credentials.Add("AKIDOTHER", std::string(kSecret)));
  EXPECT_EQ(Outcome(Authenticator(std::move(credentials)), Example()),
            "Unrecognized: The security token included in the request is invalid.");
}

TEST(AuthenticatorTest, RefusesAWrongSecret) {
  Credentials credentials;
  ASSERT_TRUE(credentials.Add("AKIDEXAMPLE", "another secret"));
  EXPECT_EQ(Outcome(Authenticator(std::move(credentials)), Example()),
            "Invalid: " + std::string(kMismatch));
}

TEST(AuthenticatorTest, RefusesOldAndFutureSignatures) {
  const Authenticator authenticator = Verifying();
  EXPECT_EQ(Outcome(authenticator, Example(), kNow + 300'000), "AKIDEXAMPLE");
  EXPECT_EQ(Outcome(authenticator, Example(), kNow - 300'000), "AKIDEXAMPLE");
  EXPECT_EQ(Outcome(authenticator, Example(), kNow + 301'000),
            "Invalid: Signature expired: 20261115T064729Z is now earlier than 20261115T064730Z "
            "(20261115T065230Z - 5 min.)");
  EXPECT_EQ(Outcome(authenticator, Example(), kNow - 301'000),
            "Invalid: Signature not yet current: 20261115T064729Z is still later than "
            "20261115T064728Z (20261115T064228Z + 5 min.)");
}

TEST(AuthenticatorTest, RefusesAScopeOfAnotherDay) {
  Example example;
  example.Set("Authorization",
              "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20261114/us-east-1/dynamodb/aws4_request, "
              "SignedHeaders=host, Signature=00");
  EXPECT_EQ(Outcome(Verifying(), example),
            "Invalid: Date in Credential scope does not match YYYYMMDD from ISO-8601 version of "
            "date from HTTP: '20261114' != '20261115', from '20261115T064729Z'.");
  example.Set("X-Amz-Date", "yesterday");
  EXPECT_THAT(Outcome(Verifying(), example), HasSubstr("Got 'yesterday'"));
}

TEST(AuthenticatorTest, SaysThatTheTokenIsMissing) {
  for (const std::string_view header : {"", "Basic abc", "AWS3-HTTPS x", "aws4-hmac-sha256 x"}) {
    Example example;
    example.Set("Authorization", header);
    EXPECT_EQ(Outcome(Verifying(), example), "Missing: " + std::string(kMissingToken));
    EXPECT_EQ(Outcome(Authenticator({}), example), "Missing: " + std::string(kMissingToken));
  }
  Example none;
  none.headers.clear();
  EXPECT_EQ(Outcome(Verifying(), none), "Missing: " + std::string(kMissingToken));
}

TEST(AuthenticatorTest, ListsExactlyTheMissingParts) {
  constexpr std::string_view kCredential = "Authorization header requires 'Credential' parameter. ";
  constexpr std::string_view kSignature = "Authorization header requires 'Signature' parameter. ";
  constexpr std::string_view kHeaders = "Authorization header requires 'SignedHeaders' parameter. ";
  constexpr std::string_view kDate =
      "Authorization header requires existence of either a 'X-Amz-Date' or a 'Date' header. ";
  for (int mask = 0; mask < 15; ++mask) {
    std::string header = "AWS4-HMAC-SHA256";
    if ((mask & 1) != 0) header += " Credential=a/b/c/d/e";
    if ((mask & 2) != 0) header += " Signature=b";
    if ((mask & 4) != 0) header += " SignedHeaders=c";
    std::string expected = "Incomplete: ";
    if ((mask & 1) == 0) expected += kCredential;
    if ((mask & 2) == 0) expected += kSignature;
    if ((mask & 4) == 0) expected += kHeaders;
    if ((mask & 8) == 0) expected += kDate;
    Example example;
    example.headers = {{"Authorization", header}};
    if ((mask & 8) != 0) example.headers.push_back({"date", "x"});
    EXPECT_EQ(Outcome(Authenticator({}), example), expected + "Authorization=" + header);
  }
  Example bare;
  bare.headers = {{"Authorization", "AWS4-"}};
  EXPECT_EQ(Outcome(Authenticator({}), bare), "Incomplete: " + std::string(kCredential) +
                                                  std::string(kSignature) + std::string(kHeaders) +
                                                  std::string(kDate) + "Authorization=AWS4-");
}

TEST(AuthenticatorTest, RefusesMalformedComponents) {
  Example example;
  example.Set("Authorization", "AWS4-HMAC-SHA256 nonsense");
  EXPECT_EQ(Outcome(Authenticator({}), example),
            "Incomplete: 'nonsense' not a valid key=value pair (missing equal-sign) in "
            "Authorization header: 'AWS4-HMAC-SHA256 nonsense'.");
  example.Set("Authorization", "AWS4-HMAC-SHA256 Credential=a/b, SignedHeaders=c, Signature=d");
  EXPECT_EQ(Outcome(Authenticator({}), example),
            "Incomplete: Credential must have exactly 5 slash-delimited elements, e.g. "
            "keyid/date/region/service/term, got 'a/b'");
  example.Set("Authorization", "AWS4-SHA1 Credential=a/b/c/d/e, SignedHeaders=c, Signature=d");
  EXPECT_EQ(Outcome(Authenticator({}), example),
            "Incomplete: Unsupported AWS 'algorithm': 'AWS4-SHA1'.");
}

TEST(AuthenticatorTest, WithoutCredentialsAcceptsWhateverIsWellFormed) {
  const Authenticator authenticator({});
  EXPECT_FALSE(authenticator.verifies());
  Example example;
  example.Set("Authorization",
              "AWS4-HMAC-SHA256 Credential=any/20200101/local/dynamodb/aws4_request,"
              "SignedHeaders=host,Signature=0");
  EXPECT_EQ(Outcome(authenticator, example), "any");
}

TEST(AuthenticatorTest, WithoutCredentialsRefusesEverybodyIfOthersMustProveWhoTheyAre) {
  const Authenticator authenticator({}, WithoutCredentials::kRefused);
  Example example;
  EXPECT_THAT(Outcome(authenticator, example), testing::HasSubstr("security token"));
}

// Replaces the list of signed headers and signs again, as a client with the secret would.
void Resign(std::string_view signed_headers, Example* example, std::string* authorization_header) {
  auto authorization = *ParseAuthorization(example->request());
  authorization.signed_headers = signed_headers;
  const SigningScope scope{authorization.scope_date, authorization.region, authorization.service};
  const std::string signature =
      Sign(DeriveSigningKey(kSecret, scope),
           StringToSign(CanonicalRequest(example->request(), authorization),
                        FormatTimestamp(*ParseTimestamp(authorization.date)), scope));
  *authorization_header =
      "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20261115/us-east-1/dynamodb/aws4_request, "
      "SignedHeaders=" +
      std::string(signed_headers) + ", Signature=" + signature;
  example->Set("Authorization", *authorization_header);
}

std::string OutcomeSigned(std::string_view signed_headers, Example example = {}) {
  std::string authorization;
  Resign(signed_headers, &example, &authorization);
  return Outcome(Verifying(), example);
}

// Whoever sees a request could otherwise send its signature to another host or with another target.
TEST(AuthenticatorTest, RequiresHostAndAmazonHeadersToBeSigned) {
  EXPECT_EQ(OutcomeSigned("host;x-amz-date;x-amz-target"), "AKIDEXAMPLE");
  EXPECT_EQ(OutcomeSigned("x-amz-target;x-amz-date;host"), "AKIDEXAMPLE");
  for (const std::string_view names :
       {"x-amz-date;x-amz-target", "hosts;x-amz-date;x-amz-target", "x-host", "content-type"}) {
    EXPECT_EQ(OutcomeSigned(names),
              "Invalid: 'Host' or ':authority' must be a 'SignedHeader' in the AWS Authorization.")
        << names;
  }
  EXPECT_EQ(OutcomeSigned("host;x-amz-date"),
            "Invalid: 'X-Amz-Target' must be a 'SignedHeader' in the AWS Authorization.");
  EXPECT_EQ(OutcomeSigned("host;x-amz-target"),
            "Invalid: 'X-Amz-Date' must be a 'SignedHeader' in the AWS Authorization.");
  Example token;
  token.headers.push_back({"x-amz-security-token", "t"});
  EXPECT_EQ(OutcomeSigned("host;x-amz-date;x-amz-target", token),
            "Invalid: 'x-amz-security-token' must be a 'SignedHeader' in the AWS Authorization.");
  EXPECT_EQ(OutcomeSigned("host;x-amz-date;x-amz-security-token;x-amz-target", token),
            "AKIDEXAMPLE");
  // Proxies add this one on the way.
  Example traced;
  traced.headers.push_back({"X-Amzn-Trace-Id", "Root=1"});
  EXPECT_EQ(OutcomeSigned("host;x-amz-date;x-amz-target", traced), "AKIDEXAMPLE");
}

// Signed by botocore.
constexpr std::string_view kPresigned =
    "/a%20b/%C3%A4?x=%2F&b=2&X-Amz-Algorithm=AWS4-HMAC-SHA256&"
    "X-Amz-Credential=AKIDEXAMPLE%2F20261115%2Fus-east-1%2Fdynamodb%2Faws4_request&"
    "X-Amz-Date=20261115T064729Z&X-Amz-Expires=600&X-Amz-SignedHeaders=host&"
    "X-Amz-Signature=bc395a5db8b28fbf0b32ad19029c6b505e7e880649924c15b988416bb032767b";

Example Presigned() {
  Example example;
  example.method = "GET";
  example.target = kPresigned;
  example.headers = {{"Host", "localhost:18080"}};
  example.body.clear();
  return example;
}

TEST(AuthenticatorTest, AcceptsPresignedRequests) {
  EXPECT_EQ(Outcome(Verifying(), Presigned()), "AKIDEXAMPLE");
  EXPECT_EQ(Outcome(Verifying(), Presigned(), kNow + 600'000), "AKIDEXAMPLE");
  EXPECT_EQ(Outcome(Authenticator({}), Presigned(), 0), "AKIDEXAMPLE");
}

TEST(AuthenticatorTest, RefusesBadPresignedRequests) {
  EXPECT_EQ(Outcome(Verifying(), Presigned(), kNow + 601'000),
            "Invalid: Signature expired: 20261115T064729Z is now earlier than 20261115T064730Z "
            "(20261115T065730Z - 10 min.)");
  Example changed = Presigned();
  changed.target.replace(changed.target.find("b=2"), 3, "b=3");
  EXPECT_EQ(Outcome(Verifying(), changed), "Invalid: " + std::string(kMismatch));
  // The date and the target of a presigned request may come as headers, but not unsigned.
  Example unsigned_target = Presigned();
  unsigned_target.headers.push_back({"X-Amz-Target", "DynamoDB_20120810.DeleteTable"});
  EXPECT_EQ(Outcome(Verifying(), unsigned_target),
            "Invalid: 'X-Amz-Target' must be a 'SignedHeader' in the AWS Authorization.");
  Example both = Presigned();
  both.headers.push_back({"Authorization", "AWS4-"});
  EXPECT_EQ(Outcome(Verifying(), both),
            "Invalid: Found both 'X-Amz-Algorithm' as a query-string param and 'Authorization' as "
            "HTTP header.");
  Example partial = Presigned();
  partial.target = "/?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Date=x";
  EXPECT_EQ(Outcome(Authenticator({}), partial),
            "Incomplete: AWS query-string parameters must include 'X-Amz-Credential'. AWS "
            "query-string parameters must include 'X-Amz-Signature'. AWS query-string parameters "
            "must include 'X-Amz-SignedHeaders'. Re-examine the query-string parameters.");
  for (const std::string_view expires : {"0", "-1", "604801", "x", "1x", "99999999999999999999"}) {
    Example odd = Presigned();
    odd.target.replace(odd.target.find("=600&"), 5, "=" + std::string(expires) + "&");
    EXPECT_THAT(Outcome(Authenticator({}), odd), HasSubstr("X-Amz-Expires must be a number"));
  }
}

TEST(AuthenticatorTest, VerifiesOnManyThreads) {
  const Authenticator authenticator = Verifying();
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      const Example example;
      for (int j = 0; j < 200; ++j) {
        EXPECT_TRUE(authenticator.Authenticate(example.request(), kNow));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST(SigningKeyCacheTest, KeepsKeysApartAndIsBounded) {
  SigningKeyCache cache;
  const Sha256Digest one = Sha256("1");
  cache.Insert("id", {"20261115", "r", "s"}, one);
  EXPECT_EQ(cache.Find("id", {"20261115", "r", "s"}), one);
  EXPECT_EQ(cache.Find("other", {"20261115", "r", "s"}), std::nullopt);
  EXPECT_EQ(cache.Find("id", {"20261116", "r", "s"}), std::nullopt);
  EXPECT_EQ(cache.Find("id", {"20261115", "x", "s"}), std::nullopt);
  EXPECT_EQ(cache.Find("id", {"20261115", "r", "x"}), std::nullopt);
  for (int i = 0; i < 3000; ++i) cache.Insert(std::to_string(i), {"d", "r", "s"}, one);
  EXPECT_EQ(cache.Find("id", {"20261115", "r", "s"}), std::nullopt);
  EXPECT_EQ(cache.Find("2999", {"d", "r", "s"}), one);
}

TEST(TimestampTest, ReadsBothForms) {
  EXPECT_EQ(ParseTimestamp("20261115T064729Z"), 1794725249);
  EXPECT_EQ(ParseTimestamp("Sun, 15 Nov 2026 06:47:29 GMT"), 1794725249);
  EXPECT_EQ(FormatTimestamp(1794725249), "20261115T064729Z");
  EXPECT_EQ(ParseTimestamp("20240229T000000Z"), 1709164800);
}

TEST(TimestampTest, RefusesWhatIsNoDate) {
  for (const std::string_view text :
       {"", "20261115", "20261115T064729", "20261115 064729Z", "20261315T064729Z",
        "20260229T000000Z", "00000101T000000Z", "20260001T000000Z", "20261115T246000Z",
        "2026111 T064729Z", "+0261115T064729Z", "Sun, 15 Nox 2026 06:47:29 GMT",
        "Sun, 15 anF 2026 06:47:29 GMT", "Sun, 15 Nov 2026 06:47:29 CET",
        "Sat, 01 Jan 0000 00:00:00 GMT"}) {
    EXPECT_EQ(ParseTimestamp(text), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace monotable::auth
