#include "api/rest/gate.h"

#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "entities/problem.h"
#include "text/words.h"

namespace monotable::api::rest {
namespace {

using entities::ProblemCode;

// The bearer token of the header Authorization. Nothing if the header has another scheme.
std::optional<std::string_view> BearerToken(std::string_view authorization) {
  constexpr size_t kSchemeLength = 7;
  if (authorization.size() < kSchemeLength ||
      !text::EqualsIgnoringCase(authorization.substr(0, kSchemeLength), "bearer ")) {
    return std::nullopt;
  }
  return authorization.substr(kSchemeLength);
}

}  // namespace

Result<entities::Caller> Gate::Identify(const http::Request& request, const model::Model* model,
                                        int64_t now_ms) const {
  const auto token = BearerToken(request.header("Authorization"));
  if (token && tokens_.has_secret()) return IdentifyToken(request, *token, model, now_ms);
  entities::Caller caller;
  if (authenticator_.verifies()) {
    TRY_ASSIGN(caller.name, SignerOf(request, now_ms));
  } else if (tokens_.has_secret()) {
    return entities::Problem(ProblemCode::kUnauthenticated,
                             "The request needs a bearer token: Authorization: Bearer …");
  } else {
    caller.name = "anonymous";
  }
  const std::string_view tenant = request.header("Tenant");
  if (!tenant.empty() && model != nullptr && model->tenancy) caller.tenant = tenant;
  return caller;
}

Result<entities::Caller> Gate::IdentifyToken(const http::Request& request, std::string_view token,
                                             const model::Model* model, int64_t now_ms) const {
  TRY_ASSIGN(const auth::TokenClaims claims, tokens_.Verify(token, now_ms));
  entities::Caller caller;
  caller.name = claims.subject;
  if (model == nullptr || !model->tenancy) return caller;
  const std::string* tenant = claims.Find(model->tenancy->claim);
  if (tenant == nullptr || tenant->empty()) {
    return entities::Problem(
        ProblemCode::kForbidden,
        fmt::format("The bearer token has no claim {}, which names the tenant.",
                    model->tenancy->claim));
  }
  const std::string_view wished = request.header("Tenant");
  if (!wished.empty() && wished != *tenant) {
    return entities::Problem(ProblemCode::kForbidden,
                             "The tenant is the one of the bearer token and cannot be chosen.");
  }
  caller.tenant = *tenant;
  return caller;
}

Result<std::string> Gate::SignerOf(const http::Request& request, int64_t now_ms) const {
  thread_local std::vector<auth::Header> headers;
  headers.clear();
  for (const auto& header : request.headers()) headers.push_back({header.name, header.value});
  TRY_ASSIGN(auth::Identity identity,
             authenticator_.Authenticate(
                 {request.method(), request.target(), headers, request.body()}, now_ms));
  return std::move(identity.access_key_id);
}

std::string Gate::Challenge() const {
  if (!tokens_.has_secret()) return "AWS4-HMAC-SHA256";
  const std::string bearer = "Bearer realm=\"monotable\"";
  return authenticator_.verifies() ? bearer + ", AWS4-HMAC-SHA256" : bearer;
}

}  // namespace monotable::api::rest
