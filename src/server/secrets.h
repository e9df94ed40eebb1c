#pragma once

#include <string>

#include "error/result.h"
#include "server/config.h"

// Secrets of the REST API that are neither settings nor access keys.
namespace monotable::server {

// The secret that bearer tokens are signed with: the file that the config names, without the line
// ends behind it; empty if it names none. Too short a secret is refused.
Result<std::string> LoadJwtSecret(const Config& config);

// The key that signs cursors. It is kept in the data folder, which must exist, for only its owner
// to read, so that cursors outlive a restart; made at the first start. Without a data folder it
// lives as long as the process.
Result<std::string> LoadCursorKey(const Config& config);

}  // namespace monotable::server
