#pragma once

#include <string>

#include "engine/engine.h"
#include "error/result.h"

namespace monotable::transfer {

struct TransferOptions {
  std::string root_folder;  // each bucket is a folder in it
};

// Makes the engine do exports and imports, starting with those that an earlier process left
// unfinished. They stop with the engine's jobs.
Status StartTransfers(engine::Engine& engine, const TransferOptions& options);

}  // namespace monotable::transfer
