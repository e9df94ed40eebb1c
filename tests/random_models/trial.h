#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "random_models/call.h"
#include "random_models/design.h"

namespace monotable::random_models {

// A model and the calls that were made, one after the other.
struct Trial {
  Design design;
  std::vector<Call> calls;
  std::string folder;  // of RocksDB; empty: in memory
};

// What differs between the server and the reference; empty if nothing does.
struct Verdict {
  std::string difference;
  bool refused_model = false;  // `model check` does not accept the model
  size_t accepted = 0;         // calls that were done
};

// Makes up to `count` calls, which follow from the seed, until something differs.
Verdict Generate(uint64_t seed, size_t count, Trial* trial);
// Makes the calls of a trial again and compares the whole table after each.
Verdict Repeat(const Trial& trial);
// The calls of two clients at the same time, each with its own runtime. Compares what the table
// holds in the end with the rules.
Verdict RunTogether(uint64_t seed, size_t count, Trial* trial);

// A smaller trial that still differs: fewer calls, fewer changes in a call, fewer entities and
// features in the model.
Trial Shrink(Trial trial);

}  // namespace monotable::random_models
