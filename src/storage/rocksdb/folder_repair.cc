#include "storage/rocksdb/folder_repair.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <system_error>
#include <utility>

#include <rocksdb/db.h>
#include <rocksdb/env.h>
#include <rocksdb/sst_file_writer.h>

#include "storage/rocksdb/database.h"
#include "storage/rocksdb/log_marks.h"
#include "storage/rocksdb/rocksdb_errors.h"
#include "storage/rocksdb/rocksdb_options.h"
#include "storage/rocksdb/rocksdb_reader.h"

namespace monotable::storage {

namespace {

namespace fs = std::filesystem;

constexpr char kKeptFolder[] = "damaged-";

rocksdb::Options InspectionOptions() {
  RocksDbOptions options;
  options.cache_bytes = size_t{8} << 20;
  return MakeRocksDbOptions(options);
}

// The lock of a data folder, for as long as it lives.
class DataFolderLock {
 public:
  static Result<std::unique_ptr<DataFolderLock>> Take(const std::string& folder) {
    std::error_code error;
    if (!fs::is_directory(folder, error)) {
      return Error::Validation("There is no folder " + folder + ". Check the name.");
    }
    rocksdb::FileLock* lock = nullptr;
    const rocksdb::Status status = rocksdb::Env::Default()->LockFile(folder + "/LOCK", &lock);
    if (!status.ok()) return OpenError(folder, status);
    return std::make_unique<DataFolderLock>(lock);
  }

  explicit DataFolderLock(rocksdb::FileLock* lock) : lock_(lock) {}
  ~DataFolderLock() { rocksdb::Env::Default()->UnlockFile(lock_).PermitUncheckedError(); }
  DataFolderLock(const DataFolderLock&) = delete;
  DataFolderLock& operator=(const DataFolderLock&) = delete;

 private:
  rocksdb::FileLock* const lock_;
};

std::vector<std::string> TableFilesIn(const std::string& folder) {
  std::vector<std::string> paths;
  std::error_code error;
  for (fs::directory_iterator file(folder, error), end; !error && file != end;
       file.increment(error)) {
    if (file->path().extension() == ".sst") paths.push_back(file->path().string());
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

// A database that is open for reading, and a reader of it.
struct OpenFolder {
  explicit OpenFolder(std::unique_ptr<Database> opened)
      : database(std::move(opened)), reader(database.get(), RocksDbReader::Moment::kLatest) {}

  const std::unique_ptr<Database> database;
  const RocksDbReader reader;
};

// Checks the list of files and opens the folder for reading, if that is possible.
std::shared_ptr<OpenFolder> OpenToInspect(const std::string& folder, FolderReport* report) {
  std::vector<std::string> families;
  rocksdb::Status status =
      rocksdb::DB::ListColumnFamilies(rocksdb::DBOptions(InspectionOptions()), folder, &families);
  std::unique_ptr<Database> database;
  if (status.ok()) status = Database::OpenToRead(InspectionOptions(), folder, &database);
  if (status.ok()) return std::make_shared<OpenFolder>(std::move(database));
  report->root = ShortReason(status);
  return nullptr;
}

Range KeysOf(const rocksdb::LiveFileMetaData& file) {
  return {file.smallestkey, file.largestkey + '\0'};
}

Status CopyOrMove(const fs::path& from, const fs::path& to_folder, bool move) {
  std::error_code error;
  fs::create_directories(to_folder, error);
  if (!error && move) fs::rename(from, to_folder / from.filename(), error);
  if (!error && !move) fs::copy_file(from, to_folder / from.filename(), error);
  if (!error) return {};
  return Error::Internal("The file " + from.string() + " cannot be kept in " + to_folder.string() +
                         " (" + error.message() + "). Check the disk and the access to it.");
}

// Everything before the first damage stays, without torn ends: the marks, which tell a torn end
// from damage, do not stay.
Status RepairLogs(const LogCheck& check, const fs::path& kept) {
  bool lost = false;
  for (const CheckedLog& log : check.logs) {
    if (lost) {
      if (log.exists) TRY(CopyOrMove(log.path, kept, /*move=*/true));
      continue;
    }
    lost = log.state == LogState::kDamaged;
    if (log.state == LogState::kGood || !log.exists) continue;
    TRY(CopyOrMove(log.path, kept, /*move=*/false));
    std::error_code error;
    fs::resize_file(log.path, log.good_size, error);
    if (error) return Error::Internal("The file " + log.path + " cannot be cut off.");
  }
  return {};
}

// If only the file CURRENT is lost, the newest MANIFEST that can be read takes its place.
bool FindRoot(const std::string& folder) {
  std::vector<std::string> manifests;
  std::error_code error;
  for (fs::directory_iterator file(folder, error), end; !error && file != end;
       file.increment(error)) {
    const std::string name = file->path().filename().string();
    if (name.starts_with("MANIFEST-")) manifests.push_back(name);
  }
  std::sort(manifests.rbegin(), manifests.rend());
  for (const std::string& name : manifests) {
    std::ofstream(folder + "/CURRENT", std::ios::binary) << name << '\n';
    std::vector<std::string> families;
    if (rocksdb::DB::ListColumnFamilies(rocksdb::DBOptions(InspectionOptions()), folder, &families)
            .ok()) {
      return true;
    }
  }
  fs::remove(folder + "/CURRENT", error);
  return false;
}

Error ListIsLost(const std::string& folder, const std::string& reason) {
  return Error::Internal("The data folder " + folder +
                         " has lost the list of its files (MANIFEST) and cannot be repaired (" +
                         reason + "). Restore a backup.");
}

Status RepairRoot(const std::string& folder, const std::string& reason) {
  TRY_ASSIGN(const auto lock, DataFolderLock::Take(folder));
  if (!FindRoot(folder)) return ListIsLost(folder, reason);
  return {};
}

// RocksDB has no way to forget a file. So a file that is lost is replaced by one with the same name
// and size, which says only that the first key of the lost file is gone.
Status MakeStandIn(const LostFile& lost) {
  // At the end of a table file, with the places of all other parts.
  constexpr size_t kFooterBytes = 53;
  rocksdb::Options options;
  options.compression = rocksdb::kNoCompression;
  options.db_host_id = "";  // because even a small file must have room for it
  const std::string temporary = lost.path + ".stand-in";
  rocksdb::SstFileWriter writer{rocksdb::EnvOptions(), options};
  rocksdb::Status status = writer.Open(temporary);
  if (status.ok()) status = writer.Delete(SliceOf(lost.keys.begin));
  if (status.ok()) status = writer.Finish();
  std::string bytes;
  if (status.ok()) {
    status = rocksdb::ReadFileToString(rocksdb::Env::Default(), temporary, &bytes);
  }
  std::error_code ignored;
  fs::remove(temporary, ignored);
  if (status.ok() && bytes.size() > lost.size) status = rocksdb::Status::Corruption("too short");
  if (status.ok()) {
    bytes.insert(bytes.size() - kFooterBytes, lost.size - bytes.size(), '\0');
    status = rocksdb::WriteStringToFile(rocksdb::Env::Default(), bytes, lost.path,
                                        /*should_sync=*/true);
  }
  if (status.ok()) return {};
  return Error::Internal("The lost file " + lost.path + " cannot be replaced (" +
                         ShortReason(status) + "). Restore a backup.");
}

// Files with empty blocks must not stay (DropDamagedBlocks), nor stand-ins, which do not have the
// identity that RocksDB remembers of a file. Compacts them into new files.
Status ReplaceFiles(const std::string& folder, const std::map<std::string, Range>& files) {
  if (files.empty()) return {};
  rocksdb::Options options = InspectionOptions();
  options.verify_sst_unique_id_in_manifest = false;
  options.disable_auto_compactions = true;
  std::unique_ptr<Database> database;
  rocksdb::Status status = Database::Open(options, folder, &database);
  for (const auto& [path, keys] : files) {
    if (!status.ok()) break;
    rocksdb::CompactRangeOptions all_levels;
    all_levels.bottommost_level_compaction = rocksdb::BottommostLevelCompaction::kForce;
    const rocksdb::Slice begin = SliceOf(keys.begin);
    const rocksdb::Slice end = SliceOf(keys.end);
    status = database->db().CompactRange(all_levels, database->FamilyOf(keys.begin), &begin, &end);
  }
  if (!status.ok()) return OpenError(folder, status);
  std::vector<rocksdb::LiveFileMetaData> live;
  database->db().GetLiveFilesMetaData(&live);
  for (const rocksdb::LiveFileMetaData& file : live) {
    if (!files.contains(folder + "/" + file.relative_filename)) continue;
    return Error::Internal("The file " + file.relative_filename + " of the data folder " + folder +
                           " cannot be replaced. Restore a backup.");
  }
  return {};
}

// A folder in the data folder that does not exist yet.
fs::path NewKeptFolder(const std::string& folder) {
  for (int number = 1;; ++number) {
    fs::path path = fs::path(folder) / (kKeptFolder + std::to_string(number));
    if (std::error_code error; !fs::exists(path, error)) return path;
  }
}

}  // namespace

bool FolderReport::damaged() const {
  return !root.empty() || !blocks.empty() || !lost.empty() ||
         std::any_of(logs.logs.begin(), logs.logs.end(),
                     [](const CheckedLog& log) { return log.state == LogState::kDamaged; });
}

Result<FolderReport> InspectFolder(const std::string& folder, Durability durability, Pace* pace) {
  TRY_ASSIGN(const auto lock, DataFolderLock::Take(folder));
  const auto files = rocksdb::FileSystem::Default();
  FolderReport report;
  TRY_ASSIGN(report.logs, InspectLogs(*files, folder, durability));
  const std::shared_ptr<OpenFolder> open = OpenToInspect(folder, &report);
  std::map<std::string, rocksdb::LiveFileMetaData> live;
  if (open != nullptr) {
    std::vector<rocksdb::LiveFileMetaData> list;
    open->database->db().GetLiveFilesMetaData(&list);
    for (auto& file : list) live.emplace(folder + "/" + file.relative_filename, std::move(file));
    report.reader = &open->reader;
    report.owner = open;
  }
  std::set<std::string> present;
  for (const std::string& path : TableFilesIn(folder)) {
    present.insert(path);
    const auto known = live.find(path);
    // RocksDB removes a file that its list does not name.
    if (open != nullptr && known == live.end()) continue;
    TRY_ASSIGN(std::vector<Damage> damage, InspectTableFile(files, path, pace));
    std::error_code error;
    LostFile lost{path, true, fs::file_size(path, error), {}};
    ++report.files;
    report.bytes += lost.size;
    bool whole = !damage.empty() && damage[0].bytes == 0;
    if (known != live.end()) {
      lost.keys = KeysOf(known->second);
      whole = whole || lost.size != known->second.size;
      lost.size = known->second.size;
    }
    if (whole) {
      report.lost.push_back(std::move(lost));
      continue;
    }
    for (Damage& part : damage) {
      part.keys.begin = std::max(part.keys.begin, lost.keys.begin);
      if (part.keys.end.empty()) part.keys.end = lost.keys.end;
      report.blocks.push_back(std::move(part));
    }
  }
  for (const auto& [path, file] : live) {
    if (!present.contains(path)) report.lost.push_back({path, false, file.size, KeysOf(file)});
  }
  return report;
}

Result<std::string> RepairFolder(const std::string& folder, const FolderReport& report) {
  if (!report.root.empty()) {
    TRY(RepairRoot(folder, report.root));
    // Only now can be seen what else is damaged.
    Pace pace;
    TRY_ASSIGN(const FolderReport rest, InspectFolder(folder, Durability::kSync, &pace));
    if (!rest.root.empty()) return ListIsLost(folder, rest.root);
    return RepairFolder(folder, rest);
  }
  const fs::path kept = NewKeptFolder(folder);
  std::map<std::string, Range> repaired;  // files, and keys in them
  {
    TRY_ASSIGN(const auto lock, DataFolderLock::Take(folder));
    if (const fs::path marks = fs::path(folder) / kMarkFile; fs::exists(marks)) {
      TRY(CopyOrMove(marks, kept, /*move=*/true));
    }
    TRY(RepairLogs(report.logs, kept));
    for (const Damage& damage : report.blocks) {
      if (!repaired.emplace(damage.file, damage.keys).second) continue;
      TRY(CopyOrMove(damage.file, kept, /*move=*/false));
      TRY(DropDamagedBlocks(rocksdb::FileSystem::Default(), damage.file));
    }
    for (const LostFile& lost : report.lost) {
      if (lost.exists) TRY(CopyOrMove(lost.path, kept, /*move=*/true));
      TRY(MakeStandIn(lost));
      repaired.emplace(lost.path, lost.keys);
    }
  }
  TRY(ReplaceFiles(folder, repaired));
  return kept.string();
}

}  // namespace monotable::storage
