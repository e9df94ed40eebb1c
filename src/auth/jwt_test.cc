#include "auth/jwt.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "auth/crypto.h"
#include "json/base64.h"

namespace monotable::auth {
namespace {

constexpr std::string_view kTokenSecret = "0123456789abcdef0123456789abcdef";
constexpr int64_t kNowMs = 1'800'000'000'000;

std::string Encode(std::string_view text) {
  std::string encoded;
  json::AppendBase64Url(text, &encoded);
  return encoded;
}

std::string Token(std::string_view claims, std::string_view header = R"({"alg":"HS256"})",
                  std::string_view secret = kTokenSecret) {
  std::string token = Encode(header) + "." + Encode(claims);
  const Sha256Digest digest = HmacSha256(secret, token);
  return token + "." + Encode({reinterpret_cast<const char*>(digest.data()), digest.size()});
}

std::string Refusal(std::string_view token, int64_t now_ms = kNowMs) {
  const auto claims = TokenVerifier(std::string(kTokenSecret)).Verify(token, now_ms);
  return claims ? "accepted" : claims.error().message();
}

TEST(TokenVerifierTest, ReadsTheClaimsOfAGoodToken) {
  const TokenVerifier verifier{std::string(kTokenSecret)};
  const auto claims = verifier.Verify(
      Token(R"({"sub":"ana","tenant_id":"acme","level":7,"roles":["a"],"x":{"y":1},"z":1.5,)"
            R"("exp":1800000060})"),
      kNowMs);
  ASSERT_TRUE(claims) << claims.error().message();
  EXPECT_EQ(claims->subject, "ana");
  EXPECT_EQ(*claims->Find("tenant_id"), "acme");
  EXPECT_EQ(*claims->Find("level"), "7");
  EXPECT_EQ(claims->Find("roles"), nullptr);
  EXPECT_EQ(claims->Find("x"), nullptr);
  EXPECT_EQ(claims->Find("none"), nullptr);
}

// The example of RFC 7515 appendix A.1, whose secret is given in base64url.
TEST(TokenVerifierTest, VerifiesTheExampleOfTheStandard) {
  const auto secret = json::DecodeBase64Url(
      "AyM1SysPpbyDfgZld3umj1qzKObwVMkoqQ-EstJQLr_T-1qS0gZH75aKtMN3Yj0iPS4hcgUuTwjAzZr1Z9CAow");
  const std::string_view token =
      "eyJ0eXAiOiJKV1QiLA0KICJhbGciOiJIUzI1NiJ9."
      "eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVl"
      "fQ.dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
  const TokenVerifier verifier(*secret);
  EXPECT_TRUE(verifier.Verify(token, 1300819379000));
  EXPECT_FALSE(verifier.Verify(token, 1300819380000 + 60000));
}

TEST(TokenVerifierTest, RefusesOtherAlgorithms) {
  for (const char* header : {R"({"alg":"none"})", R"({"alg":"None"})", R"({"alg":"HS512"})",
                             R"({"alg":"RS256"})", R"({})", R"({"alg":null})"}) {
    EXPECT_EQ(Refusal(Token(R"({"sub":"a"})", header)),
              "The bearer token must be signed with HS256.")
        << header;
  }
  EXPECT_EQ(Refusal(Encode(R"({"alg":"none"})") + "." + Encode("{}") + "."),
            "The bearer token must be signed with HS256.");
  EXPECT_EQ(Refusal(Token("{}", R"({"alg":"HS256","crit":["exp"]})")),
            "The bearer token needs an unknown extension.");
}

TEST(TokenVerifierTest, RefusesWrongSignatures) {
  const std::string wrong = "The signature of the bearer token is wrong.";
  EXPECT_EQ(Refusal(Token("{}", R"({"alg":"HS256"})", "another secret")), wrong);
  EXPECT_EQ(Refusal(Encode(R"({"alg":"HS256"})") + "." + Encode("{}") + "."), wrong);
  const std::string good = Token(R"({"sub":"ana"})");
  const std::string forged = Token(R"({"sub":"bob"})");
  EXPECT_EQ(Refusal(forged.substr(0, forged.rfind('.')) + good.substr(good.rfind('.'))), wrong);
  const auto unset = TokenVerifier("").Verify(Token("{}", R"({"alg":"HS256"})", ""), kNowMs);
  ASSERT_FALSE(unset);
  EXPECT_EQ(unset.error().message(), wrong);
}

TEST(TokenVerifierTest, RefusesWhatIsNoToken) {
  for (const std::string& token :
       {std::string(), std::string("a"), std::string("a.b"), std::string("a.b.c.d"),
        std::string("!.!.!"), Token("[]"), Token("{"), Token(R"({"exp":"tomorrow"})")}) {
    EXPECT_EQ(Refusal(token), "The bearer token is no JSON web token.") << token;
  }
}

TEST(TokenVerifierTest, KeepsTheTimesWithAMinuteOfLeeway) {
  EXPECT_EQ(Refusal(Token(R"({"exp":1800000000})")), "accepted");
  EXPECT_EQ(Refusal(Token(R"({"exp":1799999941})")), "accepted");
  EXPECT_EQ(Refusal(Token(R"({"exp":1799999940})")), "The bearer token has expired.");
  EXPECT_EQ(Refusal(Token(R"({"exp":99999999999,"nbf":1800000060})")), "accepted");
  EXPECT_EQ(Refusal(Token(R"({"exp":99999999999,"nbf":1800000061.5})")),
            "The bearer token is not valid yet.");
}

// A token without expiry works forever for whoever finds it.
TEST(TokenVerifierTest, WantsAnExpiryUnlessTheSettingAllowsNone) {
  const std::string no_expiry =
      "The bearer token has no expiry. Give it the claim exp, in seconds since 1970.";
  const std::string malformed = "The bearer token is no JSON web token.";
  EXPECT_EQ(Refusal(Token(R"({"sub":"ana"})")), no_expiry);
  EXPECT_EQ(Refusal(Token(R"({"sub":"ana","nbf":1,"Exp":1900000000})")), no_expiry);
  // Without a time, the claim says nothing about expiry.
  for (const char* expiry : {"\"1900000000\"", "null", "true", "[1900000000]", "{}"}) {
    EXPECT_EQ(Refusal(Token(fmt::format(R"({{"exp":{}}})", expiry))), malformed) << expiry;
  }
  EXPECT_EQ(Refusal(Token(R"({"exp":1900000000,"exp":1})")), malformed);
  EXPECT_EQ(Refusal(Token(R"({"exp":-1})")), "The bearer token has expired.");
  EXPECT_EQ(Refusal(Token(R"({"exp":1900000000,"nbf":"1"})")), malformed);

  const TokenVerifier lenient(std::string(kTokenSecret), TokenExpiry::kOptional);
  EXPECT_TRUE(lenient.Verify(Token(R"({"sub":"ana"})"), kNowMs));
  EXPECT_FALSE(lenient.Verify(Token(R"({"exp":1799999940})"), kNowMs));
  EXPECT_FALSE(lenient.Verify(Token(R"({"exp":null})"), kNowMs));
}

TEST(TokenVerifierTest, TakesNoClaimThatIsThereTwice) {
  const auto claims =
      TokenVerifier(std::string(kTokenSecret))
          .Verify(Token(R"({"tenant_id":"a","tenant_id":"b","exp":1900000000})"), kNowMs);
  ASSERT_TRUE(claims);
  EXPECT_EQ(claims->Find("tenant_id"), nullptr);
}

}  // namespace
}  // namespace monotable::auth
