#pragma once

#include <string_view>

#include "table/definition.h"

// What DynamoDB calls the settings of a table.
namespace monotable::table {

std::string_view ProjectionName(ProjectionType type);  // ALL, KEYS_ONLY, INCLUDE
std::string_view StreamViewName(StreamViewType type);  // NEW_IMAGE, …
std::string_view BillingModeName(BillingMode mode);    // PROVISIONED, PAY_PER_REQUEST

}  // namespace monotable::table
