#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "api/dynamodb/operation_table.h"
#include "cli/http_client.h"
#include "deploy/dynamodb_call.h"
#include "error/result.h"

namespace monotable::cli {

// The keys that requests are signed with.
struct SigningKeys {
  // A server without access keys accepts any key, but a request must be signed.
  std::string access_key_id = "monotable";
  std::string secret_access_key = "monotable";
  std::string session_token = {};
  std::string region = "us-east-1";

  // The variables of the AWS clients: AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN,
  // and AWS_REGION or AWS_DEFAULT_REGION. The variables of the server override the first two:
  // MONOTABLE_ACCESS_KEY_ID and MONOTABLE_SECRET_ACCESS_KEY.
  static SigningKeys FromEnvironment();
};

// The headers of a signed request of the DynamoDB protocol. The target is an operation with its
// service, as in DynamoDB_20120810.GetItem.
std::vector<HttpHeader> SignedHeaders(const Endpoint& endpoint, const SigningKeys& keys,
                                      int64_t now_seconds, std::string_view target,
                                      std::string_view body);

struct CallOptions {
  std::string_view service = api::dynamodb::kDynamoDbTarget;
  HttpOptions http = {};
};

// Calls the server at an address such as http://127.0.0.1:8000, which is also the default if the
// address is empty. Errors of the protocol keep their codes; a server that cannot be reached is
// kUnavailable.
Result<deploy::Call> CallOf(std::string_view endpoint_url, SigningKeys keys,
                            CallOptions options = {});

// Calls the operations of a server that DynamoDB does not have. Their patience is long, because
// backups take their time.
Result<deploy::Call> OwnCallOf(std::string_view endpoint_url, std::string_view ca_file);

}  // namespace monotable::cli
