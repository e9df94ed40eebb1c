#pragma once

#include "random_models/design.h"
#include "random_models/values.h"

namespace monotable::random_models {

// A random model in which every item tells what it belongs to, so `model check` must accept it:
// several parents in one partition, several levels of children by sort-key prefix, tenants,
// composite keys, references, copies, sums, unique values and all the rest.
Design MakeDesign(Random* random);

// The same with one mistake that lets a rule reach the items of another parent or another tenant.
// `model check` must refuse it. Nothing if the design has no place for the mistake.
std::optional<Design> MakeAmbiguous(Design design, Random* random);

}  // namespace monotable::random_models
