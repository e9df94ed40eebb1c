#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>

#include "entities/application.h"
#include "entities/write/draft.h"
#include "entities/write/ids.h"

namespace monotable::entities {

// One attempt to write, as the rules see it: what has been read and decided so far, who writes, and
// what the rules remember between them. Not thread-safe.
struct Plan {
  const Application& application;
  const Caller& caller;
  Ids& ids;
  Draft& draft;
  // A write of the DynamoDB API: stamps, copies and literal defaults stay as the client wrote them.
  bool raw = false;
  // What is deleted has expired: nothing holds it up.
  bool expires = false;
  size_t followers = 0;    // found for all changes so far, see ApplicationSettings
  size_t taken_along = 0;  // children that follow their parent to another key
  // Records of members that were read to be summed up. Their places stay.
  std::deque<Record> members = {};

  int64_t now_ms() const { return draft.now_ms(); }
};

}  // namespace monotable::entities
