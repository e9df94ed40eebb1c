#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "error/result.h"

namespace monotable::deploy {

// Sends one request of the DynamoDB protocol and returns its answer, both as JSON. The receiver is
// a server on the network or the engine in this process. Errors have the codes of the protocol.
using Call =
    std::function<Result<std::string>(std::string_view operation, std::string_view json_body)>;

}  // namespace monotable::deploy
