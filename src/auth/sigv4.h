#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <shared_mutex>
#include <span>
#include <string>
#include <string_view>

#include "auth/crypto.h"
#include "error/result.h"

// Signature Version 4: what a request says about its signature, and what the signature should be.
// The functions are pure.
namespace monotable::auth {

struct Header {
  std::string_view name;   // any case
  std::string_view value;  // without surrounding blanks
};

// The parts of a request that a signature covers, as views of the request as it was received.
struct SignedRequest {
  std::string_view method;
  std::string_view target;  // path and query as sent
  std::span<const Header> headers;
  std::string_view body;

  std::string_view path() const { return target.substr(0, target.find('?')); }
  // Without the question mark; empty if there is none.
  std::string_view query() const {
    const size_t mark = target.find('?');
    return mark == std::string_view::npos ? std::string_view() : target.substr(mark + 1);
  }
  // The value of the first header with that name, given in lower case; a view with a null data
  // pointer if there is none.
  std::string_view header(std::string_view name) const;
};

// Seconds since the epoch of a signing date: ISO 8601 basic (20261115T064729Z) as in X-Amz-Date, or
// the form of an HTTP Date header (Sun, 15 Nov 2026 06:47:29 GMT). Nullopt if it is neither or no
// such date exists.
std::optional<int64_t> ParseTimestamp(std::string_view text);

// ISO 8601 basic.
std::string FormatTimestamp(int64_t seconds);

// What a signing key is derived for, beside the secret.
struct SigningScope {
  std::string_view date;  // YYYYMMDD
  std::string_view region;
  std::string_view service;
};

// The key that signs the requests of one day, region and service.
Sha256Digest DeriveSigningKey(std::string_view secret, const SigningScope& scope);

// Remembers derived keys: a client signs all requests of a day with one key, and deriving it costs
// four HMACs. Callers insert only keys that have verified a signature, so that nobody without a
// secret can fill the cache. A full cache is cleared. Thread-safe, lock mutex_.
class SigningKeyCache {
 public:
  std::optional<Sha256Digest> Find(std::string_view access_key_id, const SigningScope& scope) const;
  void Insert(std::string_view access_key_id, const SigningScope& scope, const Sha256Digest& key);

 private:
  static constexpr size_t kMaxKeys = 1024;

  mutable std::shared_mutex mutex_;
  std::map<std::string, Sha256Digest, std::less<>> keys_;  // guarded by mutex_
};

// The signature of a request and its claims about itself, not verified.
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

// Every header that the server acts on must be covered by the signature: Host and each x-amz-*
// header of the request. Otherwise whoever sees a signed request could send its signature
// elsewhere, or with another X-Amz-Target. The error is that of the service.
Status CheckSignedHeaders(const SignedRequest& request, const Authorization& authorization);

// The text that the client has hashed: method, path, query, the headers that it chose to sign, and
// the hash of the body.
std::string CanonicalRequest(const SignedRequest& request, const Authorization& authorization);

std::string StringToSign(std::string_view canonical_request, std::string_view timestamp,
                         const SigningScope& scope);

// The signature: lower-case hexadecimal.
std::string Sign(const Sha256Digest& signing_key, std::string_view string_to_sign);

}  // namespace monotable::auth
