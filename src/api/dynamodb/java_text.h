#pragma once

#include <string>
#include <string_view>

#include "api/dynamodb/shape.h"
#include "json/parse.h"

// How the service, which is written in Java, prints the values of a request in its messages.
namespace monotable::api::dynamodb {

// The length of UTF-8 text as Java counts it: in UTF-16 code units.
size_t Utf16Length(std::string_view text);

// "TableName" as "tableName".
std::string LowerFirst(std::string_view name);

// A value as Java's toString: x, [x, y], {k=v}, Tag(key=k, value=v). Long texts are cut, for a
// message should not repeat a whole request.
std::string JavaText(const Shape& shape, const json::Element& value);

}  // namespace monotable::api::dynamodb
