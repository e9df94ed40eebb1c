#pragma once

#include <string>
#include <string_view>

#include "error/result.h"

// Base64 as JSON carries binary values: the standard alphabet with padding.
namespace monotable::json {

void AppendBase64(std::string_view bytes, std::string* out);

// Strict: complete groups of four, padding only at the end, no unused bits set. Anything else is a
// kSerialization error with the service's wording.
Result<std::string> DecodeBase64(std::string_view text);

// The alphabet for URLs, without padding (RFC 4648 section 5): - and _ instead of + and /.
void AppendBase64Url(std::string_view bytes, std::string* out);
Result<std::string> DecodeBase64Url(std::string_view text);

}  // namespace monotable::json
