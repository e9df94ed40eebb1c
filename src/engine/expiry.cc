#include "engine/expiry.h"

#include <algorithm>
#include <charconv>
#include <condition_variable>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "encoding/keyspace.h"
#include "engine/backfill.h"
#include "engine/key_check.h"
#include "engine/write.h"

namespace monotable::engine {
namespace {

using table::TableDefinition;

// A step must be short, because the store decides it on the thread that decides all writes.
constexpr size_t kMaxStepItems = 256;
constexpr size_t kMaxStepBytes = 1024 * 1024;
// A guard decides about each item by itself, and other items may follow it.
constexpr size_t kGuardedItems = 64;

// A larger number is not a second of any calendar.
constexpr int64_t kLastSecond = int64_t{1} << 40;

bool Lists(const TableDefinition* table, const TableDefinition& begun) {
  return table != nullptr && table->time_to_live == begun.time_to_live;
}

Status Fill(Engine& engine, const TableDefinition& begun, const std::stop_token& stop) {
  const std::string progress = encoding::BackfillKey(begun.id, encoding::kTableItems);
  const auto still_wanted = [&] { return Lists(engine.catalog().FindById(begun.id).get(), begun); };
  bool ended = false;
  TRY(WalkItems(
      engine, begun.id, progress,
      [&] {
        ended = stop.stop_requested() || !still_wanted();
        return !ended;
      },
      [&](auto keys, auto items, storage::Batch* batch) {
        if (!still_wanted()) return false;
        for (size_t i = 0; i < keys.size(); ++i) {
          if (!items[i]) continue;
          UpdateExpiry(begun, keys[i], std::nullopt, encoding::ItemView(*items[i]), batch);
        }
        return true;
      }));
  if (ended) return {};
  const auto decide = [&](const TableDefinition* current, uint32_t) -> Catalog::Decision {
    ended = !Lists(current, begun) || current->id != begun.id;
    if (ended) return Error(ErrorCode::kResourceNotFound, "Time to live was changed.");
    TableDefinition next = *current;
    next.time_to_live.filled = true;
    return std::optional(std::move(next));
  };
  const auto also = [&progress](const storage::Commit&, storage::Batch* batch) {
    batch->Delete(progress);
  };
  const auto changed = engine.catalog().Change(begun.name, decide, also);
  if (changed || ended) return {};
  return changed.error();
}

// The first expired items of a table, as deletes that do nothing if the item has changed since.
Result<std::vector<ItemWrite>> NextDeletes(Engine& engine, const TablePtr& table, int64_t now,
                                           int64_t due, size_t max_items) {
  const int64_t oldest = std::max<int64_t>(0, now - kOldestExpirySeconds);
  if (due <= oldest) return std::vector<ItemWrite>();
  const auto cursor = engine.store().Latest().Scan(encoding::ExpiriesRange(table->id, oldest, due),
                                                   storage::Direction::kForward);
  std::vector<ItemWrite> deletes;
  size_t bytes = 0;
  for (; cursor->Valid(); cursor->Next()) {
    if (deletes.size() == max_items || bytes >= kMaxStepBytes) break;
    const auto expiry = encoding::DecodeExpiryKey(cursor->key());
    if (!expiry) return Error::Internal("The list of items that expire is damaged.");
    std::string record;
    TRY_ASSIGN(const bool found, engine.store().Latest().Get(expiry->item_key, &record));
    if (!found) continue;  // deleted since the cursor was made
    bytes += record.size();
    ItemWrite write;
    write.table = table;
    write.table_name = table->name;
    write.action = WriteAction::kDelete;
    TRY_ASSIGN(write.key, KeyOf(*table, encoding::ItemView(record)));
    write.expires_at = expiry->second;
    deletes.push_back(std::move(write));
  }
  TRY(cursor->status());
  return deletes;
}

// Submits each delete by itself, because other items may follow it, and waits for all of them.
Status DeleteGuarded(WriteGuard* guard, std::vector<ItemWrite> deletes) {
  std::mutex mutex;
  std::condition_variable done;
  size_t waiting = deletes.size();  // guarded by mutex
  Status failed;                    // guarded by mutex
  for (ItemWrite& write : deletes) {
    WriteRequest request;
    request.origin = ChangeOrigin::kTimeToLive;
    request.items.push_back(std::move(write));
    guard->Submit(std::move(request),
                  [&](const WriteRequest&, const Result<WriteOutcome>& outcome) {
                    const std::lock_guard lock(mutex);
                    if (!outcome) {
                      failed = outcome.error();
                    } else if (outcome->refused()) {
                      failed = *outcome->items.front().error;
                    }
                    if (--waiting == 0) done.notify_all();
                  });
  }
  std::unique_lock lock(mutex);
  done.wait(lock, [&] { return waiting == 0; });
  return failed;
}

// One step. False if nothing has expired.
Result<bool> DeleteSome(Engine& engine, const TablePtr& table, int64_t now, int64_t due) {
  const std::lock_guard guarded(engine.guarded_expiry());
  WriteGuard* const guard = engine.write_guard();
  const bool is_guarded = guard != nullptr && guard->CoversExpiry(*table);
  TRY_ASSIGN(std::vector<ItemWrite> deletes,
             NextDeletes(engine, table, now, due, is_guarded ? kGuardedItems : kMaxStepItems));
  if (deletes.empty()) return false;
  if (is_guarded) {
    TRY(DeleteGuarded(guard, std::move(deletes)));
    return true;
  }
  WriteRequest request;
  request.items = std::move(deletes);
  request.origin = ChangeOrigin::kTimeToLive;
  TRY_ASSIGN(const WriteOutcome outcome, WriteAndWait(engine, std::move(request)));
  return !outcome.refused();  // otherwise the table is gone
}

Status DeleteExpiredOf(Engine& engine, const TablePtr& table, const std::stop_token& stop) {
  const int64_t now = engine.clock().NowMs() / 1000;
  // An item expires when its second is over.
  const int64_t due = (engine.clock().NowMs() - engine.options().expiry_delay_ms) / 1000;
  while (!stop.stop_requested()) {
    TRY_ASSIGN(const bool may_be_more, DeleteSome(engine, table, now, due));
    if (!may_be_more) return {};
  }
  return {};
}

}  // namespace

std::optional<int64_t> ExpirySecond(const TableDefinition& table, encoding::ItemView item) {
  if (!table.time_to_live.enabled) return std::nullopt;
  const auto value = item.Find(table.time_to_live.attribute);
  if (!value || value->type() != item::Type::kNumber) return std::nullopt;
  // The number is plain decimal text. A fraction of a second is ignored.
  const std::string_view text = value->scalar();
  int64_t second = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), second);
  const bool whole = end == text.data() + text.size() || *end == '.';
  if (error != std::errc() || !whole || second <= 0 || second > kLastSecond) return std::nullopt;
  return second;
}

void UpdateExpiry(const TableDefinition& table, std::string_view item_key,
                  const std::optional<encoding::ItemView>& old_item,
                  const std::optional<encoding::ItemView>& new_item, storage::Batch* batch) {
  std::optional<int64_t> before;
  std::optional<int64_t> after;
  if (old_item) before = ExpirySecond(table, *old_item);
  if (new_item) after = ExpirySecond(table, *new_item);
  if (before == after) return;
  if (before) batch->Delete(encoding::ExpiryKey(table.id, *before, item_key));
  if (after) batch->Put(encoding::ExpiryKey(table.id, *after, item_key), "");
}

Status FillExpiries(Engine& engine, const std::stop_token& stop) {
  for (const TablePtr& table : engine.catalog().All()) {
    if (!table->time_to_live.enabled || table->time_to_live.filled) continue;
    if (stop.stop_requested()) return {};
    TRY(Fill(engine, *table, stop));
  }
  return {};
}

Status DeleteExpired(Engine& engine, const std::stop_token& stop) {
  for (const TablePtr& table : engine.catalog().All()) {
    if (table->time_to_live.enabled) TRY(DeleteExpiredOf(engine, table, stop));
  }
  return {};
}

Result<ExpiryReport> ReportExpiry(Engine& engine, const TableDefinition& table) {
  const int64_t now = engine.clock().NowMs() / 1000;
  ExpiryReport report;
  report.deleted = engine.Counter(encoding::ExpiredCountKey(table.id));
  const auto cursor =
      engine.store().Latest().Scan(encoding::ExpiriesRange(table.id), storage::Direction::kForward);
  for (; cursor->Valid(); cursor->Next()) {
    const auto expiry = encoding::DecodeExpiryKey(cursor->key());
    if (!expiry) return Error::Internal("The list of items that expire is damaged.");
    if (expiry->second >= now) {
      ++report.pending;
    } else if (expiry->second < now - kOldestExpirySeconds) {
      ++report.ignored;
    } else {
      ++report.expired;
      if (!report.oldest_expired_second) report.oldest_expired_second = expiry->second;
    }
  }
  TRY(cursor->status());
  return report;
}

}  // namespace monotable::engine
