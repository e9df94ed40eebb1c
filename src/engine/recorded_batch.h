#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "storage/store.h"

namespace monotable::engine {

// Remembers what is written into it, to write it again later. Not thread-safe.
class RecordedBatch : public storage::Batch {
 public:
  // Announces bytes that live as long as this batch. A value that is the same bytes in memory is
  // remembered by its place: an item is also its entry in every index that projects everything.
  void KeepInPlace(std::string_view bytes);

  void Put(std::string_view key, std::string_view value) override;
  void Delete(std::string_view key) override;
  void DeleteRange(const storage::Range& range) override;
  void Increment(std::string_view key, int64_t delta) override;

  void WriteTo(storage::Batch* batch) const;
  bool empty() const { return steps_.empty(); }

  // The bytes of all keys and values, and those of them that are in this object.
  size_t bytes() const { return bytes_; }
  size_t held_bytes() const { return copies_.size() + steps_.size() * sizeof(Step); }

 private:
  enum class Kind : uint8_t { kPut, kDelete, kDeleteRange, kIncrement };
  // Keys, and values without a place of their own, are in copies_ one after the other.
  struct Step {
    Kind kind;
    size_t key_size;
    size_t value_size;            // or that of the end of the range
    const char* place = nullptr;  // of the value, unless it is in copies_
    int64_t delta = 0;
  };

  void Add(Step step, std::string_view key, std::string_view value);

  std::string copies_;
  std::vector<Step> steps_;
  std::unordered_map<const char*, size_t> kept_;  // where the announced bytes begin, and their size
  size_t bytes_ = 0;
};

}  // namespace monotable::engine
