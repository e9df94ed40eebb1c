#include "engine/change_log.h"

#include "encoding/varint.h"

namespace monotable::engine {
namespace {

using encoding::AppendBytes;
using encoding::AppendVarint;
using encoding::ReadBytes;
using encoding::ReadVarint;

Error Damaged() {
  return Error::Internal("A record of the change log is damaged");
}

bool ReadHeader(std::string_view* record, ChangeHeader* header) {
  uint64_t time_ms = 0;
  uint64_t origin = 0;
  if (!ReadVarint(record, &time_ms) || !ReadVarint(record, &origin)) return false;
  if (origin > static_cast<uint64_t>(ChangeOrigin::kTimeToLive)) return false;
  header->time_ms = static_cast<int64_t>(time_ms);
  header->origin = static_cast<ChangeOrigin>(origin);
  return true;
}

// An absent image is written with no bytes; an item never has none.
void AppendImage(const std::optional<encoding::ItemView>& image, std::string* out) {
  AppendBytes(image ? image->record() : std::string_view(), out);
}

bool ReadImage(std::string_view* record, std::optional<encoding::ItemView>* image) {
  std::string_view bytes;
  if (!ReadBytes(record, &bytes)) return false;
  if (!bytes.empty()) *image = encoding::ItemView(bytes);
  return true;
}

}  // namespace

std::string EncodeChange(const ChangeRecord& change) {
  std::string out;
  AppendVarint(static_cast<uint64_t>(change.header.time_ms), &out);
  AppendVarint(static_cast<uint64_t>(change.header.origin), &out);
  AppendImage(change.old_item, &out);
  AppendImage(change.new_item, &out);
  return out;
}

Result<ChangeRecord> DecodeChange(std::string_view record) {
  ChangeRecord change;
  if (!ReadHeader(&record, &change.header) || !ReadImage(&record, &change.old_item) ||
      !ReadImage(&record, &change.new_item)) {
    return Damaged();
  }
  return change;
}

Result<ChangeHeader> DecodeChangeHeader(std::string_view record) {
  ChangeHeader header;
  if (!ReadHeader(&record, &header)) return Damaged();
  return header;
}

}  // namespace monotable::engine
