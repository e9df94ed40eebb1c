#include "storage/rocksdb/log_marks.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <string_view>
#include <utility>

#include <xxhash.h>

#include "telemetry/log.h"

namespace monotable::storage {

namespace {

// The format is described in docs/storage-format.md.
constexpr uint64_t kMagic = 0x31534b52414d544dULL;  // "MTMARKS1"
constexpr uint64_t kPlaceBytes = 4096;
constexpr size_t kHeadBytes = 32;
constexpr size_t kMarkBytes = 32;
constexpr size_t kChecksumBytes = 8;
// RocksDB has few logs at a time. One that finds no room stays without a mark.
constexpr size_t kMostMarks = (kPlaceBytes - kHeadBytes - kChecksumBytes) / kMarkBytes;
constexpr uint64_t kRelaxedFlag = 1;

// Marks are synced so often when there is nothing else that needs it.
constexpr auto kSyncInterval = std::chrono::seconds(1);

void AppendNumber(uint64_t number, std::string* bytes) {
  std::array<char, 8> encoded;
  for (size_t i = 0; i < 8; ++i) encoded[i] = static_cast<char>(number >> (8 * i));
  bytes->append(encoded.data(), encoded.size());
}

uint64_t TakeNumber(std::string_view* bytes) {
  uint64_t number = 0;
  for (size_t i = 0; i < 8; ++i) {
    number |= uint64_t{static_cast<unsigned char>((*bytes)[i])} << (8 * i);
  }
  bytes->remove_prefix(8);
  return number;
}

void EncodeMarks(const LogMarks& marks, std::string* bytes) {
  const size_t count = std::min(marks.logs.size(), kMostMarks);
  bytes->clear();
  for (const uint64_t number : {kMagic, marks.generation, marks.manifest, uint64_t{count}}) {
    AppendNumber(number, bytes);
  }
  for (size_t i = 0; i < count; ++i) {
    const LogMark& mark = marks.logs[i];
    for (const uint64_t number :
         {mark.number, mark.size, mark.digest, mark.relaxed ? kRelaxedFlag : 0}) {
      AppendNumber(number, bytes);
    }
  }
  AppendNumber(XXH3_64bits(bytes->data(), bytes->size()), bytes);
}

// The marks of one place, if they are complete.
std::optional<LogMarks> DecodeMarks(std::string_view bytes) {
  if (bytes.size() < kHeadBytes + kChecksumBytes) return std::nullopt;
  std::string_view rest = bytes;
  LogMarks marks;
  const uint64_t magic = TakeNumber(&rest);
  marks.generation = TakeNumber(&rest);
  marks.manifest = TakeNumber(&rest);
  const uint64_t count = TakeNumber(&rest);
  if (magic != kMagic || count > kMostMarks) return std::nullopt;
  if (rest.size() < count * kMarkBytes + kChecksumBytes) return std::nullopt;
  for (uint64_t i = 0; i < count; ++i) {
    LogMark mark;
    mark.number = TakeNumber(&rest);
    mark.size = TakeNumber(&rest);
    mark.digest = TakeNumber(&rest);
    mark.relaxed = (TakeNumber(&rest) & kRelaxedFlag) != 0;
    marks.logs.push_back(mark);
  }
  const uint64_t digest = XXH3_64bits(bytes.data(), bytes.size() - rest.size());
  if (digest != TakeNumber(&rest)) return std::nullopt;
  return marks;
}

std::string MarkPath(const std::string& folder) {
  return folder + "/" + kMarkFile;
}

// Creates the file with both places empty.
rocksdb::IOStatus CreateMarkFile(rocksdb::FileSystem& files, const std::string& folder) {
  const rocksdb::IOOptions options;
  std::unique_ptr<rocksdb::FSWritableFile> file;
  rocksdb::IOStatus status =
      files.NewWritableFile(MarkPath(folder), rocksdb::FileOptions(), &file, nullptr);
  if (status.ok()) status = file->Append(std::string(2 * kPlaceBytes, '\0'), options, nullptr);
  if (status.ok()) status = file->Sync(options, nullptr);
  if (status.ok()) status = file->Close(options, nullptr);
  std::unique_ptr<rocksdb::FSDirectory> directory;
  if (status.ok()) status = files.NewDirectory(folder, options, &directory, nullptr);
  if (status.ok()) status = directory->Fsync(options, nullptr);
  return status;
}

}  // namespace

rocksdb::IOStatus ReadMarks(rocksdb::FileSystem& files, const std::string& folder,
                            StoredMarks* stored) {
  *stored = {};
  std::unique_ptr<rocksdb::FSRandomAccessFile> file;
  rocksdb::IOStatus status =
      files.NewRandomAccessFile(MarkPath(folder), rocksdb::FileOptions(), &file, nullptr);
  if (status.IsNotFound() || status.IsPathNotFound()) return rocksdb::IOStatus::OK();
  bool empty = true;
  std::string memory(kPlaceBytes, '\0');
  for (uint64_t place = 0; status.ok() && place < 2; ++place) {
    rocksdb::Slice bytes;
    status = file->Read(place * kPlaceBytes, kPlaceBytes, rocksdb::IOOptions(), &bytes,
                        memory.data(), nullptr);
    if (!status.ok()) break;
    const std::string_view content(bytes.data(), bytes.size());
    if (content.find_first_not_of('\0') != std::string_view::npos) empty = false;
    std::optional<LogMarks> marks = DecodeMarks(content);
    if (!marks || (stored->marks && marks->generation < stored->marks->generation)) continue;
    stored->marks = std::move(marks);
  }
  // A process that ended while it created the file has left it empty.
  if (status.ok() && !stored->marks && !empty) {
    stored->problem = "the file " + MarkPath(folder) + " is damaged";
  }
  return status;
}

rocksdb::IOStatus MarkWriter::Open(std::shared_ptr<rocksdb::FileSystem> files,
                                   const std::string& folder, LogMarks marks,
                                   std::unique_ptr<MarkWriter>* writer) {
  const std::string path = MarkPath(folder);
  rocksdb::IOStatus status = files->FileExists(path, rocksdb::IOOptions(), nullptr);
  if (status.IsNotFound()) status = CreateMarkFile(*files, folder);
  std::unique_ptr<rocksdb::FSRandomRWFile> file;
  if (status.ok()) status = files->NewRandomRWFile(path, rocksdb::FileOptions(), &file, nullptr);
  if (!status.ok()) return status;
  writer->reset(new MarkWriter(std::move(files), std::move(file), std::move(marks)));
  // The places may hold what no longer counts.
  return (*writer)->WriteForGood();
}

MarkWriter::MarkWriter(std::shared_ptr<rocksdb::FileSystem> files,
                       std::unique_ptr<rocksdb::FSRandomRWFile> file, LogMarks marks)
    : files_(std::move(files)), file_(std::move(file)), marks_(std::move(marks)) {
  thread_ = std::jthread([this](const std::stop_token& stop) { SyncNowAndThen(stop); });
}

MarkWriter::~MarkWriter() {
  thread_.request_stop();
  thread_.join();
  Sync().PermitUncheckedError();
  file_->Close(rocksdb::IOOptions(), nullptr).PermitUncheckedError();
}

void MarkWriter::Note(const LogMark& mark) {
  const std::lock_guard lock(mutex_);
  const auto known = Find(mark.number);
  if (known != marks_.logs.end()) {
    *known = mark;
  } else {
    marks_.logs.push_back(mark);
  }
  const rocksdb::IOStatus status = Write();
  if (status.ok() || std::exchange(warned_, true)) return;
  telemetry::Log(telemetry::LogLevel::kWarning,
                 "The file {} cannot be written ({}). Damage to the write-ahead log may go "
                 "unnoticed until it can.",
                 kMarkFile, status.ToString());
}

rocksdb::IOStatus MarkWriter::Forget(uint64_t number) {
  LogMark forgotten;
  {
    const std::lock_guard lock(mutex_);
    const auto mark = Find(number);
    if (mark == marks_.logs.end()) return rocksdb::IOStatus::OK();
    forgotten = *mark;
    marks_.logs.erase(mark);
  }
  rocksdb::IOStatus status = WriteForGood();
  if (!status.ok()) Note(forgotten);
  return status;
}

rocksdb::IOStatus MarkWriter::SetManifest(uint64_t number) {
  {
    const std::lock_guard lock(mutex_);
    marks_.manifest = number;
  }
  return WriteForGood();
}

rocksdb::IOStatus MarkWriter::Sync() {
  {
    const std::lock_guard lock(mutex_);
    unsynced_ = false;
  }
  // Updates must not wait for the disk, so the lock is free meanwhile.
  return file_->Sync(rocksdb::IOOptions(), nullptr);
}

std::vector<LogMark>::iterator MarkWriter::Find(uint64_t number) {
  return std::find_if(marks_.logs.begin(), marks_.logs.end(),
                      [&](const LogMark& mark) { return mark.number == number; });
}

rocksdb::IOStatus MarkWriter::Write() {
  ++marks_.generation;
  EncodeMarks(marks_, &memory_);
  rocksdb::IOStatus status =
      file_->Write((marks_.generation % 2) * kPlaceBytes, memory_, rocksdb::IOOptions(), nullptr);
  if (!std::exchange(unsynced_, true)) changed_.notify_one();
  return status;
}

rocksdb::IOStatus MarkWriter::WriteForGood() {
  {
    const std::lock_guard lock(mutex_);
    for (int place = 0; place < 2; ++place) {
      rocksdb::IOStatus status = Write();
      if (!status.ok()) return status;
    }
  }
  return Sync();
}

void MarkWriter::SyncNowAndThen(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  while (changed_.wait(lock, stop, [this] { return unsynced_; })) {
    changed_.wait_for(lock, stop, kSyncInterval, [] { return false; });
    if (stop.stop_requested()) return;
    lock.unlock();
    Sync().PermitUncheckedError();
    lock.lock();
  }
}

}  // namespace monotable::storage
