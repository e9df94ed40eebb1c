#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "entities/read/merged_cursor.h"
#include "entities/read/read.h"
#include "error/result.h"

namespace monotable::entities {

// What the pages of one Query cost: the sizes of a page's entries are added up before they are
// rounded, and a page ends at 1 MB.
class QueryCost {
 public:
  void Add(size_t bytes);
  double Units(bool consistent) const;

 private:
  std::vector<size_t> full_pages_;
  size_t page_ = 0;  // bytes
};

// How much one request may read.
struct WalkLimits {
  int64_t entries = kMaxScanned;
  size_t bytes = kMaxReadBytes;
};

// Reads the entries of a list one after the other until somebody has enough of them, keeping count
// of what that costs. Not thread-safe.
class Walk {
 public:
  Walk(MergedCursor cursor, size_t branches, WalkLimits limits)
      : cursor_(std::move(cursor)), limits_(limits), costs_(branches) {}

  // The next entry; nothing at the end, or where the limits end it. Its bytes hold until the next
  // call.
  struct Entry {
    std::string_view bytes;
    size_t branch = 0;
  };
  std::optional<Entry> Next();

  // Bytes that were read beside the entries, which count towards the limit.
  void AddBytes(size_t bytes) { bytes_ += bytes; }

  // Where to go on after the last entry; nothing if there is none after it. Ends the walk.
  Result<std::optional<Position>> Stop();

  int64_t scanned() const { return scanned_; }
  double Units(bool consistent) const;

 private:
  MergedCursor cursor_;
  const WalkLimits limits_;
  std::vector<QueryCost> costs_;
  bool is_on_entry_ = false;  // the cursor stands on the entry that was given out last
  int64_t scanned_ = 0;
  size_t bytes_ = 0;
};

}  // namespace monotable::entities
