#include <array>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "backup/server_backups.h"
#include "backup/table_audit.h"
#include "cli/command_line.h"
#include "cli/commands.h"
#include "cli/dynamodb_client.h"
#include "cli/terminal.h"
#include "deploy/json_document.h"
#include "engine/engine.h"
#include "engine/test_clock.h"
#include "server/config.h"
#include "server/private_files.h"
#include "storage/rocksdb/rocksdb_store.h"
#include "storage/rocksdb/store_backups.h"
#include "text/words.h"

namespace monotable::cli {
namespace {

// The folder that --backup-folder names, or the one that a server with the same --data, --config
// and environment uses.
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

// All backups of a folder, oldest first.
Result<std::vector<backup::ServerBackup>> BackupsIn(const std::string& folder) {
  TRY_ASSIGN(const auto infos, storage::ListBackups(folder));
  std::vector<backup::ServerBackup> backups;
  backups.reserve(infos.size());
  for (const storage::BackupInfo& info : infos) backups.push_back(backup::Describe(info, folder));
  return backups;
}

// The backup that a word means: a number, or `latest`, which is the newest undamaged one.
Result<backup::ServerBackup> FindBackup(const std::string& folder, std::string_view word) {
  const auto id = text::ParseNumber<uint32_t>(word);
  if (!id && word != "latest") {
    return Error::Validation(fmt::format("'{}' is no backup. Give its number, or latest.", word));
  }
  TRY_ASSIGN(std::vector<backup::ServerBackup> backups, BackupsIn(folder));
  for (auto backup = backups.rbegin(); backup != backups.rend(); ++backup) {
    if (id ? backup->id == *id : !backup->damaged) return std::move(*backup);
  }
  return Error::Validation(
      id ? fmt::format("There is no backup {} in the folder {}. See monotable backup list.", *id,
                       folder)
         : fmt::format("There is no backup in the folder {} that can be used.", folder));
}

// A backup in one line: `backup 3 of 2026-01-30T14:30:00Z: …`.
std::string SummaryOf(const backup::ServerBackup& backup) {
  int64_t items = 0;
  for (const backup::BackedUpTable& table : backup.tables) items += table.items;
  return fmt::format("backup {} of {}: {} in {}, {} in {}", backup.id, FormatMoment(backup.time_ms),
                     FormatBytes(backup.bytes), FormatCount(backup.files, "file"),
                     FormatCount(items, "item"),
                     FormatCount(static_cast<int64_t>(backup.tables.size()), "table"));
}

// Asks a running server for a backup and waits until it is made.
Result<backup::ServerBackup> RequestBackup(const GivenOptions& given, bool with_digests) {
  TRY_ASSIGN(const deploy::Call call, OwnCallOf(given.Value("endpoint"), given.Value("ca-file")));
  TRY_ASSIGN(const std::string answer,
             call("CreateServerBackup", with_digests ? R"({"Digest":true})" : "{}"));
  TRY_ASSIGN(const deploy::Document document, deploy::Document::Parse(answer));
  const auto backup = deploy::ObjectIn(document.object(), "Backup");
  if (!backup) return Error::Internal("The server's answer says nothing about a backup.");
  return backup::ReadBackup(*backup);
}

int RunBackupCreate(const GivenOptions& given) {
  if (!given.words.empty()) return Fail("monotable backup create takes only options.");
  const auto start = std::chrono::steady_clock::now();
  const auto backup = [&] {
    Progress progress;
    progress.Say("The server is making a backup.");
    return RequestBackup(given, /*with_digests=*/false);
  }();
  if (!backup) return Refuse(backup.error());
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  fmt::print("{}\nIt is in {} and took {:.1f} seconds.\n", SummaryOf(*backup), backup->folder,
             took.count());
  return kFine;
}

int RunBackupList(const GivenOptions& given) {
  if (!given.words.empty()) return Fail("monotable backup list takes only options.");
  const auto folder = BackupFolderOf(given);
  if (!folder) return Fail(folder.error().message());
  const auto backups = BackupsIn(*folder);
  if (!backups) return Refuse(backups.error());
  std::vector<std::vector<std::string>> rows;
  for (const backup::ServerBackup& backup : *backups) {
    if (backup.damaged) {
      rows.push_back({std::to_string(backup.id), "damaged"});
      continue;
    }
    int64_t items = 0;
    for (const backup::BackedUpTable& table : backup.tables) items += table.items;
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
  std::vector<backup::ServerBackup> backups;
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
  for (const backup::ServerBackup& backup : backups) {
    Status good;
    {
      Progress progress;
      progress.Say(fmt::format("Verifying backup {} ({}).", backup.id, FormatBytes(backup.bytes)));
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
  server::CloseToOthers(to, "CURRENT");
  Status restored;
  {
    Progress progress;
    progress.Say(fmt::format("Restoring backup {} ({}).", backup->id, FormatBytes(backup->bytes)));
    restored = storage::RestoreBackup(*folder, backup->id, to);
  }
  if (!restored) return Refuse(restored.error());
  fmt::print("{}\nIt is in {} now. To serve it: monotable serve --data {}\n", SummaryOf(*backup),
             to, to);
  return kFine;
}

namespace fs = std::filesystem;

// A temporary folder, which the destructor removes.
class PassingFolder {
 public:
  static Result<PassingFolder> Make(const std::string& beside) {
    std::string path = beside + "-test-XXXXXX";
    if (mkdtemp(path.data()) == nullptr) {
      return Error::Validation(
          fmt::format("No folder can be created beside {} for the restored copy: {}.", beside,
                      std::error_code(errno, std::generic_category()).message()));
    }
    return PassingFolder(std::move(path));
  }
  PassingFolder(PassingFolder&& other) noexcept : path_(std::exchange(other.path_, {})) {}
  PassingFolder& operator=(PassingFolder&&) = delete;
  ~PassingFolder() {
    std::error_code ignored;
    if (!path_.empty()) fs::remove_all(path_, ignored);
  }

  const std::string& path() const { return path_; }

 private:
  explicit PassingFolder(std::string path) : path_(std::move(path)) {}

  std::string path_;
};

class Stopwatch {
 public:
  // Seconds since the last lap, or since the start.
  double Lap() {
    const auto before = std::exchange(at_, std::chrono::steady_clock::now());
    return std::chrono::duration<double>(at_ - before).count();
  }

 private:
  std::chrono::steady_clock::time_point at_ = std::chrono::steady_clock::now();
};

struct Comparison {
  std::vector<std::vector<std::string>> rows;
  std::vector<std::string> differences;
  int64_t items = 0;
};

void CompareTable(const backup::BackedUpTable& live, const backup::TableAudit& audit,
                  Comparison* comparison) {
  std::vector<std::string> differences = audit.problems;
  if (audit.items != live.items) {
    differences.push_back(fmt::format("has {} items, the server had {}", audit.items, live.items));
  }
  if (audit.digest != live.digest) {
    differences.push_back("the digest of its items differs from the digest of the server's items");
  }
  comparison->items += audit.items;
  comparison->rows.push_back({live.name, std::to_string(audit.items),
                              std::to_string(audit.index_entries),
                              differences.empty() ? "same" : "differs"});
  for (const std::string& difference : differences) {
    comparison->differences.push_back(fmt::format("{}: {}", live.name, difference));
  }
}

// Opens the restored data as a server does, and compares the data with the server's note.
Result<Comparison> Compare(const backup::ServerBackup& backup, const std::string& folder,
                           Progress* progress) {
  TRY_ASSIGN(const auto store, storage::OpenRocksDbStore(folder));
  // The snapshot comes before the engine, because the engine continues the work of the server.
  const auto snapshot = store->Snapshot();
  const engine::TestClock clock(backup.time_ms);
  TRY_ASSIGN(const auto engine, engine::Engine::Open(*store, clock, {}));
  TRY_ASSIGN(const std::vector<table::TableDefinition> tables, backup::TablesOf(*snapshot));

  Comparison comparison;
  std::map<std::string_view, const backup::BackedUpTable*> missing;
  for (const backup::BackedUpTable& table : backup.tables) missing.emplace(table.name, &table);
  for (const table::TableDefinition& table : tables) {
    const auto live = missing.extract(table.name);
    if (live.empty()) {
      comparison.differences.push_back(
          fmt::format("{}: the server did not have this table", table.name));
      continue;
    }
    TRY_ASSIGN(const backup::TableAudit audit,
               backup::AuditTable(*snapshot, table, [&](int64_t items) {
                 progress->Say(fmt::format("Comparing {}: {} items.", table.name, items));
               }));
    CompareTable(*live.mapped(), audit, &comparison);
  }
  for (const auto& [name, table] : missing) {
    comparison.differences.push_back(fmt::format("{}: the backup does not have this table", name));
  }
  return comparison;
}

// The path of the server's backup folder on this machine.
Result<std::string> FolderHere(const GivenOptions& given, const backup::ServerBackup& backup) {
  std::string folder = backup.folder;
  if (given.Has("backup-folder")) {
    TRY_ASSIGN(folder, BackupFolderOf(given));
  }
  if (std::error_code error; !fs::is_directory(folder, error)) {
    return Error::Validation(fmt::format(
        "The backup is in {}, which is not on this machine. Run this command on the machine of the "
        "server, or name the folder on this machine with --backup-folder FOLDER.",
        folder));
  }
  return folder;
}

int Report(const Comparison& comparison) {
  fmt::print(
      "{}", FormatTable(
                {{"TABLE"}, {"ITEMS", Align::kRight}, {"INDEX ENTRIES", Align::kRight}, {"RESULT"}},
                comparison.rows));
  for (const std::string& difference : comparison.differences) fmt::print("{}\n", difference);
  return comparison.differences.empty() ? kFine : kHasErrors;
}

int RunBackupTest(const GivenOptions& given) {
  if (!given.words.empty()) return Fail("monotable backup test takes only options.");
  Progress progress;
  Stopwatch watch;
  progress.Say("The server is making a backup.");
  const auto backup = RequestBackup(given, /*with_digests=*/true);
  progress.Clear();
  if (!backup) return Refuse(backup.error());
  const double backup_seconds = watch.Lap();

  const auto folder = FolderHere(given, *backup);
  if (!folder) return Refuse(folder.error());
  const auto passing = PassingFolder::Make(*folder);
  if (!passing) return Refuse(passing.error());
  progress.Say(fmt::format("Restoring backup {} ({}).", backup->id, FormatBytes(backup->bytes)));
  const Status restored = storage::RestoreBackup(*folder, backup->id, passing->path());
  progress.Clear();
  if (!restored) return Refuse(restored.error());
  const double restore_seconds = watch.Lap();

  const auto comparison = Compare(*backup, passing->path(), &progress);
  progress.Clear();
  if (!comparison) return Refuse(comparison.error());
  fmt::print("{}\n", SummaryOf(*backup));
  const int code = Report(*comparison);
  fmt::print("{} {} ({:.1f} s backup, {:.1f} s restore, {:.1f} s comparison)\n",
             code == kFine ? "The restored copy is what the server had at that moment:"
                           : "The restored copy differs from what the server had:",
             FormatCount(comparison->items, "item"), backup_seconds, restore_seconds, watch.Lap());
  return code;
}

}  // namespace

int RunBackup(std::span<const std::string_view> arguments) {
  constexpr std::array<std::pair<std::string_view, int (*)(const GivenOptions&)>, 5> kVerbs = {{
      {"create", RunBackupCreate},
      {"list", RunBackupList},
      {"verify", RunBackupVerify},
      {"restore", RunBackupRestore},
      {"test", RunBackupTest},
  }};
  return RunVerb("backup", arguments, [&](std::string_view verb, const GivenOptions& given) {
    // A restored copy is for its owner only, like the data that it is a copy of.
    server::MakeFilesPrivate();
    for (const auto& [name, run] : kVerbs) {
      if (name == verb) return run(given);
    }
    return kUnusable;
  });
}

}  // namespace monotable::cli
