#pragma once

#include <string>

namespace monotable::wire {

// The 52 capital letters and digits that name a request in the service's answers and logs.
std::string NewRequestId();

}  // namespace monotable::wire
