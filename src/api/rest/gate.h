#pragma once

#include <cstdint>
#include <string>

#include "auth/authenticator.h"
#include "auth/jwt.h"
#include "entities/application.h"
#include "error/result.h"
#include "http/message.h"

namespace monotable::api::rest {

// Finds out who the caller is and which tenant's items the caller may see. Immutable and
// thread-safe.
//
// A bearer token belongs to the tenant that its claim names. A caller who signs with an access key
// is an operator, and so is every caller of a server without keys and secret, which only its own
// machine reaches. Operators see all tenants, and the header Tenant narrows that to one.
class Gate {
 public:
  Gate(const auth::Authenticator& authenticator, std::string jwt_secret,
       auth::TokenExpiry token_expiry)
      : authenticator_(authenticator), tokens_(std::move(jwt_secret), token_expiry) {}

  // Without a model there is no tenant to find.
  Result<entities::Caller> Identify(const http::Request& request, const model::Model* model,
                                    int64_t now_ms) const;
  // What a 401 says about how to ask: WWW-Authenticate.
  std::string Challenge() const;

 private:
  Result<entities::Caller> IdentifyToken(const http::Request& request, std::string_view token,
                                         const model::Model* model, int64_t now_ms) const;
  Result<std::string> SignerOf(const http::Request& request, int64_t now_ms) const;

  const auth::Authenticator& authenticator_;
  const auth::TokenVerifier tokens_;
};

}  // namespace monotable::api::rest
