#pragma once

#include <string>

#include "item/value.h"

namespace monotable::expression {

// "AttributeValue: {S:abc}", the way the service's messages show the bounds of BETWEEN: a string,
// number or binary. A binary shows as the service's Java buffer does, by its length.
std::string BoundText(const item::Value& bound);

}  // namespace monotable::expression
