#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "encoding/item.h"
#include "engine/engine.h"
#include "entities/application.h"
#include "entities/problem.h"
#include "model/plan/plan.h"

// Access patterns, read as their plans say. Never a Scan.
namespace monotable::entities {

struct Found {
  const Entity* entity = nullptr;
  encoding::EncodedItem item;
};

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

// Where a list stopped: enough to go on exactly after the last item that was returned. Opaque to
// everybody but the reader.
struct Position {
  std::vector<std::string> after;  // stored keys, one for each part of a fan-out; empty: not begun
  std::vector<bool> finished;
};

struct ListRequest {
  item::Map parameters;  // by name, in their stored form; from and to as the client wrote them
  std::optional<int64_t> limit;  // items returned; the pattern's page, or kDefaultPage, otherwise
  std::optional<bool> descending;
  std::vector<std::vector<Filter>> filters;  // of each list at least one must hold (or=), all lists
  std::optional<Position> after;
  bool consistent = false;
  bool count_only = false;
};

struct ListResult {
  std::vector<Found> items;
  int64_t count = 0;
  int64_t scanned = 0;
  double read_units = 0;
  std::optional<Position> next;
  std::string plan;  // GSI3 ×6 merge
  // Of a count over a fan-out: how many there are of each value.
  std::vector<std::pair<std::string, int64_t>> counts;
};

inline constexpr int64_t kDefaultPage = 100;
inline constexpr int64_t kMaxPage = 1000;
// A list that filters goes on reading until it has its items or has read this many.
inline constexpr int64_t kMaxScanned = 10000;

// A pattern with its plan, made once when the application starts. Immutable and thread-safe.
class PatternReader {
 public:
  PatternReader(engine::Engine& engine, const Application& application,
                const model::PatternModel& pattern);

  const model::PatternModel& pattern() const { return pattern_; }
  const model::ReadPlan& plan() const { return plan_; }

  // get: patterns. kNotFound if there is no such item, or if it is another tenant's.
  Result<Found> Get(const item::Map& parameters, const Caller& caller, bool consistent) const;
  // list:, count: and collection: patterns. Of a collection the items are those of the whole
  // partition that are of the root or a member, the root first.
  Result<ListResult> List(const ListRequest& request, const Caller& caller) const;

 private:
  engine::Engine& engine_;
  const Application& application_;
  const model::PatternModel& pattern_;
  const model::ReadPlan plan_;
};

// The item of an entity that a route names: by its key, or (cardinality: one) the only one that its
// parent has. Nothing if there is none, if it is another tenant's, or if it has expired and the
// entity hides that.
Result<std::optional<Found>> FindItem(engine::Engine& engine, const Entity& entity,
                                      const item::Map& key, const Caller& caller);

// Whether the item has expired and is not to be shown.
bool IsHidden(const Entity& entity, encoding::ItemView item, int64_t now_ms);
// Whether the caller may see the item.
bool MaySee(const Entity& entity, encoding::ItemView item, const Caller& caller);

}  // namespace monotable::entities
