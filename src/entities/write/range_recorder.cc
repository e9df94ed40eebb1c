#include "entities/write/range_recorder.h"

#include <algorithm>

#include "work/meter.h"

namespace monotable::entities {

using storage::Direction;
using storage::SeenRange;

class RangeRecorder::RecordedCursor : public storage::Cursor {
 public:
  RecordedCursor(std::unique_ptr<storage::Cursor> cursor, storage::Range range, Reading* reading)
      : cursor_(std::move(cursor)), range_(std::move(range)), reading_(*reading) {
    Note();
  }

  bool Valid() const override { return !stopped_ && cursor_->Valid(); }
  std::string_view key() const override { return cursor_->key(); }
  std::string_view value() const override { return cursor_->value(); }
  void Next() override {
    cursor_->Next();
    Note();
  }
  Status status() const override {
    if (stopped_) return work::StopError();
    return cursor_->status();
  }

 private:
  // Nothing is known of the keys that the cursor has not reached.
  void Note() {
    if (!Valid()) {
      reading_.range = range_;
      return;
    }
    stopped_ = !work::Charge(work::kCursorStepUnits) || !work::Keep(key().size() + value().size());
    if (stopped_) return;
    reading_.entries.emplace_back(key(), value());
    if (reading_.direction == Direction::kForward) {
      reading_.range.end = std::string(key()) + '\0';
    } else {
      reading_.range.begin = key();
    }
  }

  const std::unique_ptr<storage::Cursor> cursor_;
  const storage::Range range_;
  Reading& reading_;
  bool stopped_ = false;
};

std::unique_ptr<storage::Cursor> RangeRecorder::Scan(const storage::Range& range,
                                                     Direction direction) const {
  Reading& reading = readings_.emplace_back(Reading{range, direction});
  return std::make_unique<RecordedCursor>(reader_.Scan(range, direction), range, &reading);
}

std::vector<SeenRange> RangeRecorder::seen() const {
  std::vector<SeenRange> all;
  for (const Reading& reading : readings_) {
    SeenRange seen{reading.range, {}, sequence_};
    if (reading.direction == Direction::kForward) {
      for (const auto& [key, value] : reading.entries) seen.Add(key, value);
    } else {
      for (auto entry = reading.entries.rbegin(); entry != reading.entries.rend(); ++entry) {
        seen.Add(entry->first, entry->second);
      }
    }
    // Rules may look at a range several times. If it has changed in between, both readings stay,
    // and at least one of them will not be true any more when the write is decided.
    const bool is_known = std::any_of(all.begin(), all.end(), [&](const SeenRange& other) {
      return other.range.begin == seen.range.begin && other.range.end == seen.range.end &&
             other.entries == seen.entries;
    });
    if (!is_known) all.push_back(std::move(seen));
  }
  return all;
}

}  // namespace monotable::entities
