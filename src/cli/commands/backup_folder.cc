#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

#include <fmt/format.h>

#include "cli/backup_arguments.h"
#include "cli/commands/backup_verbs.h"
#include "cli/outcome.h"
#include "cli/progress.h"
#include "cli/text_table.h"
#include "storage/rocksdb/store_backups.h"

namespace monotable::cli {

int RunBackupList(const GivenOptions& given) {
  if (!given.words.empty()) return Fail("monotable backup list takes options only.");
  const auto folder = BackupFolderOf(given);
  if (!folder) return Fail(folder.error().message());
  const auto backups = BackupsIn(*folder);
  if (!backups) return Refuse(backups.error());
  std::vector<std::vector<std::string>> rows;
  for (const server::ServerBackup& backup : *backups) {
    if (backup.damaged) {
      rows.push_back({std::to_string(backup.id), "damaged"});
      continue;
    }
    int64_t items = 0;
    for (const server::BackedUpTable& table : backup.tables) items += table.items;
    rows.push_back({std::to_string(backup.id), FormatMoment(backup.time_ms),
                    FormatBytes(backup.bytes), std::to_string(backup.tables.size()),
                    std::to_string(items)});
  }
  fmt::print("{}", FormatTable({{"BACKUP", Align::kRight},
                                {"TIME"},
                                {"SIZE", Align::kRight},
                                {"TABLES", Align::kRight},
                                {"ITEMS", Align::kRight}},
                               rows));
  return kFine;
}

int RunBackupVerify(const GivenOptions& given) {
  const bool all = given.Has("all");
  if (given.words.size() > 1 || (all && !given.words.empty())) {
    return Fail("Give one backup to verify, or --all.");
  }
  const auto folder = BackupFolderOf(given);
  if (!folder) return Fail(folder.error().message());
  std::vector<server::ServerBackup> backups;
  if (all) {
    auto listed = BackupsIn(*folder);
    if (!listed) return Refuse(listed.error());
    backups = *std::move(listed);
  } else {
    auto found = FindBackup(*folder, given.words.empty() ? "latest" : given.words[0]);
    if (!found) return Refuse(found.error());
    backups.push_back(*std::move(found));
  }
  int code = kFine;
  for (const server::ServerBackup& backup : backups) {
    Status good;
    {
      Progress progress;
      progress.Say(fmt::format("verifying backup {} ({})", backup.id, FormatBytes(backup.bytes)));
      good = storage::VerifyBackup(*folder, backup.id);
    }
    if (good) {
      fmt::print("{}: good\n", SummaryOf(backup));
    } else {
      std::fflush(stdout);
      code = Refuse(good.error());
    }
  }
  return code;
}

int RunBackupRestore(const GivenOptions& given) {
  if (given.words.size() != 1) {
    return Fail("Give the backup to restore: its number, or latest. See monotable backup list.");
  }
  const std::string to = given.Value("to");
  if (to.empty()) return Fail("Give --to FOLDER: an empty or a new folder to restore to.");
  const auto folder = BackupFolderOf(given);
  if (!folder) return Fail(folder.error().message());
  const auto backup = FindBackup(*folder, given.words[0]);
  if (!backup) return Refuse(backup.error());
  Status restored;
  {
    Progress progress;
    progress.Say(fmt::format("restoring backup {} ({})", backup->id, FormatBytes(backup->bytes)));
    restored = storage::RestoreBackup(*folder, backup->id, to);
  }
  if (!restored) return Refuse(restored.error());
  fmt::print("{}\nIt is in {} now. To serve it: monotable serve --data {}\n", SummaryOf(*backup),
             to, to);
  return kFine;
}

}  // namespace monotable::cli
