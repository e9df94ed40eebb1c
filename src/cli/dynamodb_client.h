#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "cli/http_exchange.h"
#include "deploy/call.h"
#include "error/result.h"

namespace monotable::cli {

// With what requests are signed.
struct SigningKeys {
  // Any key does for a server without access keys, but a request must be signed.
  std::string access_key_id = "monotable";
  std::string secret_access_key = "monotable";
  std::string session_token = {};
  std::string region = "us-east-1";

  // AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN and AWS_REGION or
  // AWS_DEFAULT_REGION, as the AWS clients have them; MONOTABLE_ACCESS_KEY_ID and
  // MONOTABLE_SECRET_ACCESS_KEY, as the server has them, are stronger.
  static SigningKeys FromEnvironment();
};

// The bytes of a signed request of the DynamoDB protocol.
std::string SignedCall(const Endpoint& endpoint, const SigningKeys& keys, int64_t now_seconds,
                       std::string_view operation, std::string_view body);

// Calls a server at an address such as http://127.0.0.1:8000. Errors of the protocol have their
// codes; a server that cannot be reached is kUnavailable.
Result<deploy::Call> CallOf(std::string_view endpoint_url, SigningKeys keys);

}  // namespace monotable::cli
