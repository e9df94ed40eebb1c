#pragma once

#include "error/result.h"
#include "json/parse.h"
#include "wire/shape.h"

namespace monotable::wire {

// Checks that the JSON types of a request are the types of its shape, in the order of the document.
// The error is the kSerialization error of the service, in the words of its Java deserializer. Null
// fits everything, and members that a shape does not know are ignored.
Status CheckTypes(const Shape& shape, const json::Element& value);

}  // namespace monotable::wire
