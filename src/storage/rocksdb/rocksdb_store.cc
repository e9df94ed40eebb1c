#include "storage/rocksdb/rocksdb_store.h"

#include <cerrno>
#include <cstdint>
#include <filesystem>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <rocksdb/env.h>
#include <unistd.h>

#include "storage/rocksdb/bulk_write.h"
#include "storage/rocksdb/checkpoint.h"
#include "storage/rocksdb/damage_watch.h"
#include "storage/rocksdb/database.h"
#include "storage/rocksdb/log_file_system.h"
#include "storage/rocksdb/rocksdb_errors.h"
#include "storage/rocksdb/rocksdb_options.h"
#include "storage/rocksdb/rocksdb_reader.h"
#include "storage/rocksdb/rocksdb_writer.h"

namespace monotable::storage {

namespace {

class RocksDbStore : public Store {
 public:
  RocksDbStore(std::unique_ptr<rocksdb::Env> env, std::shared_ptr<DamageWatch> watch,
               std::unique_ptr<Database> database, const RocksDbOptions& options)
      : env_(std::move(env)),
        watch_(std::move(watch)),
        database_(std::move(database)),
        latest_(database_.get(), RocksDbReader::Moment::kLatest),
        writer_(database_.get(), options),
        bulk_writes_(database_.get(), &writer_, options.bulk_file_bytes) {
    watch_->Start(&database_->db(), database_->families(), &latest_);
  }
  ~RocksDbStore() override { watch_->Stop(); }

  const Reader& Latest() const override { return latest_; }

  std::unique_ptr<Reader> Snapshot() const override {
    return std::make_unique<RocksDbReader>(database_.get(), RocksDbReader::Moment::kNow);
  }

  uint64_t LastSequence() const override { return writer_.last_sequence(); }

  void Submit(std::unique_ptr<Update> update) override { writer_.Submit(std::move(update)); }

  Result<std::unique_ptr<BulkWrite>> StartBulkWrite() override { return bulk_writes_.Start(); }

  Result<std::unique_ptr<Reader>> Checkpoint(const std::string& folder) override {
    return MakeCheckpoint(database_.get(), &writer_, &bulk_writes_, folder);
  }

  Result<ScrubReport> Scrub(const ScrubOptions& options) override { return watch_->Scrub(options); }

  uint64_t ApproximateBytes() const override {
    // The content of the memtables is also in the log, at about the same size.
    return database_->IntProperty(rocksdb::DB::Properties::kTotalSstFilesSize) +
           database_->IntProperty(rocksdb::DB::Properties::kCurSizeAllMemTables);
  }

 private:
  // Members are destroyed in reverse order, so the writer finishes before the database closes.
  const std::unique_ptr<rocksdb::Env> env_;
  const std::shared_ptr<DamageWatch> watch_;
  const std::unique_ptr<Database> database_;
  const RocksDbReader latest_;
  Writer writer_;
  BulkWrites bulk_writes_;
};

Error FolderError(const std::string& path, const std::string& problem) {
  return Error(ErrorCode::kUnavailable, "The data folder " + path + " " + problem);
}

// Without the file CURRENT, RocksDB would treat the folder as new and delete its files.
bool HasLostItsRoot(const std::filesystem::path& folder) {
  std::error_code error;
  if (std::filesystem::exists(folder / "CURRENT", error)) return false;
  for (std::filesystem::directory_iterator file(folder, error), end; !error && file != end;
       file.increment(error)) {
    const std::filesystem::path extension = file->path().extension();
    if (extension == ".sst" || extension == ".log") return true;
  }
  return false;
}

Status PrepareFolder(const std::string& path) {
  std::error_code error;
  const bool exists = std::filesystem::exists(path, error);
  if (exists && !std::filesystem::is_directory(path, error)) {
    return FolderError(path, "is a file. Choose a folder.");
  }
  if (!exists) {
    std::filesystem::create_directories(path, error);
    if (error) {
      return FolderError(path, "cannot be made (" + error.message() + "). Choose another folder.");
    }
  }
  if (faccessat(AT_FDCWD, path.c_str(), R_OK | W_OK | X_OK, AT_EACCESS) != 0) {
    return FolderError(path, "cannot be written (" + std::generic_category().message(errno) +
                                 "). Give this user access to it or choose another folder.");
  }
  if (HasLostItsRoot(path)) {
    return OpenError(path, rocksdb::Status::Corruption("the file CURRENT is missing"));
  }
  return {};
}

}  // namespace

Result<std::unique_ptr<Store>> OpenRocksDbStore(const std::string& path,
                                                const RocksDbOptions& options) {
  TRY(PrepareFolder(path));
  rocksdb::Options settings = MakeRocksDbOptions(options);
  const auto files =
      std::make_shared<LogFileSystem>(settings.env->GetFileSystem(), path, options.durability);
  TRY(files->Prepare());
  std::unique_ptr<rocksdb::Env> env = rocksdb::NewCompositeEnv(files);
  settings.env = env.get();
  auto watch = std::make_shared<DamageWatch>(options.report_damage);
  settings.listeners.push_back(watch);
  std::unique_ptr<Database> database;
  const rocksdb::Status status = Database::Open(settings, path, &database);
  if (!status.ok()) return OpenError(path, status);
  database->SetWatch(watch.get());
  return std::unique_ptr<Store>(std::make_unique<RocksDbStore>(std::move(env), std::move(watch),
                                                               std::move(database), options));
}

}  // namespace monotable::storage
