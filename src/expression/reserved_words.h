#pragma once

#include <string_view>

namespace monotable::expression {

// Whether a name, in any case, is one of the 573 words that the service refuses as an attribute
// name written out in an expression.
bool IsReservedWord(std::string_view name);

}  // namespace monotable::expression
