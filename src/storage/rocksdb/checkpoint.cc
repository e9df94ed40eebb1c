#include "storage/rocksdb/checkpoint.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#include <rocksdb/env.h>
#include <rocksdb/metadata.h>
#include <rocksdb/options.h>
#include <rocksdb/transaction_log.h>
#include <sys/stat.h>

#include "storage/rocksdb/rocksdb_errors.h"
#include "storage/rocksdb/rocksdb_reader.h"

namespace monotable::storage {

namespace {

bool OnSameDisk(const std::string& a, const std::string& b) {
  struct stat a_stat = {};
  struct stat b_stat = {};
  return stat(a.c_str(), &a_stat) == 0 && stat(b.c_str(), &b_stat) == 0 &&
         a_stat.st_dev == b_stat.st_dev;
}

// The folder must be on the same disk: otherwise its files would be gigabytes of copies.
Status PrepareParent(const std::filesystem::path& folder, const std::string& data_folder) {
  std::error_code error;
  if (std::filesystem::exists(folder, error)) {
    return Error::Validation("The folder " + folder.string() +
                             " exists. A checkpoint needs a folder that does not exist yet.");
  }
  const std::filesystem::path parent = folder.parent_path();
  std::filesystem::create_directories(parent, error);
  if (error) {
    return Error::Validation("The folder " + parent.string() + " cannot be made (" +
                             error.message() + "). Choose another one for the checkpoint.");
  }
  if (!OnSameDisk(parent.string(), data_folder)) {
    return Error::Validation("The folder " + folder.string() +
                             " is on another disk than the data folder " + data_folder +
                             ". Choose one on the same disk for the checkpoint.");
  }
  return {};
}

// Each flush leaves a table file, and RocksDB makes updates wait if there are many that are not
// merged yet. Half of that many is enough.
bool HasManyNewFiles(const Database& database) {
  rocksdb::DB& db = database.db();
  return std::any_of(
      database.families().begin(), database.families().end(),
      [&db](rocksdb::ColumnFamilyHandle* family) {
        const std::string property = rocksdb::DB::Properties::kNumFilesAtLevelPrefix + "0";
        std::string files;
        if (!db.GetProperty(family, property, &files)) return false;
        return std::stoi(files) * 2 >= db.GetOptions(family).level0_slowdown_writes_trigger;
      });
}

// Turns most of the log into table files while updates go on. The checkpoint would be correct
// without this step, but a backup would then hold those updates in a log, which no later backup can
// share. So the checkpoint goes on even if this step fails or takes too long, or if backups follow
// each other so quickly that each would be one more table file to merge.
void ShortenLog(const Database& database, Writer& writer) {
  constexpr auto kLongest = std::chrono::seconds(10);
  const auto deadline = std::chrono::steady_clock::now() + kLongest;
  if (HasManyNewFiles(database) || !writer.StartFlush().ok()) return;
  while (database.IntProperty(rocksdb::DB::Properties::kNumImmutableMemTable) > 0 &&
         std::chrono::steady_clock::now() < deadline) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

// The files of a database, none of which is removed as long as this object lives.
class KeptFiles {
 public:
  explicit KeptFiles(rocksdb::DB& db) : db_(db), kept_(db.DisableFileDeletions()) {}
  ~KeptFiles() {
    if (kept_.ok()) db_.EnableFileDeletions(/*force=*/false).PermitUncheckedError();
  }
  KeptFiles(const KeptFiles&) = delete;
  KeptFiles& operator=(const KeptFiles&) = delete;

  // Waits for the removals that have begun. Otherwise List would wait for them.
  rocksdb::Status Settle() {
    if (!kept_.ok()) return kept_;
    rocksdb::VectorLogPtr logs;
    return db_.GetSortedWalFiles(logs);
  }

  // The files as they are now, without a flush.
  rocksdb::Status List(std::vector<rocksdb::LiveFileStorageInfo>* files) {
    rocksdb::LiveFilesStorageInfoOptions options;
    options.wal_size_for_flush = std::numeric_limits<uint64_t>::max();
    return db_.GetLiveFilesStorageInfo(options, files);
  }

 private:
  rocksdb::DB& db_;
  const rocksdb::Status kept_;
};

// Copies the first bytes of a file, which may grow meanwhile.
rocksdb::Status CopyFile(rocksdb::Env& env, const std::string& from, const std::string& to,
                         uint64_t size) {
  constexpr uint64_t kStep = uint64_t{1} << 20;
  std::unique_ptr<rocksdb::SequentialFile> source;
  std::unique_ptr<rocksdb::WritableFile> copy;
  rocksdb::Status status = env.NewSequentialFile(from, &source, rocksdb::EnvOptions());
  if (status.ok()) status = env.NewWritableFile(to, &copy, rocksdb::EnvOptions());
  std::string memory(std::min(size, kStep), '\0');
  while (status.ok() && size > 0) {
    rocksdb::Slice bytes;
    status = source->Read(std::min(size, kStep), &bytes, memory.data());
    if (status.ok() && bytes.empty()) status = rocksdb::Status::Corruption(from, "is too short");
    if (status.ok()) status = copy->Append(bytes);
    size -= bytes.size();
  }
  return status.ok() ? copy->Close() : status;
}

rocksdb::Status AddFile(rocksdb::Env& env, const rocksdb::LiveFileStorageInfo& file,
                        const std::string& folder) {
  const std::string from = file.directory + "/" + file.relative_filename;
  const std::string to = folder + "/" + file.relative_filename;
  if (!file.replacement_contents.empty()) {
    return rocksdb::WriteStringToFile(&env, file.replacement_contents, to);
  }
  if (file.file_type == rocksdb::kTableFile) {
    const rocksdb::Status linked = env.LinkFile(from, to);
    if (!linked.IsNotSupported()) return linked;
  }
  return CopyFile(env, from, to, file.size);
}

rocksdb::Status AddFiles(rocksdb::Env& env, const std::vector<rocksdb::LiveFileStorageInfo>& files,
                         const std::string& folder) {
  rocksdb::Status status = env.CreateDir(folder);
  for (const rocksdb::LiveFileStorageInfo& file : files) {
    if (!status.ok()) break;
    status = AddFile(env, file, folder);
  }
  if (status.ok()) return status;
  std::error_code ignored;
  std::filesystem::remove_all(folder, ignored);
  return status;
}

}  // namespace

Result<std::unique_ptr<Reader>> MakeCheckpoint(const Database* database, Writer* writer,
                                               BulkWrites* bulk_writes, const std::string& folder) {
  std::error_code error;
  const std::filesystem::path path = std::filesystem::absolute(folder, error).lexically_normal();
  if (error) return CheckpointError(folder, rocksdb::Status::IOError(error.message()));
  TRY(PrepareParent(path, database->db().GetName()));

  ShortenLog(*database, *writer);
  KeptFiles kept(database->db());
  rocksdb::Status status = kept.Settle();
  std::vector<rocksdb::LiveFileStorageInfo> files;
  std::unique_ptr<Reader> reader;
  if (status.ok()) {
    const std::unique_lock no_bulk_writes = bulk_writes->Pause();
    const std::unique_lock no_updates = writer->Pause();
    // The logs are complete, except for writes that change nothing (see Writer::SeedMemtable).
    status = kept.List(&files);
    reader = std::make_unique<RocksDbReader>(database, RocksDbReader::Moment::kNow);
  }
  if (status.ok()) status = AddFiles(*database->db().GetEnv(), files, path.string());
  if (!status.ok()) return CheckpointError(folder, status);
  return reader;
}

}  // namespace monotable::storage
