#include "auth/timestamp.h"

#include "time/calendar.h"

namespace monotable::auth {

std::optional<int64_t> ParseTimestamp(std::string_view text) {
  std::optional<int64_t> instant = time::Parse(text, time::kBasic);
  if (!instant) instant = time::ParseHttpDate(text);
  if (!instant) return std::nullopt;
  return time::WholeSeconds(*instant);
}

std::string FormatTimestamp(int64_t seconds) {
  return time::Format(seconds * 1000, time::kBasic);
}

}  // namespace monotable::auth
