#include "storage/rocksdb/rocksdb_errors.h"

#include <algorithm>
#include <string_view>

#include "storage/store.h"

namespace monotable::storage {

namespace {

bool Mentions(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

// If the MANIFEST names a file that the folder lacks, RocksDB reports a plain file system error.
bool IsDamage(const rocksdb::Status& status) {
  return status.IsCorruption() || status.IsNotFound() || status.IsPathNotFound();
}

// The table file that a message names, or nothing. RocksDB looks for a missing file under an older
// name, too.
std::string NamedTableFile(const std::string& message) {
  const size_t end = std::min(message.find(".sst"), message.find(".ldb"));
  if (end == std::string::npos) return "";
  size_t begin = end;
  while (begin > 0 && message[begin - 1] >= '0' && message[begin - 1] <= '9') --begin;
  return begin == end ? "" : message.substr(begin, end - begin) + ".sst";
}

}  // namespace

std::string ShortReason(const rocksdb::Status& status) {
  constexpr size_t kLongest = 200;
  std::string reason = status.ToString();
  std::replace_if(
      reason.begin(), reason.end(), [](char c) { return c == '\n' || c == '\r'; }, ' ');
  if (reason.size() > kLongest) reason = reason.substr(0, kLongest) + "...";
  return reason;
}

// RocksDB reports a folder in use only by these words: one for another process, one for this
// process.
bool IsInUse(const rocksdb::Status& status) {
  const std::string reason = status.ToString();
  return Mentions(reason, "While lock file") || Mentions(reason, "lock hold by current process");
}

Error RequestError(const rocksdb::Status& status) {
  if (status.IsNoSpace()) {
    return Error(ErrorCode::kUnavailable,
                 "The disk of the server is full. Nothing was written. Free some space on it and "
                 "try again; no restart is needed.");
  }
  if (status.IsMemoryLimit()) return OutOfMemory();
  if (status.IsCorruption()) {
    return Error::Internal(
        "Stored data is damaged: a line of the server's log names the file. Restore a backup, or "
        "see what can be kept with monotable repair.");
  }
  return Error::Internal("The disk of the server failed. Check the disk and restart the server.");
}

Error OpenError(const std::string& path, const rocksdb::Status& status) {
  const std::string reason = ShortReason(status);
  const std::string folder = "The data folder " + path;
  if (IsInUse(status)) {
    return Error(
        ErrorCode::kUnavailable,
        folder + " is in use by another process. Stop that process or choose another folder.");
  }
  if (status.IsNoSpace()) {
    return Error(ErrorCode::kUnavailable, folder + " is on a full disk. Free some space.");
  }
  if (IsDamage(status)) {
    const std::string file = NamedTableFile(status.ToString());
    return Error::Internal(
        folder + " is damaged (" +
        (file.empty() ? reason
                      : "the file " + path + "/" + file + " is missing or not as it was written") +
        "). Restore a backup, or see what can be kept: monotable repair " + path);
  }
  if (status.IsNotSupported() || status.IsInvalidArgument()) {
    return Error::Internal(folder + " was written by another version of the storage engine (" +
                           reason + "). Use the version that wrote it or choose another folder.");
  }
  return Error::Internal(folder + " cannot be opened (" + reason +
                         "). Check that it can be read and written.");
}

Error CheckpointError(const std::string& path, const rocksdb::Status& status) {
  if (status.IsNoSpace()) {
    return Error(ErrorCode::kUnavailable, "The disk of the folder " + path +
                                              " is full. Nothing was written. Free some space on "
                                              "it and try again.");
  }
  return Error::Internal("No checkpoint could be made in the folder " + path + " (" +
                         ShortReason(status) + "). Check that it can be written.");
}

}  // namespace monotable::storage
