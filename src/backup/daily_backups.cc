#include "backup/daily_backups.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "backup/table_audit.h"
#include "engine/recovery/restore.h"
#include "telemetry/log.h"
#include "time/calendar.h"

namespace monotable::backup {
namespace {

constexpr int64_t kDayMs = 24 * 3'600'000;
constexpr std::chrono::seconds kDailyLook{20};
constexpr int64_t kPauseAfterFailureMs = 10 * 60'000;
constexpr std::chrono::milliseconds kPollInterval{20};

std::string NamePrefix(const std::string& table_name) {
  // A name of a backup has at most 255 characters, as that of a table.
  constexpr size_t kMostOfTable = 230;
  return table_name.substr(0, kMostOfTable) + "-daily-";
}

// The latest moment at which the backup was to be made.
int64_t LastDue(const DailyBackup& wanted, int64_t now_ms) {
  const int64_t midnight_ms = now_ms - now_ms % kDayMs;
  const int64_t today_ms = midnight_ms + wanted.time_of_day_ms;
  return today_ms <= now_ms ? today_ms : today_ms - kDayMs;
}

Error StoppedEarly() {
  return Error(ErrorCode::kUnavailable, "The server stops.");
}

}  // namespace

DailyBackups::DailyBackups(engine::Engine& engine, std::vector<DailyBackup> wanted)
    : engine_(engine),
      wanted_(std::move(wanted)),
      repeater_(kDailyLook, [this](const std::stop_token& stop) {
        Look(stop);
        return true;
      }) {}

void DailyBackups::Look(const std::stop_token& stop) {
  if (engine_.clock().NowMs() < quiet_until_ms_) return;
  bool all_made = true;
  for (const DailyBackup& wanted : wanted_) {
    Status made = MakeIfDue(wanted, stop);
    if (made) made = RemoveOld(wanted);
    if (stop.stop_requested()) return;
    if (made) continue;
    all_made = false;
    telemetry::Log(telemetry::LogLevel::kWarning,
                   "The daily backup of {} failed and is tried again in {} minutes: {}",
                   wanted.table_name, kPauseAfterFailureMs / 60'000, made.error().message());
  }
  if (!all_made) quiet_until_ms_ = engine_.clock().NowMs() + kPauseAfterFailureMs;
}

Status DailyBackups::MakeIfDue(const DailyBackup& wanted, const std::stop_token& stop) {
  const int64_t due_ms = LastDue(wanted, engine_.clock().NowMs());
  TRY_ASSIGN(const engine::TablePtr table, engine_.FindTable(wanted.table_name));
  if (table->created_at_ms > due_ms) return {};
  const std::string name = NamePrefix(wanted.table_name) + time::Format(due_ms, "yyyyMMdd");
  TRY_ASSIGN(const std::vector<engine::Backup> backups, engine::ListBackups(engine_));
  const bool exists =
      std::any_of(backups.begin(), backups.end(), [&](const engine::Backup& backup) {
        return backup.table.name == wanted.table_name && backup.name == name;
      });
  return exists ? Status() : Make(wanted.table_name, name, stop);
}

// A backup that differs from its table is removed, so that nobody relies on it.
Status DailyBackups::Make(const std::string& table_name, const std::string& name,
                          const std::stop_token& stop) {
  const auto begin = std::chrono::steady_clock::now();
  const std::shared_ptr<const storage::Reader> moment = engine_.store().Snapshot();
  TRY_ASSIGN(const auto table, engine::FindTableIn(*moment, table_name));
  if (!table || table->status == table::TableStatus::kCreating) return {};
  TRY_ASSIGN(const engine::Backup begun, engine::BeginBackup(engine_, moment, *table, name));
  TRY_ASSIGN(const engine::Backup made, WaitFor(begun, stop));
  TRY_ASSIGN(const std::string wanted, DigestOf(*moment, *table, stop));
  table::TableDefinition copy = *table;
  copy.id = made.data_table_id;
  const std::unique_ptr<storage::Reader> now = engine_.store().Snapshot();
  TRY_ASSIGN(const std::string found, DigestOf(*now, copy, stop));
  if (found != wanted) {
    TRY(engine::RemoveBackup(engine_, made));
    return Error::Internal("The backup differs from the table and was removed.");
  }
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  telemetry::Log(telemetry::LogLevel::kInfo,
                 "Daily backup {} of {}: {} items, {} bytes, {:.2f} seconds, compared with the "
                 "table (digest {})",
                 name, table->name, made.item_count, made.size_bytes, seconds, found);
  return {};
}

Result<engine::Backup> DailyBackups::WaitFor(const engine::Backup& begun,
                                             const std::stop_token& stop) {
  const std::string arn = engine::BackupArn(engine_, begun);
  while (!stop.stop_requested()) {
    TRY_ASSIGN(const auto backup, engine::FindBackup(engine_, arn));
    if (!backup) return Error(ErrorCode::kUnavailable, "The backup could not be made.");
    if (backup->available) return *backup;
    std::this_thread::sleep_for(kPollInterval);
  }
  return StoppedEarly();
}

Status DailyBackups::RemoveOld(const DailyBackup& wanted) {
  if (wanted.keep_days == 0) return {};
  const int64_t oldest_ms = engine_.clock().NowMs() - wanted.keep_days * kDayMs;
  TRY_ASSIGN(const std::vector<engine::Backup> backups, engine::ListBackups(engine_));
  for (const engine::Backup& backup : backups) {
    if (backup.table.name != wanted.table_name || backup.created_at_ms > oldest_ms) continue;
    if (backup.type != engine::BackupType::kUser || !backup.available) continue;
    if (!backup.name.starts_with(NamePrefix(wanted.table_name))) continue;
    TRY_ASSIGN(const bool used, engine::IsBeingRestored(engine_, backup));
    if (!used) TRY(engine::RemoveBackup(engine_, backup));
  }
  return {};
}

}  // namespace monotable::backup
