#pragma once

#include <string>
#include <string_view>

#include "error/result.h"

namespace monotable::server {

// Reads or writes a whole file. An error names the file and says what is wrong with it.
Result<std::string> ReadTextFile(const std::string& path);
Status WriteTextFile(const std::string& path, std::string_view text);

}  // namespace monotable::server
