#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "api/dynamodb/operation_table.h"
#include "cli/http_exchange.h"
#include "deploy/dynamodb_call.h"
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

// The bytes of a signed request of the DynamoDB protocol. The target is an operation with its
// service, as in DynamoDB_20120810.GetItem.
std::string SignedCall(const Endpoint& endpoint, const SigningKeys& keys, int64_t now_seconds,
                       std::string_view target, std::string_view body);

struct CallOptions {
  std::string_view service = api::dynamodb::kDynamoDbTarget;
  std::chrono::seconds patience{60};  // for an answer
};

// Calls a server at an address such as http://127.0.0.1:8000, which is the one if the address is
// empty. Errors of the protocol have their codes; a server that cannot be reached is kUnavailable.
Result<deploy::Call> CallOf(std::string_view endpoint_url, SigningKeys keys,
                            CallOptions options = {});

// The operations of a server that DynamoDB does not have. Backups take their time.
Result<deploy::Call> OwnCallOf(std::string_view endpoint_url);

}  // namespace monotable::cli
