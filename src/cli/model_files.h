#pragma once

#include <string>
#include <string_view>

#include "error/result.h"

// Files that the commands about models read and write.
namespace monotable::cli {

// The whole file. Errors name it and say what is wrong with it.
Result<std::string> ReadTextFile(const std::string& path);
Status WriteTextFile(const std::string& path, std::string_view text);

// The newest price table beside a model: the last by name of the folder `prices` next to it. Empty
// if there is none.
std::string FindPriceTable(const std::string& model_path);

}  // namespace monotable::cli
