#pragma once

#include "error/result.h"
#include "load/options.h"
#include "load/workload.h"

namespace monotable::load {

// The operation that the options name, on their table.
Result<Operation> MakeOperation(const Options& options);

}  // namespace monotable::load
