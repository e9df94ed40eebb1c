#pragma once

#include "error/result.h"
#include "json/parse.h"
#include "wire/shape.h"

namespace monotable::wire {

// Checks that a request, whose types have been checked, keeps the constraints of its shape:
// required members, lengths, ranges, patterns, enumerations. The error is the ValidationException
// in which the service lists up to ten violations, in the order of its model.
Status CheckConstraints(const Shape& shape, const json::Object& request);

}  // namespace monotable::wire
