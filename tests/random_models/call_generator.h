#pragma once

#include "random_models/call.h"
#include "random_models/reference.h"
#include "random_models/values.h"

namespace monotable::random_models {

// A random call that often fits what the reference holds, and sometimes does not: ids of other
// tenants, ids that begin with others, texts that no key may have.
Call MakeCall(const Reference& reference, Random* random, int64_t now_seconds);

}  // namespace monotable::random_models
