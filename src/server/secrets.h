#pragma once

#include <string>

#include "error/result.h"
#include "server/config.h"

// The secrets of the REST API, which are in files.
namespace monotable::server {

// The secret that signs bearer tokens: the contents of the file that the config names, without line
// ends at the end. Empty if the config names no file. A secret that is too short is refused.
Result<std::string> LoadJwtSecret(const Config& config);

// The key that signs cursors. The first start of a server makes the key and keeps it in the data
// folder, which must exist, in a file that only its owner can read; so cursors outlive a restart. A
// server without a data folder has a new key in each process.
Result<std::string> LoadCursorKey(const Config& config);

}  // namespace monotable::server
