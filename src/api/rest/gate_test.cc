#include "api/rest/gate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/rest/service_fixture.h"
#include "auth/crypto.h"
#include "json/base64.h"

namespace monotable::api::rest {
namespace {

using testing::HasSubstr;

constexpr std::string_view kSecret = "0123456789abcdef0123456789abcdef";

std::string Token(std::string_view claims) {
  const auto encode = [](std::string_view text) {
    std::string encoded;
    json::AppendBase64Url(text, &encoded);
    return encoded;
  };
  std::string token = encode(R"({"alg":"HS256"})") + "." + encode(claims);
  const auth::Sha256Digest digest = auth::HmacSha256(kSecret, token);
  return token + "." + encode({reinterpret_cast<const char*>(digest.data()), digest.size()});
}

// The chat design, whose items are of tenants.
class GateTest : public ServiceFixture {
 protected:
  static ServiceOptions WithSecret() {
    ServiceOptions options;
    options.jwt_secret = kSecret;
    return options;
  }
  static auth::Credentials WithKey() {
    auth::Credentials credentials;
    EXPECT_TRUE(credentials.Add("AKID", "secret"));
    return credentials;
  }
  http::Response Request(const std::string& target, std::map<std::string, std::string> headers) {
    return Send({.target = target, .headers = std::move(headers)});
  }
  static std::map<std::string, std::string> Bearer(std::string_view claims) {
    return {{"Authorization", "Bearer " + Token(claims)}};
  }
  // A tenant of the samples.
  std::string Tenant() {
    for (const auto& sample : entities::LoadSamples("chat")) {
      if (const item::Value* tenant = sample.item.Find("tenantId")) return tenant->string();
    }
    return {};
  }
};

TEST_F(GateTest, EverybodyIsAnOperatorOnAServerWithoutKeys) {
  Serve("chat");
  const std::string tenant = Tenant();
  EXPECT_EQ(Request("/tenants/" + tenant, {}).status, 200);
  EXPECT_EQ(Request("/tenants/" + tenant, {{"Tenant", tenant}}).status, 200);
  EXPECT_EQ(Request("/tenants/" + tenant, {{"Tenant", "another"}}).status, 403);
  // A key without its tenant needs to know it.
  EXPECT_THAT(Request("/conversations/c", {}).body, HasSubstr("with the header Tenant"));
}

TEST_F(GateTest, TokensAreOfOneTenant) {
  Serve("chat", WithSecret());
  const std::string tenant = Tenant();
  const std::string claims = R"({"exp":9999999999,"sub":"ana","tenant_id":")" + tenant + "\"}";
  EXPECT_EQ(Request("/tenants/" + tenant, Bearer(claims)).status, 200);
  EXPECT_EQ(Request("/tenants/" + tenant, Bearer(R"({"exp":9999999999,"tenant_id":"x"})")).status,
            403);
  auto chosen = Bearer(R"({"exp":9999999999,"tenant_id":"x"})");
  chosen["Tenant"] = tenant;
  EXPECT_EQ(Request("/tenants/" + tenant, chosen).status, 403);
  const auto without = Request("/tenants/" + tenant, Bearer(R"({"exp":9999999999,"sub":"ana"})"));
  EXPECT_EQ(without.status, 403);
  EXPECT_THAT(without.body, HasSubstr("tenant_id"));
}

TEST_F(GateTest, WithASecretATokenIsNeeded) {
  Serve("sales", WithSecret());
  const auto response = Request("/sales/SALE001", {});
  EXPECT_EQ(response.status, 401);
  EXPECT_EQ(Header(response, "WWW-Authenticate"), "Bearer realm=\"monotable\"");
  EXPECT_EQ(Request("/sales/SALE001", {{"Authorization", "Bearer x.y.z"}}).status, 401);
  EXPECT_EQ(Request("/sales/SALE001", Bearer(R"({"exp":1})")).status, 401);
  EXPECT_EQ(Request("/sales/SALE001", Bearer(R"({"exp":9999999999,"sub":"ana"})")).status, 200);
  EXPECT_EQ(Request("/api/v1/sales/model.yaml", {}).status, 401);
  EXPECT_EQ(Request("/healthz", {}).status, 200);
  EXPECT_EQ(Request("/docs", {}).status, 200);
}

TEST_F(GateTest, TokensMustExpire) {
  Serve("sales", WithSecret());
  const auto response = Request("/sales/SALE001", Bearer(R"({"sub":"bo"})"));
  EXPECT_EQ(response.status, 401);
  EXPECT_THAT(response.body, HasSubstr("Give it the claim exp"));
}

TEST_F(GateTest, TokensNeedNotExpireIfTheSettingAllowsThat) {
  ServiceOptions lenient = WithSecret();
  lenient.token_expiry = auth::TokenExpiry::kOptional;
  Serve("sales", lenient);
  EXPECT_EQ(Request("/sales/SALE001", Bearer(R"({"sub":"bo"})")).status, 200);
}

TEST_F(GateTest, StampsBearTheNameOfTheToken) {
  Serve("sales", WithSecret());
  auto headers = Bearer(R"({"exp":9999999999,"sub":"ana"})");
  headers["Content-Type"] = "application/json";
  EXPECT_THAT(
      Expect({"POST", "/buyers", R"({"Name":"A","Document":"111.222.333-44"})", headers}, 201),
      HasSubstr(R"("CreatedBy":"ana")"));
}

TEST_F(GateTest, WithKeysRequestsAreSigned) {
  Serve("sales", {}, WithKey());
  const auto response = Request("/sales/SALE001", {});
  EXPECT_EQ(response.status, 401);
  EXPECT_EQ(Header(response, "WWW-Authenticate"), "AWS4-HMAC-SHA256");
  EXPECT_EQ(Request("/sales/SALE001", Bearer(R"({"exp":9999999999,"sub":"ana"})")).status, 401);
}

}  // namespace
}  // namespace monotable::api::rest
