#pragma once

#include <string>

#include "engine/engine.h"
#include "error/result.h"

namespace monotable::transfer {

struct TransferOptions {
  std::string root_folder;  // each bucket is a folder in it
};

// Takes over the exports and imports of an engine, those that an earlier process left unfinished
// first. They end with the engine's jobs.
Status StartTransfers(engine::Engine& engine, const TransferOptions& options);

}  // namespace monotable::transfer
