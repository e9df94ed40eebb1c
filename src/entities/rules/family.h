#pragma once

#include "entities/write/plan.h"
#include "error/result.h"

namespace monotable::entities {

// Holds the name of the only child that a parent may have (cardinality: one). Every write that
// changes which item that is holds the name, also when the write is decided.
Status LockOnlyOne(Plan* plan, const Entity& child, const item::Map& attributes);

}  // namespace monotable::entities
