#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "encoding/item.h"
#include "engine/engine.h"
#include "entities/application.h"
#include "entities/problem.h"
#include "model/plan/read_plan.h"

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

// Where a list stopped: enough to go on exactly after the last entry that was read. Opaque bytes to
// everybody but the reader.
struct Position {
  std::string after;
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

  // get: patterns. kNotFound if there is no such item, or if it is another tenant's.
  Result<Found> Get(const item::Map& parameters, const Caller& caller, bool consistent) const;
  // list:, count: and collection: patterns. Of a collection the items are those of the whole
  // partition that are of the root or a member. The first page begins with the root, or is
  // kNotFound if there is none; the limit is of members. Counts have no limit but kMaxCounted, and
  // no items.
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

// The item of an entity that a route names: by its key, or (cardinality: one) the only one that its
// parent has. Nothing if there is none, if it is another tenant's, or if it has expired and the
// entity hides that. The second sees what the reader sees: a write reads from one snapshot.
Result<std::optional<Found>> FindItem(engine::Engine& engine, const Entity& entity,
                                      const item::Map& key, const Caller& caller);
Result<std::optional<Found>> FindItem(engine::Engine& engine, const storage::Reader& reader,
                                      const Entity& entity, const item::Map& key,
                                      const Caller& caller);

// All items of a child entity in the partition of one parent, in the order of their sort keys.
// Expired ones and those of any tenant are among them: this is for rules, not for clients.
Result<std::vector<Found>> FindMembers(engine::Engine& engine, const storage::Reader& reader,
                                       const Entity& child, const item::Map& parent_attributes);

// All items of an entity whose attribute has this value, whole, found by the index (or the table)
// whose partition key is made of that attribute alone: the sales of a buyer by BUYER#{BuyerId}. An
// error if there is none. As before, expired ones are among them.
Result<std::vector<Found>> FindReferring(engine::Engine& engine, const storage::Reader& reader,
                                         const Entity& referring, std::string_view attribute,
                                         const item::Value& value);

// The same in pages, in the order of the index. A page ends after `limit` items, or when it has
// kMaxReadBytes; `next` says that there are more, and where. Without a limit it is all of them.
struct Reference {
  const Entity* referring = nullptr;
  std::string_view attribute;
  item::Value value;
};
struct FoundPage {
  std::vector<Found> items;
  std::optional<Position> next;
};
Result<FoundPage> FindReferringPage(engine::Engine& engine, const storage::Reader& reader,
                                    const Reference& reference, std::optional<size_t> limit,
                                    const Position& after);

// Whether a pattern finds at least one item, given attributes of an item as its parameters: what
// restrict_if asks before a delete. Looks as an operator does, at all tenants' items.
Result<bool> FindsAnything(engine::Engine& engine, const Application& application,
                           const model::PatternModel& pattern, const item::Map& attributes);

// Whether the item has expired and is not to be shown.
bool IsHidden(const Entity& entity, encoding::ItemView item, int64_t now_ms);
// Whether the caller may see the item.
bool MaySee(const Entity& entity, encoding::ItemView item, const Caller& caller);

}  // namespace monotable::entities
