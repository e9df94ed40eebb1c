#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "entities/read/read.h"
#include "entities/read/source.h"

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

}  // namespace monotable::entities
