#include "engine/recovery/history.h"

#include <map>
#include <string>
#include <utility>

#include "encoding/keyspace.h"
#include "engine/change_log.h"
#include "engine/key_check.h"

namespace monotable::engine {
namespace {

using encoding::ItemView;

// The memory that a map needs for an entry besides its bytes.
constexpr size_t kEntryOverhead = 160;
constexpr size_t kRecordsBetweenChecks = 1024;

bool IsAfter(const table::LogMoment& a, const table::LogMoment& b) {
  return a.time_ms != b.time_ms ? a.time_ms > b.time_ms : a.sequence > b.sequence;
}

// The items of one shard. Shards are equal parts of the partition hashes, which keys begin with.
storage::Range ShardItems(uint32_t table_id, uint8_t shard) {
  return encoding::SegmentRange(table_id, encoding::kTableItems, shard, encoding::kShards);
}

// Reads the log of a shard from after a moment to its end.
using RecordVisitor =
    std::function<Status(const table::LogMoment&, const ChangeRecord&, std::string item_key)>;

Status ReadLog(const Past& past, uint8_t shard, const table::LogMoment& after,
               const RecordVisitor& visit, const std::stop_token& stop) {
  storage::Range range{
      encoding::ChangeKey(past.table.id, shard, {after.time_ms, after.sequence + 1, 0}),
      encoding::ChangesRange(past.table.id, shard).end};
  const auto cursor = past.reader.Scan(range, storage::Direction::kForward);
  for (size_t i = 0; cursor->Valid(); cursor->Next(), ++i) {
    if (i % kRecordsBetweenChecks == 0 && stop.stop_requested()) return Stopped();
    const auto position = encoding::DecodeChangeKey(cursor->key());
    if (!position) return Error::Internal("A key of the change log is damaged.");
    TRY_ASSIGN(const ChangeRecord record, DecodeChange(cursor->value()));
    TRY_ASSIGN(const item::Item key, KeyOf(past.table, record.AnyImage()));
    TRY(visit(encoding::MomentOf(*position), record, encoding::ItemKey(past.table, key)));
  }
  return cursor->status();
}

// What the log says about one item of a stretch.
struct Entry {
  std::optional<std::string> old_item;  // as it was in the earlier moment
  std::string key_image;                // if there was no old item
  int64_t written_at_ms = 0;
  bool written_later = false;  // after the later moment, in which it was new_item
  std::optional<std::string> new_item;

  size_t bytes() const {
    return (old_item ? old_item->size() : 0) + key_image.size() + (new_item ? new_item->size() : 0);
  }
};

std::optional<std::string> Copy(const std::optional<ItemView>& image) {
  if (!image) return std::nullopt;
  return std::string(image->record());
}

std::optional<ItemView> ViewOf(const std::optional<std::string>& image) {
  if (!image) return std::nullopt;
  return ItemView(*image);
}

// The entries of a stretch of items: as many, in key order, as fit into memory. The first item that
// does not fit ends the stretch and begins the next one.
class Stretch {
 public:
  Stretch(storage::Range range, size_t memory_bytes)
      : range_(std::move(range)), memory_bytes_(memory_bytes) {}

  bool Covers(const std::string& key) const { return key >= range_.begin && key < range_.end; }

  Entry* Find(const std::string& key) {
    const auto found = entries_.find(key);
    return found == entries_.end() ? nullptr : &found->second;
  }

  void Add(std::string key, Entry entry) {
    bytes_ += key.size() + entry.bytes() + kEntryOverhead;
    entries_.emplace(std::move(key), std::move(entry));
    Shrink();
  }

  void SetNewItem(std::string_view image, Entry* entry) {
    entry->new_item = std::string(image);
    bytes_ += image.size();
    Shrink();
  }

  const std::map<std::string, Entry>& entries() const { return entries_; }
  const storage::Range& range() const { return range_; }

 private:
  void Shrink() {
    while (bytes_ > memory_bytes_ && entries_.size() > 1) {
      const auto last = std::prev(entries_.end());
      bytes_ -= last->first.size() + last->second.bytes() + kEntryOverhead;
      range_.end = last->first;
      entries_.erase(last);
    }
  }

  storage::Range range_;
  const size_t memory_bytes_;
  size_t bytes_ = 0;
  std::map<std::string, Entry> entries_;
};

// Divides a table into stretches, shard by shard and so in key order. For each stretch it reads the
// log once to gather the entries and then visits the items.
using StretchWork = std::function<Status(uint8_t shard, Stretch* stretch)>;

Status ForEachStretch(const Past& past, const StretchWork& gather, const StretchWork& visit) {
  for (uint8_t shard = 0; shard < encoding::kShards; ++shard) {
    storage::Range rest = ShardItems(past.table.id, shard);
    while (rest.begin < rest.end) {
      Stretch stretch(rest, past.memory_bytes);
      TRY(gather(shard, &stretch));
      TRY(visit(shard, &stretch));
      rest.begin = stretch.range().end;
    }
  }
  return {};
}

// Visits the present items of a stretch, replaced by what the log says about them.
Status VisitStretch(const Past& past, const Stretch& stretch, const PastVisitor& visit,
                    const std::stop_token& stop) {
  const auto cursor = past.reader.Scan(stretch.range(), storage::Direction::kForward);
  auto changed = stretch.entries().begin();
  const auto visit_changed_before = [&](std::optional<std::string_view> key) -> Status {
    for (; changed != stretch.entries().end() && (!key || changed->first < *key); ++changed) {
      const auto& [item_key, entry] = *changed;
      if (entry.old_item) TRY(visit(item_key, ItemView(*entry.old_item)));
    }
    return {};
  };
  for (size_t i = 0; cursor->Valid(); cursor->Next(), ++i) {
    if (i % kRecordsBetweenChecks == 0 && stop.stop_requested()) return Stopped();
    TRY(visit_changed_before(cursor->key()));
    if (changed != stretch.entries().end() && changed->first == cursor->key()) continue;
    TRY(visit(cursor->key(), ItemView(cursor->value())));
  }
  TRY(cursor->status());
  return visit_changed_before(std::nullopt);
}

// An item that nobody wrote after the later moment is now as it was then.
Status VisitChange(const Past& past, const std::string& key, const Entry& entry,
                   const ChangeVisitor& visit) {
  PastChange change{key, ItemView(entry.old_item ? *entry.old_item : entry.key_image),
                    ViewOf(entry.old_item), ViewOf(entry.new_item), entry.written_at_ms};
  std::string now;
  if (!entry.written_later) {
    TRY_ASSIGN(const bool exists, past.reader.Get(key, &now));
    if (exists) change.new_item = ItemView(now);
  }
  return visit(change);
}

}  // namespace

Error Stopped() {
  return Error(ErrorCode::kUnavailable, "The work was asked to stop.");
}

Status WalkPast(const Past& past, const PastVisitor& visit, const std::stop_token& stop) {
  const auto gather = [&](uint8_t shard, Stretch* stretch) {
    const auto add = [stretch](const auto&, const ChangeRecord& record, std::string key) -> Status {
      if (!stretch->Covers(key) || stretch->Find(key) != nullptr) return {};
      Entry entry;
      entry.old_item = Copy(record.old_item);
      stretch->Add(std::move(key), std::move(entry));
      return {};
    };
    return ReadLog(past, shard, past.moment, add, stop);
  };
  return ForEachStretch(past, gather, [&](uint8_t, Stretch* stretch) {
    return VisitStretch(past, *stretch, visit, stop);
  });
}

Status WalkPast(const storage::Reader& reader, const table::TableDefinition& table, int64_t time_ms,
                const PastVisitor& visit, const std::stop_token& stop) {
  return WalkPast({reader, table, EndOf(time_ms)}, visit, stop);
}

Status WalkChanges(const Past& past, const table::LogMoment& from, const ChangeVisitor& visit,
                   const std::stop_token& stop) {
  const auto gather = [&](uint8_t shard, Stretch* stretch) {
    const auto add = [&past, stretch](const table::LogMoment& moment, const ChangeRecord& record,
                                      std::string key) -> Status {
      if (!stretch->Covers(key)) return {};
      Entry* entry = stretch->Find(key);
      if (!IsAfter(moment, past.moment)) {
        if (entry != nullptr) {
          entry->written_at_ms = moment.time_ms;
          return {};
        }
        Entry first;
        first.old_item = Copy(record.old_item);
        if (!first.old_item) first.key_image = record.AnyImage().record();
        first.written_at_ms = moment.time_ms;
        stretch->Add(std::move(key), std::move(first));
      } else if (entry != nullptr && !entry->written_later) {
        entry->written_later = true;
        if (record.old_item) stretch->SetNewItem(record.old_item->record(), entry);
      }
      return {};
    };
    return ReadLog(past, shard, from, add, stop);
  };
  return ForEachStretch(past, gather, [&](uint8_t, Stretch* stretch) -> Status {
    for (const auto& [key, entry] : stretch->entries()) {
      if (stop.stop_requested()) return Stopped();
      TRY(VisitChange(past, key, entry, visit));
    }
    return {};
  });
}

Status WalkChanges(const storage::Reader& reader, const table::TableDefinition& table,
                   int64_t from_ms, int64_t to_ms, const ChangeVisitor& visit,
                   const std::stop_token& stop) {
  return WalkChanges({reader, table, EndOf(to_ms)}, EndOf(from_ms), visit, stop);
}

}  // namespace monotable::engine
