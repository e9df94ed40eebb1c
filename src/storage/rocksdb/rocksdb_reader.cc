#include "storage/rocksdb/rocksdb_reader.h"

#include <algorithm>
#include <utility>
#include <vector>

#include <rocksdb/snapshot.h>

#include "storage/rocksdb/rocksdb_errors.h"

namespace monotable::storage {

namespace {

std::string_view View(const rocksdb::Slice& slice) {
  return {slice.data(), slice.size()};
}

// A RocksDB iterator sees the state of the moment of its creation and stops at its bounds without
// looking beyond them.
class RocksDbCursor : public Cursor {
 public:
  RocksDbCursor(const Database& database, rocksdb::ColumnFamilyHandle* family,
                rocksdb::ReadOptions options, Range range, Direction direction)
      : database_(database),
        range_(std::move(range)),
        lower_(range_.begin),
        upper_(range_.end),
        direction_(direction) {
    options.iterate_lower_bound = &lower_;
    if (!range_.end.empty()) options.iterate_upper_bound = &upper_;
    iterator_.reset(database_.db().NewIterator(options, family));
    // Bounded iterators begin and end at their bounds.
    if (direction_ == Direction::kForward) {
      iterator_->SeekToFirst();
    } else {
      iterator_->SeekToLast();
    }
  }

  bool Valid() const override { return iterator_->Valid(); }
  std::string_view key() const override { return View(iterator_->key()); }
  std::string_view value() const override { return View(iterator_->value()); }

  void Next() override {
    if (direction_ == Direction::kForward) {
      iterator_->Next();
    } else {
      iterator_->Prev();
    }
  }

  Status status() const override {
    rocksdb::Status status = iterator_->status();
    if (status.ok()) return {};
    database_.Saw(status);
    return RequestError(status);
  }

 private:
  const Database& database_;
  // The iterator points at the bounds.
  const Range range_;
  const rocksdb::Slice lower_;
  const rocksdb::Slice upper_;
  const Direction direction_;
  std::unique_ptr<rocksdb::Iterator> iterator_;
};

// Walks a range that covers several families, one family after the other.
class SeveralCursors : public Cursor {
 public:
  SeveralCursors(const Database& database, rocksdb::ReadOptions options, const Range& range,
                 Direction direction)
      : snapshot_(&database.db()) {
    // All cursors must see the same moment.
    if (options.snapshot == nullptr) options.snapshot = snapshot_.snapshot();
    for (Database::Part& part : database.Split(range)) {
      cursors_.push_back(std::make_unique<RocksDbCursor>(database, part.family, options,
                                                         std::move(part.range), direction));
    }
    if (direction == Direction::kBackward) std::reverse(cursors_.begin(), cursors_.end());
    SkipFinished();
  }

  bool Valid() const override { return current().Valid(); }
  std::string_view key() const override { return current().key(); }
  std::string_view value() const override { return current().value(); }
  void Next() override {
    cursors_[current_]->Next();
    SkipFinished();
  }
  Status status() const override { return current().status(); }

 private:
  const Cursor& current() const { return *cursors_[current_]; }
  // A cursor that an error stopped is not finished.
  void SkipFinished() {
    while (!current().Valid() && current_ + 1 < cursors_.size() && current().status()) ++current_;
  }

  rocksdb::ManagedSnapshot snapshot_;
  std::vector<std::unique_ptr<Cursor>> cursors_;
  size_t current_ = 0;
};

// The cursor of a range whose end comes before its begin, which RocksDB treats as a mistake.
class EmptyCursor : public Cursor {
 public:
  bool Valid() const override { return false; }
  std::string_view key() const override { return {}; }
  std::string_view value() const override { return {}; }
  void Next() override {}
  Status status() const override { return {}; }
};

}  // namespace

RocksDbReader::RocksDbReader(const Database* database, Moment moment) : database_(*database) {
  if (moment == Moment::kNow) options_.snapshot = database_.db().GetSnapshot();
}

RocksDbReader::~RocksDbReader() {
  if (options_.snapshot != nullptr) database_.db().ReleaseSnapshot(options_.snapshot);
}

Result<bool> RocksDbReader::Get(std::string_view key, std::string* value) const {
  CountNothing();
  // A value in a memtable is copied straight into *value; one in a cached block is only pinned.
  rocksdb::PinnableSlice pinned(value);
  rocksdb::Status status = database_.db().Get(options_, database_.FamilyOf(key),
                                              rocksdb::Slice(key.data(), key.size()), &pinned);
  if (status.IsNotFound()) return false;
  if (!status.ok()) {
    database_.Saw(status);
    return RequestError(status);
  }
  if (pinned.IsPinned()) value->assign(pinned.data(), pinned.size());
  return true;
}

std::unique_ptr<Cursor> RocksDbReader::Scan(const Range& range, Direction direction) const {
  CountNothing();
  if (!range.end.empty() && range.end <= range.begin) return std::make_unique<EmptyCursor>();
  if (rocksdb::ColumnFamilyHandle* family = database_.FamilyOf(range)) {
    return std::make_unique<RocksDbCursor>(database_, family, options_, range, direction);
  }
  return std::make_unique<SeveralCursors>(database_, options_, range, direction);
}

}  // namespace monotable::storage
