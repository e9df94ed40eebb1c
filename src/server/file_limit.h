#pragma once

#include <cstddef>

#include "error/result.h"
#include "server/config.h"

namespace monotable::server {

// Raises the number of files that the process may open as far as it can by itself, and returns it.
// Every connection and every data file is one, and the usual soft limit of 1024 is kept low only
// for programs that use select.
size_t RaiseFileLimit();

// Divides the files that the process may open between the store and the connections, by lowering
// what the config wants where there are too few. Without files the store cannot write, so however
// many clients come, they leave it enough. An error says how many files are needed.
Result<Config> WithinFileLimit(Config config, size_t limit);

}  // namespace monotable::server
