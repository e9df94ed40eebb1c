#pragma once

#include <string_view>

#include "error/error.h"
#include "json/json_writer.h"

// Errors as the service names them on the wire.
namespace monotable::wire {

int HttpStatus(ErrorCode code);

// The name by which clients tell errors apart: ValidationException.
std::string_view ErrorName(ErrorCode code);

// Begins the JSON object of an error: __type, and the message where there is one. The caller adds
// what the error carries beside its message, and ends the object. What went wrong inside the server
// is not for clients: internal errors all read the same.
void BeginError(const Error& error, json::Writer* writer);

// The error that an answer with this status and body tells of, for clients of a server. An error
// that this server does not know has its name in the message. What an error carries beside its
// message is not read.
Error DecodeError(int status, std::string_view body);

}  // namespace monotable::wire
