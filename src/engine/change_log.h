#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "encoding/item.h"
#include "error/result.h"

// The change log: one record per changed item, under encoding::ChangeKey in the same batch as the
// change. Records exist for tables that have a reader of them (a stream); a write that changes
// nothing leaves none.
namespace monotable::engine {

// Who made a change. On disk: never change a number.
enum class ChangeOrigin : uint8_t { kUser = 0, kTimeToLive = 1 };

struct ChangeHeader {
  int64_t time_ms = 0;  // of the commit
  ChangeOrigin origin = ChangeOrigin::kUser;
};

// One change, read in place. An insert has no old image, a removal no new one.
struct ChangeRecord {
  ChangeHeader header;
  std::optional<encoding::ItemView> old_item;
  std::optional<encoding::ItemView> new_item;
};

std::string EncodeChange(const ChangeRecord& change);
Result<ChangeRecord> DecodeChange(std::string_view record);
// Only the header, for trimming by age.
Result<ChangeHeader> DecodeChangeHeader(std::string_view record);

}  // namespace monotable::engine
