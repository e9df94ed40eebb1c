#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "error/result.h"

namespace monotable::deploy {

// One request of the DynamoDB protocol and its answer, both JSON: to a server over the network, or
// to the engine in this process. Errors have the codes of the protocol.
using Call =
    std::function<Result<std::string>(std::string_view operation, std::string_view json_body)>;

}  // namespace monotable::deploy
