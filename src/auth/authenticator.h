#pragma once

#include <cstdint>
#include <string>

#include "auth/credentials.h"
#include "auth/sigv4.h"
#include "error/result.h"

// Who is asking: Signature Version 4 as the AWS clients sign. Independent of any HTTP library and
// service.
namespace monotable::auth {

// The signer of a request.
struct Identity {
  std::string access_key_id;
  std::string region;
  std::string service;
};

// What is accepted while there are no credentials: every well-formed request, which suits a server
// that only its own machine can reach, or none, if other callers of the server have to prove who
// they are.
enum class WithoutCredentials { kAccepted, kRefused };

// Checks the Authorization header or the query parameters of a presigned request. With credentials
// it verifies signatures and dates. The errors are those of the service:
// MissingAuthenticationToken, IncompleteSignature, UnrecognizedClient and InvalidSignature.
// Thread-safe.
class Authenticator {
 public:
  explicit Authenticator(Credentials credentials,
                         WithoutCredentials without = WithoutCredentials::kAccepted);

  Result<Identity> Authenticate(const SignedRequest& request, int64_t now_ms) const;
  // Whether there are credentials to sign with.
  bool verifies() const { return !credentials_.empty(); }

 private:
  Status Verify(const SignedRequest& request, const Authorization& authorization,
                int64_t now_ms) const;

  const Credentials credentials_;
  const WithoutCredentials without_;
  mutable SigningKeyCache signing_keys_;
};

}  // namespace monotable::auth
