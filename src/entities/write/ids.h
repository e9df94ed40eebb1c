#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "engine/engine.h"
#include "engine/write.h"
#include "entities/application.h"

namespace monotable::entities {

// The ids that one write gives to what it creates. Numbers of counters are taken out of the store
// before a write is made, and stay with the write when it is tried again. A write that needs more
// numbers fails, and missing() names the counter, until it has them. Not thread-safe.
class Ids {
 public:
  // Starts over for another attempt of the same write.
  void Rewind() {
    used_.clear();
    missing_ = nullptr;
  }
  // The next id; an error if it needs a number that it does not have.
  Result<item::Value> Next(const Entity& entity, int64_t now_ms);

  // The entity whose counter must give a number first; null if no number is missing.
  const Entity* missing() const { return missing_; }
  void Add(const Entity& entity, int64_t number) { numbers_[&entity].push_back(number); }

 private:
  std::map<const Entity*, std::vector<int64_t>> numbers_;
  std::map<const Entity*, size_t> used_;
  const Entity* missing_ = nullptr;
};

// 26 characters that sort by time, then at random.
std::string NewUlid(int64_t now_ms);
std::string NewUuid();

// SALE{n:03} with a number; the zeros are a least width. The text itself if there is no format.
std::string FormatId(const std::string& format, const std::string& text);

// A write that takes the next number out of an entity's counter, an internal item of its table, and
// the number in the image that it leaves.
Result<engine::WriteRequest> CountRequest(engine::Engine& engine, const Entity& entity);
Result<int64_t> CountedNumber(const encoding::EncodedItem& counter);

}  // namespace monotable::entities
