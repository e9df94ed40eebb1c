#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "encoding/item.h"
#include "error/result.h"
#include "table/definition.h"

// The change log: one record per changed item, under encoding::ChangeKey in the same batch as the
// change. Only tables with a reader of the log have records: those with a stream or with
// point-in-time recovery. A write that changes nothing leaves no record.
namespace monotable::engine {

// Who made a change. The numbers are on disk, so they must never change.
enum class ChangeOrigin : uint8_t { kUser = 0, kTimeToLive = 1 };

// What a change did to its item. The numbers are on disk, so they must never change.
enum class ChangeEvent : uint8_t { kInsert = 0, kModify = 1, kRemove = 2 };

// One change, read in place. It holds the images that the readers of its table needed when the
// change was made, so an image may be missing although the item had one. If there would be no image
// at all, the change holds the item's key instead, as an item.
struct ChangeRecord {
  ChangeOrigin origin = ChangeOrigin::kUser;
  ChangeEvent event = ChangeEvent::kInsert;
  std::optional<encoding::ItemView> old_item;
  std::optional<encoding::ItemView> new_item;
  std::optional<encoding::ItemView> key;

  // Any image of the item; each has the key attributes.
  encoding::ItemView AnyImage() const { return old_item ? *old_item : new_item ? *new_item : *key; }
};

std::string EncodeChange(const ChangeRecord& change);
// A record that decodes has at least one image or key.
Result<ChangeRecord> DecodeChange(std::string_view record);

// What a stream shows of a change.
bool ShowsOldItem(table::StreamViewType view);
bool ShowsNewItem(table::StreamViewType view);

// Which images the readers of a table's log need.
struct LoggedImages {
  bool any = false;  // whether the log is written at all
  bool old_item = false;
  bool new_item = false;
};
LoggedImages ImagesToLog(const table::TableDefinition& table);

// The first moment to which a table with point-in-time recovery can be restored.
int64_t EarliestRestorableMs(const table::TableDefinition& table, int64_t now_ms);

// How long streams can be read.
inline constexpr int64_t kStreamLifeMs = 24 * 3'600'000;
// The time since which a table's log is kept. Records before it have no reader any more.
int64_t LogKeptSince(const table::TableDefinition& table, int64_t now_ms);

}  // namespace monotable::engine
