#pragma once

#include <string>
#include <string_view>

#include "engine/engine.h"
#include "error/result.h"

namespace monotable::api::dynamodb {

// Runs one operation with the checks that requests from outside get, except for the signature, and
// waits for its answer. Body and answer are the JSON of the protocol. An error has the code and the
// message that a client would see. Not for I/O threads, which must not wait. Thread-safe.
Result<std::string> CallInProcess(engine::Engine& engine, std::string_view operation,
                                  std::string_view body);

}  // namespace monotable::api::dynamodb
