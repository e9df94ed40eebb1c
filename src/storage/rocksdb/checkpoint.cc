#include "storage/rocksdb/checkpoint.h"

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

#include <rocksdb/utilities/checkpoint.h>
#include <sys/stat.h>

#include "storage/rocksdb/errors.h"
#include "storage/rocksdb/reader.h"

namespace monotable::storage {

namespace {

bool OnSameDisk(const std::string& a, const std::string& b) {
  struct stat a_stat = {};
  struct stat b_stat = {};
  return stat(a.c_str(), &a_stat) == 0 && stat(b.c_str(), &b_stat) == 0 &&
         a_stat.st_dev == b_stat.st_dev;
}

// RocksDB would copy the files to another disk, and updates would wait for gigabytes.
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

// Turns most of the log into table files while updates go on. The checkpoint is right without it,
// but then a backup would have those updates in a log, which no later backup can share, and updates
// would wait until the log is copied. So an error or a slow disk is no reason to give up.
void ShortenLog(const Database& database, Writer& writer) {
  constexpr auto kLongest = std::chrono::seconds(10);
  const auto deadline = std::chrono::steady_clock::now() + kLongest;
  if (!writer.StartFlush().ok()) return;
  while (database.IntProperty(rocksdb::DB::Properties::kNumImmutableMemTable) > 0 &&
         std::chrono::steady_clock::now() < deadline) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

}  // namespace

Result<std::unique_ptr<Reader>> MakeCheckpoint(const Database* database, Writer* writer,
                                               BulkWrites* bulk_writes, const std::string& folder) {
  std::error_code error;
  const std::filesystem::path path = std::filesystem::absolute(folder, error).lexically_normal();
  if (error) return CheckpointError(folder, rocksdb::Status::IOError(error.message()));
  TRY(PrepareParent(path, database->db().GetName()));
  rocksdb::Checkpoint* made = nullptr;
  rocksdb::Status status = rocksdb::Checkpoint::Create(&database->db(), &made);
  const std::unique_ptr<rocksdb::Checkpoint> checkpoint(made);
  if (!status.ok()) return CheckpointError(folder, status);

  ShortenLog(*database, *writer);
  const std::unique_lock no_bulk_writes = bulk_writes->Pause();
  const std::unique_lock no_updates = writer->Pause();
  // Copying what is left of the log is quicker than to flush it, and holds all that matters: only
  // what changes nothing goes past the log (see Writer::SeedMemtable).
  constexpr uint64_t kNeverFlush = std::numeric_limits<uint64_t>::max();
  status = checkpoint->CreateCheckpoint(path.string(), kNeverFlush);
  if (!status.ok()) return CheckpointError(folder, status);
  return std::unique_ptr<Reader>(
      std::make_unique<RocksDbReader>(database, RocksDbReader::Moment::kNow));
}

}  // namespace monotable::storage
