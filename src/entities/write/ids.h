#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "engine/engine.h"
#include "engine/write.h"
#include "entities/application.h"

namespace monotable::entities {

// A counter of an entity's table: one for each generated attribute, and for each of its scopes.
struct Counter {
  const Entity* entity = nullptr;
  std::string name;
};

// The values that one write generates for what it creates. Numbers of counters are taken out of the
// store before a write is made, and stay with the write when it is tried again. A write that needs
// more numbers fails, and missing() names the counter, until it has them. Not thread-safe.
class Ids {
 public:
  // Starts over for another attempt of the same write.
  void Rewind() {
    used_.clear();
    missing_.reset();
  }
  // The next value for an item with these attributes; an error if it needs a number that it does
  // not have.
  Result<item::Value> Next(const Entity& entity, const model::IdModel& id,
                           const item::Map& attributes, int64_t now_ms);

  // The counter that must give a number first; nothing if no number is missing.
  const std::optional<Counter>& missing() const { return missing_; }
  void Add(const Counter& counter, int64_t number) { numbers_[counter.name].push_back(number); }

 private:
  // By the name of the counter.
  std::map<std::string, std::vector<int64_t>> numbers_;
  std::map<std::string, size_t> used_;
  std::optional<Counter> missing_;
};

// 26 characters that sort by time, then at random.
std::string NewUlid(int64_t now_ms);
std::string NewUuid();

// SALE{n:03} with a number; the zeros are a least width. The text itself if there is no format.
// Other attributes of the format are spelled as in keys.
Result<std::string> FormatId(const Entity& entity, const std::string& format,
                             const item::Map& attributes, const std::string& text);

// A write that takes the next number out of a counter, an internal item of the entity's table, and
// the number in the image that it leaves.
Result<engine::WriteRequest> CountRequest(engine::Engine& engine, const Counter& counter);
Result<int64_t> CountedNumber(const encoding::EncodedItem& counter);

}  // namespace monotable::entities
