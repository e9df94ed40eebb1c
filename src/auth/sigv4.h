#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "auth/signed_request.h"
#include "auth/signing_key.h"
#include "error/result.h"

// Signature Version 4: what a request says about its signature, and what the signature should be.
// Pure functions.
namespace monotable::auth {

// The signature of a request and what it claims to be made of, not verified.
struct Authorization {
  std::string access_key_id;
  std::string scope_date;  // YYYYMMDD, as in the credential
  std::string region;
  std::string service;
  std::string signed_headers;  // names separated by semicolons
  std::string signature;
  std::string date;  // of X-Amz-Date or Date, as sent
  // Set if and only if the request is presigned, that is, signed in its query.
  std::optional<int64_t> expires_seconds;
};

// Reads the Authorization header, or the query of a presigned request. The errors are those of the
// service for requests without either, with both, or with parts missing.
Result<Authorization> ParseAuthorization(const SignedRequest& request);

// The text that the client has hashed: method, path, query, the headers that it chose to sign, and
// the hash of the body.
std::string CanonicalRequest(const SignedRequest& request, const Authorization& authorization);

std::string StringToSign(std::string_view canonical_request, std::string_view timestamp,
                         const SigningScope& scope);

// The signature: lower-case hexadecimal.
std::string Sign(const Sha256Digest& signing_key, std::string_view string_to_sign);

}  // namespace monotable::auth
