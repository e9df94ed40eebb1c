#pragma once

#include <string>

#include "model/type.h"

namespace monotable::model {

// A type as an author would write it, with its constraints: decimal(14, 2), SaleStatus, string[].
std::string DescribeType(const TypeModel& type);

}  // namespace monotable::model
