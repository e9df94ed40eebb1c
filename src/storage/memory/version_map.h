#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "storage/store.h"

namespace monotable::storage {

// An ordered map that keeps every version that some reader can still see. Each change of a key has
// a version; a view at a version sees the newest change of each key up to that version.
//
// One thread, the writer, makes changes, which become visible together when a Change ends. Any
// thread may read. Removing a range only records the range; the writer removes its keys bit by bit
// in Sweep, along with all other versions that no reader can see any more.
class VersionMap {
 public:
  using Entry = std::pair<std::string, std::string>;

  // Keeps the versions of the moment of its creation alive.
  class Pin {
   public:
    explicit Pin(const VersionMap& map) : map_(map), version_(map.AddPin()) {}
    ~Pin() { map_.RemovePin(version_); }
    Pin(const Pin&) = delete;
    Pin& operator=(const Pin&) = delete;
    uint64_t version() const { return version_; }

   private:
    const VersionMap& map_;
    const uint64_t version_;
  };

  // A set of changes that become visible together when it is destroyed. For the writer.
  class Change {
   public:
    explicit Change(VersionMap* map);
    ~Change();
    Change(const Change&) = delete;
    Change& operator=(const Change&) = delete;

    void Put(std::string key, std::string value) { Write(std::move(key), std::move(value)); }
    void Delete(std::string key) { Write(std::move(key), std::nullopt); }
    void DeleteRange(Range range);

   private:
    void Write(std::string key, std::optional<std::string> value);

    VersionMap& map_;
    const std::unique_lock<std::shared_mutex> lock_;
    uint64_t version_;
    const uint64_t oldest_pin_;
  };

  static constexpr uint64_t kLatest = UINT64_MAX;

  // The value of a key at a pinned version or kLatest; false if there is none.
  bool Get(std::string_view key, uint64_t version, std::string* value) const;

  // Appends the first entries of a range at a pinned version, in order: at most `limit` entries,
  // fewer if they are large, but at least one if the range has any.
  void Collect(const Range& range, Direction direction, uint64_t version, size_t limit,
               std::vector<Entry>* entries) const;

  // Bytes of keys and values, with an estimate of the memory around them.
  uint64_t bytes() const { return bytes_.load(std::memory_order_relaxed); }

  // The latest value of a key, changes in progress included. For the writer, which needs no lock to
  // read what only it changes. The view holds until the next change.
  std::optional<std::string_view> Find(std::string_view key) const;

  // Visits the latest entries of a range in order, until a visit returns false. For the writer, as
  // Find.
  void Visit(const Range& range,
             const std::function<bool(std::string_view key, std::string_view value)>& visit) const;

  // Frees a bounded number of versions that no reader can see; returns true if there are more to
  // free now. For the writer.
  bool Sweep();

 private:
  struct Version {
    uint64_t version;
    std::optional<std::string> value;  // nullopt: deleted
  };
  using Versions = std::vector<Version>;  // oldest first, never empty
  using Map = std::map<std::string, Versions, std::less<>>;

  // Keys to trim once no reader looks at anything older than the version.
  struct Garbage {
    uint64_t version;
    Range range;
  };

  uint64_t AddPin() const;
  void RemovePin(uint64_t version) const;
  // The oldest version that a reader looks at, or kLatest. The caller holds mutex_; otherwise a new
  // pin could appear before the caller acts on the answer.
  uint64_t OldestPin() const;

  const std::string* Visible(std::string_view key, const Versions& versions,
                             uint64_t version) const;
  bool IsRemoved(std::string_view key, uint64_t written, uint64_t seen_at) const;
  // Drops the versions of a key that no view at `oldest` or later can see, and the key itself if no
  // version is left.
  Map::iterator Trim(Map::iterator entry, uint64_t oldest);
  void Account(int64_t bytes) { bytes_ += static_cast<uint64_t>(bytes); }

  mutable std::shared_mutex mutex_;  // guards the next three; held by the writer to change them
  Map map_;
  std::vector<Garbage> removed_ranges_;  // removed at their version, not yet cleared away
  uint64_t published_ = 0;

  std::deque<Garbage> garbage_;  // by version; only the writer sees it
  std::atomic<uint64_t> bytes_ = 0;

  mutable std::mutex pins_mutex_;  // guards pins_; taken after mutex_
  mutable std::multiset<uint64_t> pins_;
};

}  // namespace monotable::storage
