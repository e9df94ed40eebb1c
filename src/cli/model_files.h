#pragma once

#include <string>

#include "server/text_file.h"

// Files that the commands about models read and write.
namespace monotable::cli {

using server::ReadTextFile;
using server::WriteTextFile;

// The newest price table beside a model: the last by name of the folder `prices` next to it. Empty
// if there is none.
std::string FindPriceTable(const std::string& model_path);

}  // namespace monotable::cli
