#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "encoding/item.h"
#include "engine/engine.h"
#include "entities/application.h"
#include "entities/read/find_entities.h"
#include "model/plan/read_plan.h"

// Access patterns, read as their plans say. Never a Scan.
namespace monotable::entities {

// A condition on an attribute, after the keys: Total=gte.1000.
struct Filter {
  enum class Comparison {
    kEqual,
    kNotEqual,
    kLess,
    kLessOrEqual,
    kGreater,
    kGreaterOrEqual,
    kBetween,
    kBeginsWith,
    kContains,
    kIn,
    kExists,
    kMissing
  };
  std::string attribute;  // a path
  Comparison comparison = Comparison::kEqual;
  std::vector<item::Value> values;  // in their stored form
};

struct ListRequest {
  item::Map parameters;  // by name, in their stored form; from and to as the client wrote them
  std::optional<int64_t> limit;  // items returned; the pattern's page, or kDefaultPage, otherwise
  std::optional<bool> descending;
  std::vector<std::vector<Filter>> filters;  // of each list at least one must hold (or=), all lists
  std::optional<Position> after;
  bool consistent = false;
  bool count_only = false;
  const storage::Reader* reader = nullptr;  // for the entries of lists; null: the newest state
};

struct ListResult {
  std::vector<Found> items;
  int64_t count = 0;
  int64_t scanned = 0;
  double read_units = 0;
  std::optional<Position> next;
  std::string plan;  // PatternReader::plan_text
  // Of a count over a fan-out: how many there are of each value.
  std::vector<std::pair<std::string, int64_t>> counts;
};

inline constexpr int64_t kDefaultPage = 100;
inline constexpr int64_t kMaxPage = 1000;
// A list that filters goes on reading until it has its items or has read this many.
inline constexpr int64_t kMaxScanned = 10000;
// Or this many bytes, as much as BatchGetItem answers at most.
inline constexpr size_t kMaxReadBytes = 16 * 1024 * 1024;
// A count keeps nothing, and reads further.
inline constexpr int64_t kMaxCounted = 1'000'000;

// A pattern with its plan, made once when the application starts. Immutable and thread-safe.
class PatternReader {
 public:
  PatternReader(engine::Engine& engine, const Application& application,
                const model::PatternModel& pattern);

  const model::PatternModel& pattern() const { return pattern_; }
  const model::ReadPlan& plan() const { return *plan_; }
  // GetItem, Query GSI1, Query GSI3 ×6 merged, Query GSI2 + BatchGetItem.
  const std::string& plan_text() const { return plan_text_; }

  // For get: patterns. kNotFound if there is no such item, or if the item is another tenant's.
  Result<Found> Get(const item::Map& parameters, const Caller& caller, bool consistent) const;
  // For list:, count: and collection: patterns. A collection returns the root and the members of
  // its partition. Its first page begins with the root, or is kNotFound without one; the limit
  // counts members only. A count returns no items and has no limit but kMaxCounted.
  Result<ListResult> List(const ListRequest& request, const Caller& caller) const;

  struct Prepared;

 private:
  Error NotServed() const;

  engine::Engine& engine_;
  const model::PatternModel& pattern_;
  std::shared_ptr<const model::ReadPlan> plan_;
  std::shared_ptr<const Prepared> prepared_;  // null if the plan does not serve the pattern
  std::string plan_text_;
};

}  // namespace monotable::entities
