#pragma once

#include <span>

#include "api/dynamodb/operation_table.h"

namespace monotable::api::dynamodb {

// The operations that DynamoDB does not have, in its protocol: AdvanceClock, CreateServerBackup,
// ListServerBackups and DescribeExpiry.
std::span<const Operation> OwnOperations();

}  // namespace monotable::api::dynamodb
