#pragma once

#include <optional>
#include <vector>

#include "engine/write.h"
#include "entities/write/ids.h"
#include "entities/write/write.h"

namespace monotable::entities {

// A write in DynamoDB's own words.
struct RawWrite {
  engine::WriteRequest request;
  engine::WriteCallback callback;
  size_t count = 0;  // of the client's own writes; the rules may add more
};

// A write with everything that is needed to try it again: changes, an operation, or a raw write.
struct Attempt {
  std::vector<Change> changes;
  std::optional<OperationCall> call;
  std::optional<RawWrite> raw;
  Caller caller;
  std::optional<IdempotencyKey> key;
  WriteDone done;
  Ids ids;
  int tries = 0;
};

}  // namespace monotable::entities
