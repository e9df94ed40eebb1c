#pragma once

#include <string>

#include "error/error.h"

namespace monotable::api::dynamodb {

int HttpStatus(ErrorCode code);

// An error as the service's JSON, appended to out: __type, the message where there is one, and what
// the error carries beside it. What went wrong inside the server is not for clients: internal
// errors all read the same.
void EncodeError(const Error& error, std::string* out);

}  // namespace monotable::api::dynamodb
