#include "cli/backup_arguments.h"

#include <charconv>
#include <utility>

#include <fmt/format.h>

#include "cli/text_table.h"
#include "server/config.h"

namespace monotable::cli {
namespace {

struct VerbOption {
  std::string_view verb;
  Option option;
};

constexpr VerbOption kOptions[] = {
    {"create", {"endpoint"}}, {"list", {"backup-folder"}},   {"list", {"data"}},
    {"list", {"config"}},     {"verify", {"backup-folder"}}, {"verify", {"data"}},
    {"verify", {"config"}},   {"verify", {"all", true}},     {"restore", {"backup-folder"}},
    {"restore", {"data"}},    {"restore", {"config"}},       {"restore", {"to"}},
    {"test", {"endpoint"}},   {"test", {"backup-folder"}},
};

}  // namespace

Result<GivenOptions> ReadBackupOptions(std::string_view verb,
                                       std::span<const std::string_view> arguments) {
  std::vector<Option> options;
  for (const VerbOption& each : kOptions) {
    if (each.verb == verb) options.push_back(each.option);
  }
  return ReadOptions(options, arguments, "monotable backup --help");
}

Result<std::string> BackupFolderOf(const GivenOptions& given) {
  server::ConfigSources sources;
  sources.environment = server::MonotableEnvironment();
  if (given.Has("config")) sources.file = given.Value("config");
  for (const char* name : {"data", "backup-folder"}) {
    if (given.Has(name)) sources.arguments.emplace_back(name, given.Value(name));
  }
  TRY_ASSIGN(const server::LoadedConfig loaded, server::LoadConfig(sources));
  return server::BackupFolder(loaded.config);
}

Result<std::vector<backup::ServerBackup>> BackupsIn(const std::string& folder) {
  TRY_ASSIGN(const auto infos, storage::ListBackups(folder));
  std::vector<backup::ServerBackup> backups;
  for (const storage::BackupInfo& info : infos) backups.push_back(backup::Describe(info, folder));
  return backups;
}

Result<backup::ServerBackup> FindBackup(const std::string& folder, std::string_view word) {
  uint32_t id = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), id);
  const bool is_id = error == std::errc() && end == word.data() + word.size();
  if (!is_id && word != "latest") {
    return Error::Validation(fmt::format("'{}' is no backup. Give its number, or latest.", word));
  }
  TRY_ASSIGN(std::vector<backup::ServerBackup> backups, BackupsIn(folder));
  for (auto backup = backups.rbegin(); backup != backups.rend(); ++backup) {
    if (is_id ? backup->id == id : !backup->damaged) return std::move(*backup);
  }
  return Error::Validation(
      is_id ? fmt::format("There is no backup {} in the folder {}. See monotable backup list.", id,
                          folder)
            : fmt::format("There is no backup in the folder {} that can be used.", folder));
}

std::string SummaryOf(const backup::ServerBackup& backup) {
  int64_t items = 0;
  for (const backup::BackedUpTable& table : backup.tables) items += table.items;
  return fmt::format("backup {} of {}: {} in {}, {} in {}", backup.id, FormatMoment(backup.time_ms),
                     FormatBytes(backup.bytes), FormatCount(backup.files, "file"),
                     FormatCount(items, "item"),
                     FormatCount(static_cast<int64_t>(backup.tables.size()), "table"));
}

}  // namespace monotable::cli
