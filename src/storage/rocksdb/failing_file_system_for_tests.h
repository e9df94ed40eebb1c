#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include <rocksdb/env.h>
#include <rocksdb/file_system.h>

namespace monotable::storage {

// A file system for tests whose files of one kind fail on demand. Thread-safe.
class FailingFileSystem : public rocksdb::FileSystemWrapper {
 public:
  enum class Fault { kNone, kNoSpace, kIoError };

  // Files fail whose names end with the suffix; ".log" means the write-ahead logs.
  explicit FailingFileSystem(std::string suffix)
      : FileSystemWrapper(rocksdb::FileSystem::Default()), suffix_(std::move(suffix)) {}

  const char* Name() const override { return "FailingFileSystem"; }

  std::atomic<Fault> on_append = Fault::kNone;  // half of the data arrives
  std::atomic<Fault> on_sync = Fault::kNone;
  std::function<void()> before_file = [] {};  // that may fail is made

  rocksdb::IOStatus NewWritableFile(const std::string& name, const rocksdb::FileOptions& options,
                                    std::unique_ptr<rocksdb::FSWritableFile>* file,
                                    rocksdb::IODebugContext* debug) override {
    if (name.ends_with(suffix_)) before_file();
    rocksdb::IOStatus status = target()->NewWritableFile(name, options, file, debug);
    if (status.ok() && name.ends_with(suffix_)) {
      *file = std::make_unique<File>(std::move(*file), this);
    }
    return status;
  }

 private:
  class File : public rocksdb::FSWritableFileOwnerWrapper {
   public:
    File(std::unique_ptr<rocksdb::FSWritableFile> file, FailingFileSystem* system)
        : FSWritableFileOwnerWrapper(std::move(file)), system_(*system) {}

    using FSWritableFileOwnerWrapper::Append;
    rocksdb::IOStatus Append(const rocksdb::Slice& data, const rocksdb::IOOptions& options,
                             rocksdb::IODebugContext* debug) override {
      rocksdb::IOStatus fault = Failure(system_.on_append);
      if (fault.ok()) return FSWritableFileOwnerWrapper::Append(data, options, debug);
      FSWritableFileOwnerWrapper::Append(rocksdb::Slice(data.data(), data.size() / 2), options,
                                         debug)
          .PermitUncheckedError();
      return fault;
    }
    rocksdb::IOStatus Sync(const rocksdb::IOOptions& options,
                           rocksdb::IODebugContext* debug) override {
      rocksdb::IOStatus fault = Failure(system_.on_sync);
      return fault.ok() ? FSWritableFileOwnerWrapper::Sync(options, debug) : fault;
    }
    rocksdb::IOStatus Fsync(const rocksdb::IOOptions& options,
                            rocksdb::IODebugContext* debug) override {
      rocksdb::IOStatus fault = Failure(system_.on_sync);
      return fault.ok() ? FSWritableFileOwnerWrapper::Fsync(options, debug) : fault;
    }

   private:
    static rocksdb::IOStatus Failure(Fault fault) {
      switch (fault) {
        case Fault::kNone:
          return rocksdb::IOStatus::OK();
        case Fault::kNoSpace:
          return rocksdb::IOStatus::NoSpace("injected");
        case Fault::kIoError:
          return rocksdb::IOStatus::IOError("injected");
      }
      return rocksdb::IOStatus::OK();
    }

    FailingFileSystem& system_;
  };

  const std::string suffix_;
};

}  // namespace monotable::storage
