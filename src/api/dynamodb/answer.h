#pragma once

#include <string>

#include "error/error.h"

namespace monotable::api::dynamodb {

// An error as the service's JSON, appended to out: its name, its message, and what it carries
// beside the message: the item that failed a condition, the reasons of a cancelled transaction.
void EncodeError(const Error& error, std::string* out);

}  // namespace monotable::api::dynamodb
