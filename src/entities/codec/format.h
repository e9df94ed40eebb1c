#pragma once

#include <string_view>

// The formats that a string type may name.
namespace monotable::entities {

// Whether a text is of the format: email, uri, uuid or ulid. Every text is of another format.
bool HasFormat(std::string_view text, std::string_view format);

}  // namespace monotable::entities
