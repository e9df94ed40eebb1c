#pragma once

#include <vector>

#include "entities/read/find_entities.h"
#include "entities/write/copies.h"
#include "entities/write/plan.h"
#include "error/result.h"

namespace monotable::entities {

// Gives the values of a source, which must exist, to the followers that do not have them yet. The
// items that were found may be old: each is read again under its lock.
Status GiveToFollowers(Plan* plan, const Slot& source, const Followers& followers,
                       const std::vector<Found>& found);

}  // namespace monotable::entities
