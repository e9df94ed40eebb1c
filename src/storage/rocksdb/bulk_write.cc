#include "storage/rocksdb/bulk_write.h"

#include <filesystem>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <rocksdb/sst_file_writer.h>

#include "storage/rocksdb/rocksdb_errors.h"

namespace monotable::storage {

class BulkWrites::Writing : public BulkWrite {
 public:
  Writing(BulkWrites& owner, std::filesystem::path folder)
      : owner_(owner),
        folder_(std::move(folder)),
        file_(rocksdb::EnvOptions(owner.db_.GetDBOptions()), owner.db_.GetOptions()) {}

  ~Writing() override { RemoveFiles(); }

  Status Put(std::string_view key, std::string_view value) override {
    if (last_key_ && key <= *last_key_) {
      return Error::Internal("The keys of a bulk write must ascend.");
    }
    if (IsLogKey(key)) return Error::Internal("The log cannot be written in bulk.");
    if (!last_key_) {
      first_key_ = key;
      last_key_.emplace();
    }
    *last_key_ = key;
    return Check(PutInFile(key, value));
  }

  Status Finish() override {
    if (files_.empty()) return Check(rocksdb::Status::OK());
    TRY(Check(FinishFile()));
    TRY(Check(Ingest()));
    // The counters that the writer remembers may be out of date now.
    owner_.writer_.Forget({first_key_, *last_key_ + '\0'});
    RemoveFiles();
    files_.clear();
    return {};
  }

 private:
  rocksdb::Status PutInFile(std::string_view key, std::string_view value) {
    if (!status_.ok()) return status_;
    if (file_is_open_ && file_.FileSize() >= owner_.file_bytes_) {
      if (rocksdb::Status status = FinishFile(); !status.ok()) return status;
    }
    if (!file_is_open_) {
      files_.push_back((folder_ / (std::to_string(files_.size() + 1) + ".sst")).string());
      if (rocksdb::Status status = file_.Open(files_.back()); !status.ok()) return status;
      file_is_open_ = true;
    }
    return file_.Put(SliceOf(key), SliceOf(value));
  }

  // Finishes the file and syncs it.
  rocksdb::Status FinishFile() {
    if (!status_.ok()) return status_;
    file_is_open_ = false;
    return file_.Finish();
  }

  rocksdb::Status Ingest() {
    rocksdb::IngestExternalFileOptions options;
    options.move_files = true;
    options.failed_move_fall_back_to_copy = false;
    // The sequence number in the manifest is enough, so the files stay as they were written.
    options.write_global_seqno = false;
    // A flush in the middle of a write group would break what the writer assumes about memtables.
    options.allow_blocking_flush = false;
    const std::unique_lock ingesting = owner_.Pause();
    rocksdb::Status status = owner_.db_.IngestExternalFile(files_, options);
    // If a memtable holds something about our range, such as its deletion, it must be flushed
    // first, so that it comes to lie below our files. RocksDB reports this only by this error.
    // Nothing else writes to the range, so one flush is enough.
    if (!status.IsInvalidArgument()) return status;
    if (rocksdb::Status flushed = owner_.writer_.Flush(); !flushed.ok()) return flushed;
    return owner_.db_.IngestExternalFile(files_, options);
  }

  // After a failure all files are removed, so that a full disk gets its space back.
  Status Check(const rocksdb::Status& status) {
    if (status.ok()) return {};
    if (status_.ok()) {
      status_ = status;
      RemoveFiles();
    }
    return RequestError(status);
  }

  void RemoveFiles() {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }

  BulkWrites& owner_;
  const std::filesystem::path folder_;
  rocksdb::SstFileWriter file_;
  bool file_is_open_ = false;
  std::vector<std::string> files_;
  std::string first_key_;
  std::optional<std::string> last_key_;
  rocksdb::Status status_;
};

BulkWrites::BulkWrites(const Database* database, Writer* writer, size_t file_bytes)
    : db_(database->db()),
      writer_(*writer),
      file_bytes_(file_bytes),
      folder_(std::filesystem::path(db_.GetName()) / "bulk") {
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

Result<std::unique_ptr<BulkWrite>> BulkWrites::Start() {
  const std::filesystem::path folder = folder_ / std::to_string(started_.fetch_add(1) + 1);
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error == std::errc::no_space_on_device) return RequestError(rocksdb::Status::NoSpace());
  if (error) return RequestError(rocksdb::Status::IOError(error.message()));
  return std::unique_ptr<BulkWrite>(std::make_unique<Writing>(*this, folder));
}

}  // namespace monotable::storage
