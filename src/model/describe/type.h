#pragma once

#include <string>

#include "model/type.h"

namespace monotable::model {

// A type as an author would write it, with its constraints: decimal(14, 2), SaleStatus, string[].
std::string DescribeType(const TypeModel& type);

// What else there is to say of an attribute, as Markdown: who sets it, defaults, references.
std::string DescribeNotes(const AttributeModel& attribute);

}  // namespace monotable::model
