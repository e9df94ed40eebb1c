#include "storage/rocksdb/reader.h"

#include "storage/rocksdb/errors.h"

namespace monotable::storage {

namespace {

std::string_view View(const rocksdb::Slice& slice) {
  return {slice.data(), slice.size()};
}

// RocksDB gives an iterator the state of the moment in which it is made, and stops it at the
// bounds without looking beyond them.
class RocksDbCursor : public Cursor {
 public:
  RocksDbCursor(rocksdb::DB& db, rocksdb::ReadOptions options, Range range, Direction direction)
      : range_(std::move(range)), lower_(range_.begin), upper_(range_.end), direction_(direction) {
    options.iterate_lower_bound = &lower_;
    if (!range_.end.empty()) options.iterate_upper_bound = &upper_;
    iterator_.reset(db.NewIterator(options));
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
    return RequestError(status);
  }

 private:
  // The iterator points at the bounds.
  const Range range_;
  const rocksdb::Slice lower_;
  const rocksdb::Slice upper_;
  const Direction direction_;
  std::unique_ptr<rocksdb::Iterator> iterator_;
};

// A range whose end comes before its begin, which RocksDB takes for a mistake.
class EmptyCursor : public Cursor {
 public:
  bool Valid() const override { return false; }
  std::string_view key() const override { return {}; }
  std::string_view value() const override { return {}; }
  void Next() override {}
  Status status() const override { return {}; }
};

}  // namespace

RocksDbReader::RocksDbReader(rocksdb::DB* db, Moment moment) : db_(*db) {
  if (moment == Moment::kNow) options_.snapshot = db_.GetSnapshot();
}

RocksDbReader::~RocksDbReader() {
  if (options_.snapshot != nullptr) db_.ReleaseSnapshot(options_.snapshot);
}

Result<bool> RocksDbReader::Get(std::string_view key, std::string* value) const {
  // A value in a memtable is copied straight into *value; one in a cached block is only pinned.
  rocksdb::PinnableSlice pinned(value);
  rocksdb::Status status =
      db_.Get(options_, db_.DefaultColumnFamily(), rocksdb::Slice(key.data(), key.size()), &pinned);
  if (status.IsNotFound()) return false;
  if (!status.ok()) return RequestError(status);
  if (pinned.IsPinned()) value->assign(pinned.data(), pinned.size());
  return true;
}

std::unique_ptr<Cursor> RocksDbReader::Scan(const Range& range, Direction direction) const {
  if (!range.end.empty() && range.end <= range.begin) return std::make_unique<EmptyCursor>();
  return std::make_unique<RocksDbCursor>(db_, options_, range, direction);
}

}  // namespace monotable::storage
