#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <stop_token>
#include <string_view>

#include "encoding/item.h"
#include "engine/engine.h"
#include "error/result.h"
#include "storage/store.h"
#include "table/definition.h"

// Time to live. The items of a table that expire are listed by the second of their expiry
// (encoding::ExpiryKey), so that finding the items that are due reads nothing else. The write path
// maintains the list; an entry is a pure function of its item. The functions are thread-safe.
namespace monotable::engine {

// How often expired items are looked for.
inline constexpr std::chrono::milliseconds kExpiryInterval(1000);

// The service does not delete items that expired longer ago than this, because such a value is more
// likely a mistake.
inline constexpr int64_t kOldestExpirySeconds = int64_t{5} * 365 * 24 * 3600;

// The second in which an item expires, according to its time-to-live attribute; nullopt if the
// attribute is not a number of seconds since the epoch.
std::optional<int64_t> ExpirySecond(const table::TableDefinition& table, encoding::ItemView item);

// Updates the list of expiries from an item's old image to its new one.
void UpdateExpiry(const table::TableDefinition& table, std::string_view item_key,
                  const std::optional<encoding::ItemView>& old_item,
                  const std::optional<encoding::ItemView>& new_item, storage::Batch* batch);

// Lists the items that tables had when time to live was enabled. Returns early, and without an
// error, when asked to stop.
Status FillExpiries(Engine& engine, const std::stop_token& stop);

// Deletes the items of all tables that have expired.
Status DeleteExpired(Engine& engine, const std::stop_token& stop);

struct ExpiryReport {
  int64_t pending = 0;  // will expire
  int64_t expired = 0;  // have expired and are about to be deleted
  int64_t ignored = 0;  // expired more than five years ago and stay
  int64_t deleted = 0;  // since the table was created
  std::optional<int64_t> oldest_expired_second;
};
// Reads the whole list of a table.
Result<ExpiryReport> ReportExpiry(Engine& engine, const table::TableDefinition& table);

}  // namespace monotable::engine
