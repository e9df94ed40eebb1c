#include "auth/authenticator.h"

#include <optional>
#include <utility>

#include <fmt/format.h>

#include "auth/sigv4.h"

namespace monotable::auth {
namespace {

constexpr int64_t kMaxSkewSeconds = 5 * 60;

Error InvalidSignature(std::string message) {
  return Error(ErrorCode::kInvalidSignature, std::move(message));
}

// The service compares the signing time with its own before it looks at the signature. A presigned
// request is valid for as long as its signer said.
Status CheckTime(const Authorization& authorization, int64_t signed_at, int64_t now) {
  const int64_t max_age = authorization.expires_seconds.value_or(kMaxSkewSeconds);
  if (signed_at < now - max_age) {
    return InvalidSignature(fmt::format(
        "Signature expired: {} is now earlier than {} ({} - {} min.)", FormatTimestamp(signed_at),
        FormatTimestamp(now - max_age), FormatTimestamp(now), max_age / 60));
  }
  if (signed_at > now + kMaxSkewSeconds) {
    return InvalidSignature(
        fmt::format("Signature not yet current: {} is still later than {} ({} + {} min.)",
                    FormatTimestamp(signed_at), FormatTimestamp(now + kMaxSkewSeconds),
                    FormatTimestamp(now), kMaxSkewSeconds / 60));
  }
  return {};
}

}  // namespace

Authenticator::Authenticator(Credentials credentials, WithoutCredentials without)
    : credentials_(std::move(credentials)), without_(without) {}

Result<Identity> Authenticator::Authenticate(const SignedRequest& request, int64_t now_ms) const {
  TRY_ASSIGN(Authorization authorization, ParseAuthorization(request));
  const bool must_sign = verifies() || without_ == WithoutCredentials::kRefused;
  if (must_sign) TRY(Verify(request, authorization, now_ms));
  return Identity{std::move(authorization.access_key_id), std::move(authorization.region),
                  std::move(authorization.service)};
}

Status Authenticator::Verify(const SignedRequest& request, const Authorization& authorization,
                             int64_t now_ms) const {
  const std::string* secret = credentials_.FindSecret(authorization.access_key_id);
  if (secret == nullptr) {
    return Error(ErrorCode::kUnrecognizedClient,
                 "The security token included in the request is invalid.");
  }
  const std::optional<int64_t> signed_at = ParseTimestamp(authorization.date);
  if (!signed_at) {
    return Error(ErrorCode::kIncompleteSignature,
                 fmt::format("Date must be in ISO-8601 'basic format'. Got '{}'. See "
                             "http://en.wikipedia.org/wiki/ISO_8601",
                             authorization.date));
  }
  const std::string timestamp = FormatTimestamp(*signed_at);
  if (!timestamp.starts_with(authorization.scope_date) || authorization.scope_date.size() != 8) {
    return InvalidSignature(fmt::format(
        "Date in Credential scope does not match YYYYMMDD from ISO-8601 version of date "
        "from HTTP: '{}' != '{}', from '{}'.",
        authorization.scope_date, timestamp.substr(0, 8), timestamp));
  }
  TRY(CheckTime(authorization, *signed_at, now_ms / 1000));
  TRY(CheckSignedHeaders(request, authorization));

  const SigningScope scope{authorization.scope_date, authorization.region, authorization.service};
  const std::optional<Sha256Digest> cached = signing_keys_.Find(authorization.access_key_id, scope);
  const Sha256Digest key = cached ? *cached : DeriveSigningKey(*secret, scope);
  const std::string expected =
      Sign(key, StringToSign(CanonicalRequest(request, authorization), timestamp, scope));
  if (!EqualsInConstantTime(expected, authorization.signature)) {
    return InvalidSignature(
        "The request signature we calculated does not match the signature you provided. Check your "
        "AWS Secret Access Key and signing method. Consult the service documentation for details.");
  }
  if (!cached) signing_keys_.Insert(authorization.access_key_id, scope, key);
  return {};
}

}  // namespace monotable::auth
