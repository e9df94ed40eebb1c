#pragma once

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <mutex>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <rocksdb/env.h>
#include <rocksdb/file_system.h>

namespace monotable::storage {

// A file system for tests that knows what a power cut would leave of one folder. Bytes that were
// not synced may be there or not, page by page, also as zeros or garbage. Changes of the folder
// that were not synced (new, renamed and removed files) may have happened up to any moment, in
// their order. Thread-safe.
class PowerLossFileSystem : public rocksdb::FileSystemWrapper {
 public:
  // What the folder has in it is on the disk.
  explicit PowerLossFileSystem(std::string folder)
      : FileSystemWrapper(rocksdb::FileSystem::Default()), folder_(std::move(folder)) {
    for (const auto& file : std::filesystem::directory_iterator(folder_)) {
      if (!file.is_regular_file()) continue;
      std::ifstream stream(file.path(), std::ios::binary);
      auto bytes = std::make_shared<Bytes>();
      bytes->written.assign(std::istreambuf_iterator<char>(stream), {});
      bytes->synced = bytes->written;
      names_[file.path().string()] = bytes;
    }
    synced_names_ = names_;
  }

  const char* Name() const override { return "PowerLossFileSystem"; }

  // Writes what a power cut at this moment might leave to a new folder.
  void Cut(const std::string& to, std::mt19937_64* random) {
    const std::lock_guard lock(mutex_);
    Names names = synced_names_;
    const size_t happened = (*random)() % (changes_.size() + 1);
    for (size_t i = 0; i < happened; ++i) Apply(changes_[i], &names);
    std::filesystem::create_directories(to);
    for (const auto& [name, bytes] : names) {
      const std::string file = to + name.substr(folder_.size());
      std::ofstream(file, std::ios::binary) << Remains(*bytes, random);
    }
  }

  rocksdb::IOStatus NewWritableFile(const std::string& name, const rocksdb::FileOptions& options,
                                    std::unique_ptr<rocksdb::FSWritableFile>* file,
                                    rocksdb::IODebugContext* debug) override {
    rocksdb::IOStatus status = target()->NewWritableFile(name, options, file, debug);
    if (!status.ok() || !IsHere(name)) return status;
    const auto bytes = std::make_shared<Bytes>();
    Change({name, bytes});
    *file = std::make_unique<File>(std::move(*file), bytes, this);
    return status;
  }
  rocksdb::IOStatus ReopenWritableFile(const std::string& name, const rocksdb::FileOptions& options,
                                       std::unique_ptr<rocksdb::FSWritableFile>* file,
                                       rocksdb::IODebugContext* debug) override {
    rocksdb::IOStatus status = target()->ReopenWritableFile(name, options, file, debug);
    if (!status.ok() || !IsHere(name)) return status;
    *file = std::make_unique<File>(std::move(*file), BytesOf(name), this);
    return status;
  }
  rocksdb::IOStatus NewRandomRWFile(const std::string& name, const rocksdb::FileOptions& options,
                                    std::unique_ptr<rocksdb::FSRandomRWFile>* file,
                                    rocksdb::IODebugContext* debug) override {
    rocksdb::IOStatus status = target()->NewRandomRWFile(name, options, file, debug);
    if (!status.ok() || !IsHere(name)) return status;
    *file = std::make_unique<RandomFile>(std::move(*file), BytesOf(name), this);
    return status;
  }
  rocksdb::IOStatus DeleteFile(const std::string& name, const rocksdb::IOOptions& options,
                               rocksdb::IODebugContext* debug) override {
    rocksdb::IOStatus status = target()->DeleteFile(name, options, debug);
    if (status.ok() && IsHere(name)) Change({name, nullptr});
    return status;
  }
  rocksdb::IOStatus RenameFile(const std::string& from, const std::string& to,
                               const rocksdb::IOOptions& options,
                               rocksdb::IODebugContext* debug) override {
    rocksdb::IOStatus status = target()->RenameFile(from, to, options, debug);
    if (status.ok() && IsHere(from)) Change({to, BytesOf(from), from});
    return status;
  }
  rocksdb::IOStatus NewDirectory(const std::string& name, const rocksdb::IOOptions& options,
                                 std::unique_ptr<rocksdb::FSDirectory>* directory,
                                 rocksdb::IODebugContext* debug) override {
    rocksdb::IOStatus status = target()->NewDirectory(name, options, directory, debug);
    if (status.ok() && name == folder_) {
      *directory = std::make_unique<Directory>(std::move(*directory), this);
    }
    return status;
  }

 private:
  struct Bytes {
    std::string written;
    std::string synced;
  };
  using Names = std::map<std::string, std::shared_ptr<Bytes>>;
  // A name gets these bytes, or none; another name, if any, loses them.
  struct NameChange {
    std::string name;
    std::shared_ptr<Bytes> bytes;
    std::string loser = {};
  };
  static constexpr size_t kPage = 4096;

  class File : public rocksdb::FSWritableFileOwnerWrapper {
   public:
    File(std::unique_ptr<rocksdb::FSWritableFile> file, std::shared_ptr<Bytes> bytes,
         PowerLossFileSystem* system)
        : FSWritableFileOwnerWrapper(std::move(file)), bytes_(std::move(bytes)), system_(*system) {}

    rocksdb::IOStatus Append(const rocksdb::Slice& data, const rocksdb::IOOptions& options,
                             rocksdb::IODebugContext* debug) override {
      {
        const std::lock_guard lock(system_.mutex_);
        bytes_->written.append(data.data(), data.size());
      }
      return FSWritableFileOwnerWrapper::Append(data, options, debug);
    }
    rocksdb::IOStatus Append(const rocksdb::Slice& data, const rocksdb::IOOptions& options,
                             const rocksdb::DataVerificationInfo& /*verification*/,
                             rocksdb::IODebugContext* debug) override {
      return Append(data, options, debug);
    }
    rocksdb::IOStatus Truncate(uint64_t size, const rocksdb::IOOptions& options,
                               rocksdb::IODebugContext* debug) override {
      {
        const std::lock_guard lock(system_.mutex_);
        bytes_->written.resize(size);
      }
      return FSWritableFileOwnerWrapper::Truncate(size, options, debug);
    }
    // The sync counts when it has returned, so it does not wait for a real disk.
    rocksdb::IOStatus Sync(const rocksdb::IOOptions&, rocksdb::IODebugContext*) override {
      return system_.Synced(*bytes_);
    }
    rocksdb::IOStatus Fsync(const rocksdb::IOOptions&, rocksdb::IODebugContext*) override {
      return system_.Synced(*bytes_);
    }

   private:
    const std::shared_ptr<Bytes> bytes_;
    PowerLossFileSystem& system_;
  };

  class RandomFile : public rocksdb::FSRandomRWFileOwnerWrapper {
   public:
    RandomFile(std::unique_ptr<rocksdb::FSRandomRWFile> file, std::shared_ptr<Bytes> bytes,
               PowerLossFileSystem* system)
        : FSRandomRWFileOwnerWrapper(std::move(file)), bytes_(std::move(bytes)), system_(*system) {}

    rocksdb::IOStatus Write(uint64_t offset, const rocksdb::Slice& data,
                            const rocksdb::IOOptions& options,
                            rocksdb::IODebugContext* debug) override {
      {
        const std::lock_guard lock(system_.mutex_);
        std::string& written = bytes_->written;
        written.resize(std::max<size_t>(written.size(), offset + data.size()));
        written.replace(offset, data.size(), data.data(), data.size());
      }
      return FSRandomRWFileOwnerWrapper::Write(offset, data, options, debug);
    }
    rocksdb::IOStatus Sync(const rocksdb::IOOptions&, rocksdb::IODebugContext*) override {
      return system_.Synced(*bytes_);
    }
    rocksdb::IOStatus Fsync(const rocksdb::IOOptions&, rocksdb::IODebugContext*) override {
      return system_.Synced(*bytes_);
    }

   private:
    const std::shared_ptr<Bytes> bytes_;
    PowerLossFileSystem& system_;
  };

  class Directory : public rocksdb::FSDirectoryWrapper {
   public:
    Directory(std::unique_ptr<rocksdb::FSDirectory> directory, PowerLossFileSystem* system)
        : FSDirectoryWrapper(std::move(directory)), system_(*system) {}
    rocksdb::IOStatus Fsync(const rocksdb::IOOptions&, rocksdb::IODebugContext*) override {
      return system_.SyncNames();
    }
    rocksdb::IOStatus FsyncWithDirOptions(const rocksdb::IOOptions&, rocksdb::IODebugContext*,
                                          const rocksdb::DirFsyncOptions&) override {
      return system_.SyncNames();
    }

   private:
    PowerLossFileSystem& system_;
  };

  bool IsHere(const std::string& name) const {
    return std::filesystem::path(name).parent_path() == folder_;
  }
  std::shared_ptr<Bytes> BytesOf(const std::string& name) {
    const std::lock_guard lock(mutex_);
    return names_.at(name);
  }
  static void Apply(const NameChange& change, Names* names) {
    names->erase(change.loser);
    if (change.bytes == nullptr) {
      names->erase(change.name);
    } else {
      (*names)[change.name] = change.bytes;
    }
  }
  void Change(const NameChange& change) {
    const std::lock_guard lock(mutex_);
    Apply(change, &names_);
    changes_.push_back(change);
  }
  rocksdb::IOStatus Synced(Bytes& bytes) {
    const std::lock_guard lock(mutex_);
    if (bytes.written.starts_with(bytes.synced)) {
      bytes.synced.append(bytes.written, bytes.synced.size());
    } else {
      bytes.synced = bytes.written;
    }
    return rocksdb::IOStatus::OK();
  }
  rocksdb::IOStatus SyncNames() {
    const std::lock_guard lock(mutex_);
    synced_names_ = names_;
    changes_.clear();
    return rocksdb::IOStatus::OK();
  }

  // What is left of a file: of each page, the old or the new bytes. The end may be anywhere.
  static std::string Remains(const Bytes& bytes, std::mt19937_64* random) {
    const size_t shorter = std::min(bytes.written.size(), bytes.synced.size());
    const size_t longer = std::max(bytes.written.size(), bytes.synced.size());
    std::string remains = bytes.synced;
    remains.resize(longer == shorter ? longer : shorter + (*random)() % (longer - shorter + 1));
    for (size_t begin = 0; begin < remains.size(); begin += kPage) {
      const size_t size = std::min({kPage, remains.size() - begin});
      if (begin + size <= shorter && std::string_view(bytes.written).substr(begin, size) ==
                                         std::string_view(remains).substr(begin, size)) {
        continue;
      }
      const uint64_t luck = (*random)() % 4;
      if (luck < 2 && begin + size <= bytes.written.size()) {
        remains.replace(begin, size, bytes.written, begin, size);
      } else if (luck == 2 && begin + size > shorter) {
        for (size_t i = std::max(begin, shorter); i < begin + size; ++i) {
          remains[i] = static_cast<char>((*random)());
        }
      }
    }
    return remains;
  }

  const std::string folder_;
  std::mutex mutex_;
  Names names_;  // guarded by mutex_, as is the rest
  Names synced_names_;
  std::vector<NameChange> changes_;  // since then
};

}  // namespace monotable::storage
