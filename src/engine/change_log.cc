#include "engine/change_log.h"

#include <algorithm>

#include "encoding/varint.h"

namespace monotable::engine {
namespace {

using encoding::AppendBytes;
using encoding::AppendVarint;
using encoding::ReadBytes;
using encoding::ReadVarint;
using table::StreamViewType;

constexpr int64_t kDayMs = 24 * 3'600'000;

Error Damaged() {
  return Error::Internal("A record of the change log is damaged");
}

// An absent image is written as zero bytes. An item always has at least one byte.
void AppendImage(const std::optional<encoding::ItemView>& image, std::string* out) {
  AppendBytes(image ? image->record() : std::string_view(), out);
}

bool ReadImage(std::string_view* record, std::optional<encoding::ItemView>* image) {
  std::string_view bytes;
  if (!ReadBytes(record, &bytes)) return false;
  if (!bytes.empty()) *image = encoding::ItemView(bytes);
  return true;
}

size_t BytesOf(const std::optional<encoding::ItemView>& image) {
  return image ? image->record().size() : 0;
}

}  // namespace

std::string EncodeChange(const ChangeRecord& change) {
  std::string record;
  record.reserve(BytesOf(change.old_item) + BytesOf(change.new_item) + BytesOf(change.key) + 16);
  AppendVarint(static_cast<uint64_t>(change.origin), &record);
  AppendVarint(static_cast<uint64_t>(change.event), &record);
  AppendImage(change.old_item, &record);
  AppendImage(change.new_item, &record);
  AppendImage(change.key, &record);
  return record;
}

Result<ChangeRecord> DecodeChange(std::string_view record) {
  ChangeRecord change;
  uint64_t origin = 0;
  uint64_t event = 0;
  if (!ReadVarint(&record, &origin) || !ReadVarint(&record, &event)) return Damaged();
  if (origin > static_cast<uint64_t>(ChangeOrigin::kTimeToLive)) return Damaged();
  if (event > static_cast<uint64_t>(ChangeEvent::kRemove)) return Damaged();
  change.origin = static_cast<ChangeOrigin>(origin);
  change.event = static_cast<ChangeEvent>(event);
  if (!ReadImage(&record, &change.old_item) || !ReadImage(&record, &change.new_item) ||
      !ReadImage(&record, &change.key) || !record.empty()) {
    return Damaged();
  }
  if (!change.old_item && !change.new_item && !change.key) return Damaged();
  return change;
}

bool ShowsOldItem(StreamViewType view) {
  return view == StreamViewType::kNewAndOldImages || view == StreamViewType::kOldImage;
}

bool ShowsNewItem(StreamViewType view) {
  return view == StreamViewType::kNewAndOldImages || view == StreamViewType::kNewImage;
}

LoggedImages ImagesToLog(const table::TableDefinition& table) {
  const bool recovery = table.point_in_time_recovery.enabled;
  const bool stream = table.stream.enabled;
  const StreamViewType view = table.stream.view_type;
  return {.any = recovery || stream,
          .old_item = recovery || (stream && ShowsOldItem(view)),
          .new_item = stream && ShowsNewItem(view)};
}

int64_t EarliestRestorableMs(const table::TableDefinition& table, int64_t now_ms) {
  const table::PointInTimeRecovery& recovery = table.point_in_time_recovery;
  return std::max(recovery.enabled_at_ms, now_ms - recovery.days * kDayMs);
}

int64_t LogKeptSince(const table::TableDefinition& table, int64_t now_ms) {
  const int64_t for_streams = table.streams.empty() ? now_ms : now_ms - kStreamLifeMs;
  if (!table.point_in_time_recovery.enabled) return for_streams;
  return std::min(for_streams, EarliestRestorableMs(table, now_ms));
}

}  // namespace monotable::engine
