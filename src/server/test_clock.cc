#include "server/test_clock.h"

#include "model/instant.h"

namespace monotable::server {

std::optional<int64_t> ParseTestClock(std::string_view text) {
  if (text == "now") return engine::SystemClock().NowMs();
  const auto instant = model::ParseIso(text);
  // The store keeps times as unsigned numbers since 1970.
  if (!instant || instant->millis < 0) return std::nullopt;
  return instant->millis;
}

}  // namespace monotable::server
