#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "backup/table_audit.h"
#include "cli/backup_arguments.h"
#include "cli/backup_request.h"
#include "cli/commands/backup_verbs.h"
#include "cli/outcome.h"
#include "cli/progress.h"
#include "cli/text_table.h"
#include "engine/engine.h"
#include "engine/test_clock.h"
#include "storage/rocksdb/rocksdb_store.h"

namespace monotable::cli {
namespace {

namespace fs = std::filesystem;

// A folder that is gone at the end.
class PassingFolder {
 public:
  static Result<PassingFolder> Make(const std::string& beside) {
    std::string path = beside + "-test-XXXXXX";
    if (mkdtemp(path.data()) == nullptr) {
      return Error::Validation(
          fmt::format("No folder can be made beside {}, to restore to: {}.", beside,
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
  // Seconds since the last lap, or the start.
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
    differences.push_back("its items have another digest than those of the server had");
  }
  comparison->items += audit.items;
  comparison->rows.push_back({live.name, std::to_string(audit.items),
                              std::to_string(audit.index_entries),
                              differences.empty() ? "same" : "differs"});
  for (const std::string& difference : differences) {
    comparison->differences.push_back(fmt::format("{}: {}", live.name, difference));
  }
}

// Opens the restored data as a server would, and compares it with what the live server said.
Result<Comparison> Compare(const backup::ServerBackup& backup, const std::string& folder,
                           Progress* progress) {
  TRY_ASSIGN(const auto store, storage::OpenRocksDbStore(folder));
  // Before the engine, which goes on with what the server was about to do.
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
      comparison.differences.push_back(fmt::format("{}: the server did not have it", table.name));
      continue;
    }
    TRY_ASSIGN(const backup::TableAudit audit,
               backup::AuditTable(*snapshot, table, [&](int64_t items) {
                 progress->Say(fmt::format("comparing {}: {} items", table.name, items));
               }));
    CompareTable(*live.mapped(), audit, &comparison);
  }
  for (const auto& [name, table] : missing) {
    comparison.differences.push_back(fmt::format("{}: is not in the backup", name));
  }
  return comparison;
}

// Where the backup folder of the server is on this machine.
Result<std::string> FolderHere(const GivenOptions& given, const backup::ServerBackup& backup) {
  std::string folder = backup.folder;
  if (given.Has("backup-folder")) {
    TRY_ASSIGN(folder, BackupFolderOf(given));
  }
  if (std::error_code error; !fs::is_directory(folder, error)) {
    return Error::Validation(fmt::format(
        "The backup is in {}, which is not on this machine. Run this where the server is, or say "
        "where that folder is here: --backup-folder FOLDER.",
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

}  // namespace

int RunBackupTest(const GivenOptions& given) {
  if (!given.words.empty()) return Fail("monotable backup test takes options only.");
  Progress progress;
  Stopwatch watch;
  progress.Say("the server makes a backup");
  const auto backup = RequestBackup(given.Value("endpoint"), /*with_digests=*/true);
  progress.Clear();
  if (!backup) return Refuse(backup.error());
  const double backup_seconds = watch.Lap();

  const auto folder = FolderHere(given, *backup);
  if (!folder) return Refuse(folder.error());
  const auto passing = PassingFolder::Make(*folder);
  if (!passing) return Refuse(passing.error());
  progress.Say(fmt::format("restoring backup {} ({})", backup->id, FormatBytes(backup->bytes)));
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

}  // namespace monotable::cli
