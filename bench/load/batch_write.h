#pragma once

#include <string_view>

#include "load/options.h"
#include "load/workload.h"

namespace monotable::load {

// BatchWriteItem of items of a pattern, as many as fit into one; how tables are filled.
Operation BatchWrite(const Options& options, std::string_view pattern);

}  // namespace monotable::load
