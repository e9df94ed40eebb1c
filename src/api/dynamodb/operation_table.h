#pragma once

#include <string_view>

#include "api/dynamodb/operation.h"

namespace monotable::api::dynamodb {

// What the targets of DynamoDB's operations begin with.
inline constexpr std::string_view kDynamoDbTarget = "DynamoDB_20120810.";
// What the targets of the operations on streams begin with.
inline constexpr std::string_view kStreamsTarget = "DynamoDBStreams_20120810.";
// What the targets of this server's own operations begin with.
inline constexpr std::string_view kOwnTarget = "Monotable_20261101.";

// The operation that an X-Amz-Target names: a service with its version, a dot, and the name.
// nullptr if there is no such operation.
const Operation* FindOperation(std::string_view target);

}  // namespace monotable::api::dynamodb
