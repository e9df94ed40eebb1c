#pragma once

#include <string>
#include <string_view>

#include "error/error.h"

namespace monotable::api::dynamodb {

int HttpStatus(ErrorCode code);
// The name by which clients tell errors apart: ValidationException.
std::string_view ErrorName(ErrorCode code);

// An error as the service's JSON, appended to out: __type, the message where there is one, and what
// the error carries beside it. What went wrong inside the server is not for clients: internal
// errors all read the same.
void EncodeError(const Error& error, std::string* out);

// The error that an answer with this status and body tells of, for who asks a server; an error that
// this one does not know has its name in the message. What an error carries beside its message is
// not read.
Error DecodeError(int status, std::string_view body);

}  // namespace monotable::api::dynamodb
