#pragma once

#include "error/result.h"
#include "expression/legacy.h"
#include "expression/update.h"

namespace monotable::expression {

// An update that owns its names and values, from AttributeUpdates: PUT sets, ADD adds to a number,
// set or list, DELETE removes the attribute or, with a value, members of a set.
Result<BoundUpdate> UpdateFromLegacy(LegacyUpdates updates);

}  // namespace monotable::expression
