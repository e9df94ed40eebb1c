#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "error/result.h"

namespace monotable::auth {

// The content of a verified token.
struct TokenClaims {
  std::string subject;  // sub; may be empty
  // The claims that are texts or integers, by name. Other claims (lists, objects) are left out, so
  // that a list of tenants is never mistaken for one tenant.
  std::vector<std::pair<std::string, std::string>> claims;

  const std::string* Find(std::string_view name) const;
};

// Whether a token must say when it expires. A token that never expires works for whoever finds it,
// until the secret changes.
enum class TokenExpiry { kRequired, kOptional };

// Verifies JSON web tokens (RFC 7519) that were signed with HMAC-SHA256 and a secret that both
// sides know. No other algorithm is accepted, in particular not "none". Immutable and thread-safe.
class TokenVerifier {
 public:
  // Secrets shorter than this can be guessed (RFC 7518 section 3.2).
  static constexpr size_t kMinSecretBytes = 32;

  explicit TokenVerifier(std::string secret, TokenExpiry expiry = TokenExpiry::kRequired)
      : secret_(std::move(secret)), expiry_(expiry) {}
  TokenVerifier(const TokenVerifier&) = delete;
  TokenVerifier& operator=(const TokenVerifier&) = delete;
  ~TokenVerifier();

  bool has_secret() const { return !secret_.empty(); }
  // The error is kUnrecognizedClient with a sentence for the client: malformed, another algorithm,
  // a wrong signature, without expiry or expired (exp), or not valid yet (nbf).
  Result<TokenClaims> Verify(std::string_view token, int64_t now_ms) const;

 private:
  std::string secret_;
  const TokenExpiry expiry_;
};

}  // namespace monotable::auth
