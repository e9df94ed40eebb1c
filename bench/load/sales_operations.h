#pragma once

#include <optional>

#include "load/options.h"
#include "load/workload.h"

namespace monotable::load {

// The operation that the options name, if it is one on the sales model: by DynamoDB's API, or by
// the REST API that the server makes of the model.
std::optional<Operation> MakeSalesOperation(const Options& options);

}  // namespace monotable::load
