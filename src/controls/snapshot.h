#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "error/result.h"
#include "storage/store.h"

namespace monotable::controls {

// Everything that a store held at one moment, and the state of the test clock then.
struct Snapshot {
  std::vector<std::pair<std::string, std::string>> entries;  // in the order of their keys
  // No update that is part of the snapshot had a greater one.
  uint64_t last_sequence = 0;
  int64_t clock_shift_ms = 0;
};

// Copies what a store holds. Updates may go on meanwhile: those that were answered before the call
// are part of the copy.
Result<Snapshot> TakeSnapshot(storage::Store& store);

// Writes the entries to a store that nobody else uses yet.
Status FillStore(const Snapshot& snapshot, storage::Store& store);

}  // namespace monotable::controls
