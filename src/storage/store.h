#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "error/result.h"

// The storage seam: ordered byte keys, snapshots, atomic batches. It knows no items. Conditions,
// indexes, the change log and transactions are written once, above it, so that two stores cannot
// differ. Every store passes storage/store_conformance.h.
namespace monotable::storage {

// Walks the keys of one range in order. Not thread-safe; its views hold until it moves.
class Cursor {
 public:
  virtual ~Cursor() = default;
  virtual bool Valid() const = 0;
  virtual std::string_view key() const = 0;
  virtual std::string_view value() const = 0;
  virtual void Next() = 0;
  // What stopped the cursor early, if anything did. A cursor at the end of its range is not an
  // error.
  virtual Status status() const = 0;
};

// Keys that begin with this byte are a log: each is written once, after most of its neighbours, and
// read seldom and late, never by an update. A store may keep them apart, so that they do not
// displace frequently read data from memory.
inline constexpr char kLogPrefix = 4;  // on disk, so it must never change

inline bool IsLogKey(std::string_view key) {
  return !key.empty() && key.front() == kLogPrefix;
}

// Keys from begin (included) to end (excluded). An empty end means no upper bound.
struct Range {
  std::string begin;
  std::string end;

  bool Contains(std::string_view key) const { return key >= begin && (end.empty() || key < end); }
};

enum class Direction { kForward, kBackward };

// Reads keys. Thread-safe.
class Reader {
 public:
  virtual ~Reader() = default;
  // Copies the value of a key into *value and returns true; false if there is no such key.
  virtual Result<bool> Get(std::string_view key, std::string* value) const = 0;
  // A cursor sees the moment of its creation and starts at the first key of its range or, going
  // backward, at the last. It must not outlive the reader or the store.
  virtual std::unique_ptr<Cursor> Scan(const Range& range, Direction direction) const = 0;
};

// What one update writes. All updates of a batch become visible and durable together.
class Batch {
 public:
  virtual ~Batch() = default;
  virtual void Put(std::string_view key, std::string_view value) = 0;
  virtual void Delete(std::string_view key) = 0;
  // Removes every key of a range in an instant, whatever its size. Only for ranges that no update
  // reads or writes any more.
  virtual void DeleteRange(const Range& range) = 0;
  // Adds to a counter: eight bytes, little-endian, absent counting as zero. Increments of one key
  // commute, so they need no lock; Reader::Get sees the sum.
  virtual void Increment(std::string_view key, int64_t delta) = 0;
};

// The moment of a commit.
struct Commit {
  // Strictly greater than that of every update decided before, across restarts too.
  uint64_t sequence = 0;
  // Milliseconds since the epoch, never going back within one process.
  int64_t time_ms = 0;
};

// Values that an update has read by itself before it was submitted.
struct KnownValues {
  // What Store::LastSequence returned before the values were read.
  uint64_t sequence = 0;
  // In the order of the update's keys; nullopt where there was none. Empty: nothing is known.
  std::span<const std::optional<std::string>> values = {};
};

// An update that is known to write more bytes than this waits for those that write less.
inline constexpr size_t kHeavyUpdateBytes = size_t{64} << 10;

// How an update holds a key: alone, or together with other updates that only look at it.
enum class KeyMode : uint8_t { kExclusive, kShared };

// A key that an update names. A key that does not exist is locked like one that does.
struct NamedKey {
  std::string bytes;
  KeyMode mode = KeyMode::kExclusive;  // a shared key must not be written by the update
  // Whether Decide needs the value. A key that is only locked need not stand for anything that is
  // stored.
  bool read = true;
};

// Keys that are held exclusively and read.
std::vector<NamedKey> ExclusiveKeys(std::vector<std::string> keys);

// What an update saw in a range before it was submitted.
struct SeenRange {
  Range range;  // without keys of the log (kLogPrefix)
  // All entries of the range, in order, as Add appends them: two readings saw the same if these
  // bytes are the same.
  std::string entries = {};
  // What Store::LastSequence returned before the range was read; 0 if nobody asked.
  uint64_t sequence = 0;

  void Add(std::string_view key, std::string_view value);
};

// Compares what a range holds with what was seen in it, entry by entry.
class RangeComparison {
 public:
  explicit RangeComparison(std::string_view seen_entries) : rest_(seen_entries) {}

  // Whether the next entry was seen, too. There is no need to go on after a false.
  bool Matches(std::string_view key, std::string_view value);
  // Whether nothing that was seen is missing, after the last entry.
  bool complete() const { return rest_.empty(); }

 private:
  std::string_view rest_;
};

// What Decide decides on.
struct Current {
  // In the order of the update's keys; nullopt where there is none, and for keys that are only
  // locked. The views hold during the call.
  std::span<const std::optional<std::string_view>> values = {};
  // Whether each of the update's ranges holds exactly what the update saw in it.
  bool ranges_as_seen = true;
};

// A write: a pure function from the current values of its keys to a batch.
//
// Two updates conflict if they name the same key and at least one of them names it in exclusive
// mode. The store decides updates that conflict as if one after the other: the second sees
// everything that the first wrote, in its values and in its ranges. Updates that do not conflict
// may be decided at the same time, on any threads, and need not see each other. (A store with one
// writer decides all updates one after the other, so modes cost it nothing. A store that several
// servers share takes a lock for each key, in the key's mode and in a common order, keeps the locks
// until the commit, and reads values and ranges after it has the locks.)
//
// The store locks keys, never ranges, so updates must name what keeps them apart:
// - A key that some update reads is named by every update that Puts or Deletes it, in exclusive
//   mode. Keys that are only ever written on behalf of a named key (index entries) need not be.
// - An update that lists a range and an update that writes into it name a common key, and at least
//   one of the two in exclusive mode. If those that read the range name that key exclusively and
//   those that join it (the children of a parent) share it, then those that join do not wait for
//   each other.
class Update {
 public:
  virtual ~Update() = default;
  // Constant during the life of the update, without repetitions.
  virtual std::span<const NamedKey> keys() const = 0;
  // The ranges on which the update depends. The store reads them again when it decides, and no
  // further than to the first difference: so it reads hardly more than the update saw. It may count
  // what is too laborious to read, such as a range of very many deleted keys, as a difference. It
  // need not read at all where it knows that no update has written to the range since the update
  // saw it. Constant during the life of the update.
  virtual std::span<const SeenRange> ranges() const { return {}; }
  // Saves the store from reading: it may pass a known value on to Decide where it knows that no
  // update has written the key since. The values must hold as long as the update.
  virtual KnownValues known() const { return {}; }
  // The bytes that the update will write, as far as they are known before it is decided, and those
  // that it saw in ranges. Constant during the life of the update. Stores run heavy updates
  // (kHeavyUpdateBytes) after the others that wait; the order of submission holds among updates
  // that are not heavy.
  virtual size_t weight() const { return 0; }
  // Asked while the store reads values and ranges, with the bytes that it has read so far. If the
  // answer is false, the store stops reading and does not decide: the update writes nothing and is
  // Done without an error.
  virtual bool Accepts(size_t /*read_bytes*/) { return true; }
  // Decides what to write. May be called again with newer values, and must then start afresh.
  // Writing nothing is fine. Runs on a thread of the store: no waiting, no I/O. If there is not
  // enough memory (std::bad_alloc, std::length_error), the update fails alone.
  virtual void Decide(const Current& current, const Commit& commit, Batch* batch) = 0;
  // Called exactly once, on a thread of the store, when the batch of the last Decide is visible
  // and (in a durable store) on disk, or when it failed and left nothing behind. Must be quick; it
  // may read from the store and submit, but not wait for another update.
  virtual void Done(Status status) = 0;
};

// Writes many keys at once and bypasses the write-ahead log, which they would only fill. Only for
// ranges that nothing else reads or writes meanwhile, and not for keys of the log (kLogPrefix). All
// keys become visible and durable together when Finish returns without an error. Without Finish
// nothing is left behind. Not thread-safe.
class BulkWrite {
 public:
  virtual ~BulkWrite() = default;
  // Keys must come in ascending order, without repetitions.
  virtual Status Put(std::string_view key, std::string_view value) = 0;
  virtual Status Finish() = 0;
};

// A part of a store's files that cannot be read any more.
struct Damage {
  std::string file;
  uint64_t offset = 0;  // of the part, in the file
  uint64_t bytes = 0;   // 0 if the whole file is lost
  Range keys;           // every key that may be affected
};

// How to read all files of a store.
struct ScrubOptions {
  uint64_t bytes_per_second = 0;  // 0: as quickly as possible
  std::stop_token stop = {};
  // Files have numbers that rise with time. Those up to this one were read by an earlier scrub,
  // which did not end.
  uint64_t after_file = 0;
  // Called with the number of each file that was read.
  std::function<void(uint64_t file)> progress = nullptr;
};

struct ScrubReport {
  uint64_t files = 0;
  uint64_t bytes = 0;
  std::vector<Damage> damage;
};

// An ordered, durable map from bytes to bytes. Thread-safe. Destroying a store finishes the updates
// that were submitted to it.
class Store {
 public:
  virtual ~Store() = default;
  // A reader whose every Get sees the newest committed value. It lives as long as the store.
  virtual const Reader& Latest() const = 0;
  // A reader that sees this moment for as long as it lives. It must not outlive the store.
  virtual std::unique_ptr<Reader> Snapshot() const = 0;
  // The newest sequence whose update every reader sees, as well as all updates before it.
  virtual uint64_t LastSequence() const = 0;
  // Takes over the update and returns at once; see Update::Done.
  virtual void Submit(std::unique_ptr<Update> update) = 0;
  // It must not outlive the store.
  virtual Result<std::unique_ptr<BulkWrite>> StartBulkWrite() = 0;
  // Creates a folder that holds the present state of the store and can be opened like the store's
  // own folder; the reader sees the same state. Updates wait for milliseconds meanwhile: files are
  // shared, not copied, so the folder must be on the same disk. A store without files returns an
  // error.
  virtual Result<std::unique_ptr<Reader>> Checkpoint(const std::string& folder) = 0;
  // Reads every byte of the files and compares checksums, beside everything else. A scrub that is
  // asked to stop ends with an error. A store without files finds nothing.
  virtual Result<ScrubReport> Scrub(const ScrubOptions& /*options*/) { return ScrubReport(); }
  // Bytes on disk, or in memory for a store without a disk; an estimate.
  virtual uint64_t ApproximateBytes() const = 0;
};

// How an update fails for which there is not enough memory.
Error OutOfMemory();

// Submits an update of exclusive keys that is made of a function, and waits for it; for start-up,
// catalog changes and tests. Never call it on a thread of the store.
Status UpdateAndWait(Store& store, std::vector<std::string> keys,
                     const std::function<void(std::span<const std::optional<std::string_view>>,
                                              const Commit&, Batch*)>& decide);

// Whether a range holds what was seen in it, as the reader sees it. Charges the work; if the work
// was stopped (work/meter.h), the answer is worth nothing.
Result<bool> HoldsAsSeen(const Reader& reader, const SeenRange& seen);

// The value of a counter as Batch::Increment keeps it: eight bytes, little-endian.
inline std::array<char, 8> EncodeCounter(int64_t count) {
  std::array<char, 8> bytes;
  for (size_t i = 0; i < bytes.size(); ++i) {
    bytes[i] = static_cast<char>(static_cast<uint64_t>(count) >> (8 * i));
  }
  return bytes;
}

// Anything that is not eight bytes long was not written by Increment and counts as zero.
inline int64_t DecodeCounter(std::string_view bytes) {
  if (bytes.size() != 8) return 0;
  uint64_t count = 0;
  for (size_t i = 0; i < bytes.size(); ++i) {
    count |= uint64_t{static_cast<unsigned char>(bytes[i])} << (8 * i);
  }
  return static_cast<int64_t>(count);
}

// Counters wrap instead of overflowing, which is undefined for signed integers.
inline int64_t AddToCounter(int64_t count, int64_t delta) {
  return static_cast<int64_t>(static_cast<uint64_t>(count) + static_cast<uint64_t>(delta));
}

// The value of a counter as the reader sees it; zero if the counter was never incremented.
Result<int64_t> ReadCounter(const Reader& reader, std::string_view key);

}  // namespace monotable::storage
