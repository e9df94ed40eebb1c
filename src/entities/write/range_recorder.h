#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "storage/store.h"

namespace monotable::entities {

// Reads the newest state of a store and remembers what was seen in ranges, so that a write which
// was planned from it can be compared with what the ranges hold when it is decided. Values that are
// read by their key are not remembered. What cursors read is charged, and a cursor whose work is
// stopped (work/meter.h) ends with an error. Unlike other readers it is for one thread.
class RangeRecorder : public storage::Reader {
 public:
  explicit RangeRecorder(const storage::Store& store)
      : sequence_(store.LastSequence()), reader_(store.Latest()) {}

  Result<bool> Get(std::string_view key, std::string* value) const override {
    return reader_.Get(key, value);
  }
  // Everything up to where the cursor stands counts as seen.
  std::unique_ptr<storage::Cursor> Scan(const storage::Range& range,
                                        storage::Direction direction) const override;

  // What all cursors have seen so far.
  std::vector<storage::SeenRange> seen() const;

 private:
  class RecordedCursor;
  struct Reading {
    storage::Range range;  // as far as it was read
    storage::Direction direction;
    std::vector<std::pair<std::string, std::string>> entries = {};  // in the direction of reading
  };

  const uint64_t sequence_;  // before anything was read
  const storage::Reader& reader_;
  mutable std::deque<Reading> readings_;
};

}  // namespace monotable::entities
