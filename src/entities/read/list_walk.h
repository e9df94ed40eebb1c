#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "entities/read/pattern_reader.h"
#include "entities/read/read_source.h"
#include "error/result.h"

namespace monotable::entities {

// The entries of several partitions of one source as one list, in the order of their sort keys:
// what a fan-out returns. One partition is the simplest case. Not thread-safe; views hold until it
// moves.
//
// The order is that of the stored keys without the partition. In a global index the table's key is
// part of that, so the place of an item does not depend on its partition: one that a write moves to
// another partition after it was returned is not returned again. Elsewhere entries with equal sort
// keys follow the order of the partitions.
class MergedCursor {
 public:
  // Goes on after a position that an earlier cursor over the same ranges had.
  MergedCursor(const storage::Reader& reader, const Source& source,
               std::vector<engine::QueryRange> ranges, storage::Direction direction,
               const std::optional<Position>& after);

  bool Valid() const { return current_ != nullptr; }
  size_t branch() const;  // which of the ranges the entry is from
  std::string_view entry() const { return current_->cursor->value(); }
  Position position() const;
  void Next();
  // What stopped a cursor early, if anything did.
  Status status() const;

 private:
  struct Branch {
    size_t partition_bytes = 0;               // of the keys
    std::unique_ptr<storage::Cursor> cursor;  // null if its range is empty
    std::string_view place() const { return cursor->key().substr(partition_bytes); }
  };

  void SelectFirst();
  static void Skip(const Position& after, bool and_equal, storage::Direction direction,
                   engine::QueryRange* query);

  const bool places_are_unique_;
  const storage::Direction direction_;
  std::vector<Branch> branches_;
  Branch* current_ = nullptr;
};

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

// Reads the entries of a list one after the other until its caller has enough, and adds up what the
// reading costs. Not thread-safe.
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

  // Ends the walk. Where to go on after the last entry, or nothing if the list ends there.
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
