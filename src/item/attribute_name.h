#pragma once

#include <string_view>

#include "error/result.h"

namespace monotable::item {

// Whether an attribute, of an item or of a map in one, may have this name: 1 to 65,535 bytes.
Status CheckAttributeName(std::string_view name);

}  // namespace monotable::item
