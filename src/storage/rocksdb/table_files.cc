#include "storage/rocksdb/table_files.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <map>
#include <string_view>
#include <utility>

#include <rocksdb/env.h>
#include <rocksdb/options.h>
#include <rocksdb/sst_file_reader.h>
#include <rocksdb/table.h>
#include <xxhash.h>

#include "storage/rocksdb/rocksdb_errors.h"

namespace monotable::storage {

namespace {

constexpr int kXxh3 = 4;  // rocksdb::ChecksumType, as messages show it
// More bad blocks than this are a file that is not worth saving.
constexpr size_t kMostBadBlocks = 1000;

std::optional<uint64_t> NumberAfter(std::string_view text, std::string_view word) {
  const size_t at = text.rfind(word);
  if (at == std::string_view::npos) return std::nullopt;
  const char* begin = text.data() + at + word.size();
  uint64_t number = 0;
  const auto [end, error] = std::from_chars(begin, text.data() + text.size(), number);
  if (error != std::errc() || end == begin) return std::nullopt;
  return number;
}

using Patches = std::map<uint64_t, std::string>;  // bytes by their offset in the file

// A table file as if some of its bytes were others.
class PatchedFile : public rocksdb::FSRandomAccessFileOwnerWrapper {
 public:
  PatchedFile(std::unique_ptr<rocksdb::FSRandomAccessFile> file, const Patches* patches, Pace* pace)
      : FSRandomAccessFileOwnerWrapper(std::move(file)), patches_(*patches), pace_(*pace) {}

  rocksdb::IOStatus Read(uint64_t offset, size_t size, const rocksdb::IOOptions& options,
                         rocksdb::Slice* result, char* scratch,
                         rocksdb::IODebugContext* debug) const override {
    if (!pace_.Wait(size)) return rocksdb::IOStatus::Aborted("stopped");
    rocksdb::IOStatus status =
        FSRandomAccessFileOwnerWrapper::Read(offset, size, options, result, scratch, debug);
    if (!status.ok()) return status;
    if (result->data() != scratch) std::copy_n(result->data(), result->size(), scratch);
    *result = rocksdb::Slice(scratch, result->size());
    for (const auto& [place, bytes] : patches_) {
      const uint64_t begin = std::max(place, offset);
      const uint64_t end = std::min(place + bytes.size(), offset + result->size());
      if (begin >= end) continue;
      std::copy_n(bytes.data() + (begin - place), end - begin, scratch + (begin - offset));
    }
    return status;
  }
  rocksdb::IOStatus MultiRead(rocksdb::FSReadRequest* requests, size_t count,
                              const rocksdb::IOOptions& options,
                              rocksdb::IODebugContext* debug) override {
    for (size_t i = 0; i < count; ++i) {
      rocksdb::FSReadRequest& request = requests[i];
      request.status =
          Read(request.offset, request.len, options, &request.result, request.scratch, debug);
    }
    return rocksdb::IOStatus::OK();
  }

 private:
  const Patches& patches_;
  Pace& pace_;
};

class PatchedFileSystem : public rocksdb::FileSystemWrapper {
 public:
  PatchedFileSystem(const std::shared_ptr<rocksdb::FileSystem>& base, Pace* pace)
      : FileSystemWrapper(base), pace_(*pace) {}

  const char* Name() const override { return "PatchedFileSystem"; }

  rocksdb::IOStatus NewRandomAccessFile(const std::string& name,
                                        const rocksdb::FileOptions& options,
                                        std::unique_ptr<rocksdb::FSRandomAccessFile>* file,
                                        rocksdb::IODebugContext* debug) override {
    rocksdb::IOStatus status = target()->NewRandomAccessFile(name, options, file, debug);
    if (status.ok()) *file = std::make_unique<PatchedFile>(std::move(*file), &patches, &pace_);
    return status;
  }

  Patches patches;

 private:
  Pace& pace_;
};

// A table file that may have bad blocks. Not thread-safe.
class TableFile {
 public:
  TableFile(const std::shared_ptr<rocksdb::FileSystem>& files, std::string path, Pace* pace)
      : path_(std::move(path)),
        files_(std::make_shared<PatchedFileSystem>(files, pace)),
        env_(rocksdb::NewCompositeEnv(files_)) {
    rocksdb::BlockBasedTableOptions table;
    table.no_block_cache = true;
    options_.env = env_.get();
    options_.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
  }

  // Finds the bad blocks and patches them. *whole is set if the file cannot be used at all.
  rocksdb::Status FindBadBlocks(std::vector<BadBlock>* blocks, bool* whole) {
    while (true) {
      rocksdb::SstFileReader reader(options_);
      rocksdb::Status status = reader.Open(path_);
      const uint64_t data_bytes = status.ok() ? reader.GetTableProperties()->data_size : 0;
      if (status.ok()) status = reader.VerifyChecksum();
      if (!status.IsCorruption()) return status;
      const std::optional<BadBlock> block = BadBlockOf(status);
      const std::optional<std::string> patch = block ? EmptyBlock(*block) : std::nullopt;
      // The blocks after the data say where everything is.
      *whole = !patch || block->offset >= data_bytes || blocks->size() >= kMostBadBlocks ||
               !files_->patches.emplace(block->offset, *patch).second;
      if (*whole) return rocksdb::Status::OK();
      blocks->push_back(*block);
    }
  }

  // The keys between the neighbours of a bad block.
  rocksdb::Status FindKeys(const BadBlock& block, Range* keys) {
    auto patch = files_->patches.extract(block.offset);
    std::string before;
    rocksdb::Status status = WithIterator([&](rocksdb::Iterator& iterator) {
      for (iterator.SeekToFirst(); iterator.Valid(); iterator.Next()) {
        before = iterator.key().ToString();
      }
    });
    files_->patches.insert(std::move(patch));
    if (!status.ok() && !status.IsCorruption()) return status;
    if (!before.empty()) keys->begin = before + '\0';
    return WithIterator([&](rocksdb::Iterator& iterator) {
      iterator.Seek(keys->begin);
      if (iterator.Valid()) keys->end = iterator.key().ToString();
    });
  }

 private:
  rocksdb::Status WithIterator(const std::function<void(rocksdb::Iterator&)>& use) {
    rocksdb::SstFileReader reader(options_);
    rocksdb::Status status = reader.Open(path_);
    if (!status.ok()) return status;
    const std::unique_ptr<rocksdb::Iterator> iterator(reader.NewIterator(rocksdb::ReadOptions()));
    use(*iterator);
    return iterator->status();
  }

  const std::string path_;
  const std::shared_ptr<PatchedFileSystem> files_;
  const std::unique_ptr<rocksdb::Env> env_;
  rocksdb::Options options_;
};

Error InspectionError(const std::string& path, const rocksdb::Status& status) {
  return Error::Internal("The file " + path + " cannot be read (" + ShortReason(status) + ").");
}

}  // namespace

std::optional<std::string> TableFileOf(const rocksdb::Status& status) {
  constexpr std::string_view kExtension = ".sst";
  const std::string text = status.ToString();
  const size_t end = text.rfind(kExtension);
  if (end == std::string::npos) return std::nullopt;
  const size_t name = text.rfind('/', end);
  if (name == std::string::npos) return std::nullopt;
  // A path may have blanks in it, so it begins where the sentence before it ends.
  for (const std::string_view before : {"  in ", "file: ", "file ", "from ", ": "}) {
    const size_t at = text.rfind(before, name);
    if (at == std::string::npos) continue;
    const size_t begin = at + before.size();
    if (text[begin] == '/' || text[begin] == '.' || before == "  in ") {
      return text.substr(begin, end + kExtension.size() - begin);
    }
  }
  return std::nullopt;
}

std::optional<BadBlock> BadBlockOf(const rocksdb::Status& status) {
  if (!status.IsCorruption()) return std::nullopt;
  const std::string text = status.ToString();
  const std::optional<std::string> file = TableFileOf(status);
  const std::optional<uint64_t> offset = NumberAfter(text, " offset ");
  const std::optional<uint64_t> bytes = NumberAfter(text, " size ");
  const std::optional<uint64_t> type = NumberAfter(text, ", type = ");
  if (!file || !offset || !bytes || !type) return std::nullopt;
  return BadBlock{*file, *offset, *bytes, static_cast<int>(*type)};
}

// A block without restart points has no keys. Its last four bytes count the restart points, and the
// type of compression, none, is zero, too.
std::optional<std::string> EmptyBlock(const BadBlock& block) {
  if (block.checksum_type != kXxh3 || block.bytes < 8) return std::nullopt;
  std::string bytes(block.bytes, '\0');
  const uint64_t checksum = XXH3_64bits(bytes.data(), bytes.size());
  bytes.push_back('\0');
  for (int i = 0; i < 4; ++i) bytes.push_back(static_cast<char>(checksum >> (8 * i)));
  return bytes;
}

bool Pace::Wait(uint64_t bytes) {
  std::unique_lock lock(mutex_);
  bytes_ += bytes;
  if (bytes_per_second_ == 0) return !stop_.stop_requested();
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  if (!begin_us_) begin_us_ = std::chrono::duration_cast<std::chrono::microseconds>(now).count();
  const std::chrono::microseconds due(*begin_us_ +
                                      static_cast<int64_t>(static_cast<double>(bytes_) * 1e6 /
                                                           static_cast<double>(bytes_per_second_)));
  std::condition_variable_any stopped;
  stopped.wait_until(lock, stop_, std::chrono::steady_clock::time_point(due), [] { return false; });
  return !stop_.stop_requested();
}

Result<std::vector<Damage>> InspectTableFile(const std::shared_ptr<rocksdb::FileSystem>& files,
                                             const std::string& path, Pace* pace) {
  TableFile file(files, path, pace);
  std::vector<BadBlock> blocks;
  bool whole = false;
  rocksdb::Status status = file.FindBadBlocks(&blocks, &whole);
  std::vector<Damage> damage;
  if (status.ok() && whole) return std::vector<Damage>{{path, 0, 0, {}}};
  for (const BadBlock& block : blocks) {
    if (!status.ok()) break;
    Range keys;
    status = file.FindKeys(block, &keys);
    damage.push_back({path, block.offset, block.bytes, keys});
  }
  if (!status.ok()) return InspectionError(path, status);
  return damage;
}

Status DropDamagedBlocks(const std::shared_ptr<rocksdb::FileSystem>& files,
                         const std::string& path) {
  Pace pace;
  std::vector<BadBlock> blocks;
  bool whole = false;
  rocksdb::Status status = TableFile(files, path, &pace).FindBadBlocks(&blocks, &whole);
  if (status.ok() && whole) status = rocksdb::Status::Corruption("the whole file is lost");
  std::unique_ptr<rocksdb::FSRandomRWFile> file;
  const rocksdb::IOOptions options;
  if (status.ok()) status = files->NewRandomRWFile(path, rocksdb::FileOptions(), &file, nullptr);
  for (const BadBlock& block : blocks) {
    if (status.ok()) status = file->Write(block.offset, *EmptyBlock(block), options, nullptr);
  }
  if (status.ok()) status = file->Fsync(options, nullptr);
  if (status.ok()) status = file->Close(options, nullptr);
  if (!status.ok()) return InspectionError(path, status);
  return {};
}

}  // namespace monotable::storage
