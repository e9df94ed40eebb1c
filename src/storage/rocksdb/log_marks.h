#pragma once

#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include <rocksdb/file_system.h>

namespace monotable::storage {

// How far a write-ahead log is known to be on the disk.
struct LogMark {
  uint64_t number = 0;
  uint64_t size = 0;    // in bytes; 0 if nothing is promised about the log
  uint64_t digest = 0;  // RunningDigest of the bytes up to the size
  // Updates of this log were acknowledged before they were on the disk (Durability::kRelaxed), so
  // what follows the size may be in any state after a power cut.
  bool relaxed = false;
};

struct LogMarks {
  // The number of the MANIFEST that was in use. If the folder uses a later one, a program that does
  // not write marks has opened it since, and the marks say nothing any more.
  uint64_t manifest = 0;
  std::vector<LogMark> logs;
  uint64_t generation = 0;  // rises with each writing of the marks
};

// The file of a data folder that holds its marks.
inline constexpr char kMarkFile[] = "MARKS";

// What a folder says about its logs.
struct StoredMarks {
  std::optional<LogMarks> marks;
  // Why there are none although there is a file; empty otherwise.
  std::string problem;
};
rocksdb::IOStatus ReadMarks(rocksdb::FileSystem& files, const std::string& folder,
                            StoredMarks* stored);

// Writes the marks of a data folder, so that the next start can tell a damaged log from one that
// was interrupted. Thread-safe.
//
// A mark is written after the sync of its log and is not synced itself, because updates would wait
// for that. When only the process ends, the file is exact. After a power cut it may be about a
// second old; then it promises less than the log holds, and never more. The file has two places
// that are written in turn, so that there is always a complete one.
class MarkWriter {
 public:
  // Continues with these marks.
  static rocksdb::IOStatus Open(std::shared_ptr<rocksdb::FileSystem> files,
                                const std::string& folder, LogMarks marks,
                                std::unique_ptr<MarkWriter>* writer);
  ~MarkWriter();
  MarkWriter(const MarkWriter&) = delete;
  MarkWriter& operator=(const MarkWriter&) = delete;

  // Notes how far a log is on the disk, with its entry in the folder. If that fails, the older mark
  // stays, which is still right.
  void Note(const LogMark& mark);
  // Must be called before a log is removed. If that fails, the log must stay.
  rocksdb::IOStatus Forget(uint64_t number);
  // Must be called before another MANIFEST comes into use.
  rocksdb::IOStatus SetManifest(uint64_t number);
  rocksdb::IOStatus Sync();

 private:
  MarkWriter(std::shared_ptr<rocksdb::FileSystem> files,
             std::unique_ptr<rocksdb::FSRandomRWFile> file, LogMarks marks);

  // The callers of these two hold mutex_.
  std::vector<LogMark>::iterator Find(uint64_t number);
  rocksdb::IOStatus Write();
  // Writes both places and syncs them, so that no power cut brings an older state back.
  rocksdb::IOStatus WriteForGood();
  void SyncNowAndThen(const std::stop_token& stop);

  const std::shared_ptr<rocksdb::FileSystem> files_;
  const std::unique_ptr<rocksdb::FSRandomRWFile> file_;
  std::mutex mutex_;
  std::condition_variable_any changed_;
  LogMarks marks_;         // guarded by mutex_
  std::string memory_;     // guarded by mutex_
  bool unsynced_ = false;  // guarded by mutex_
  bool warned_ = false;    // guarded by mutex_
  std::jthread thread_;
};

}  // namespace monotable::storage
