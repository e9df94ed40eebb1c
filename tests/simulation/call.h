#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "error/error.h"
#include "operations/parameters.h"
#include "simulation/expression.h"
#include "simulation/value.h"

// What clients ask and what they are answered, in the model's terms.
namespace monotable::simulation {

// A put, update, delete or check of one item.
struct Intent {
  enum class Kind { kPut, kUpdate, kDelete, kCheck };

  Kind kind = Kind::kPut;
  std::string table;
  Item item;  // of a put; the key of the others
  std::optional<Condition> condition;
  Update update;
};

struct Target {
  std::string table;
  Item key;
};

// A condition on the range key of a Query.
struct RangeCondition {
  enum class Op { kEqual, kLess, kLessEqual, kGreater, kGreaterEqual, kBetween, kBeginsWith };

  Op op = Op::kEqual;
  Value first;
  Value second;  // of kBetween
};

// One page of a Query or Scan.
struct PageCall {
  std::string table;
  std::optional<std::string> index;
  std::optional<Value> hash;  // absent: a Scan
  std::optional<RangeCondition> range;
  std::optional<Condition> filter;
  std::vector<Path> projection;  // empty: everything
  std::optional<int64_t> limit;
  bool forward = true;
  bool count_only = false;
  bool consistent = false;
  int64_t segment = 0;
  int64_t segments = 1;
  std::optional<Item> start;
};

struct Call {
  enum class Kind { kWrite, kBatchWrite, kTransactWrite, kGet, kBatchGet, kTransactGet, kPage };

  Kind kind = Kind::kGet;
  // Every put and update sets the attribute w to the id of its call, so that each image of an item
  // tells who made it.
  std::string id;
  std::vector<Intent> intents;  // one, for kWrite
  std::optional<std::string> token;
  operations::ReturnValues return_values = operations::ReturnValues::kNone;
  bool return_on_failure = false;
  std::vector<Target> targets;  // one, for kGet
  bool consistent = true;
  PageCall page;

  bool writes() const { return kind <= Kind::kTransactWrite; }
};

struct Reply {
  std::optional<ErrorCode> error;
  std::string message;
  std::optional<Item> attributes;    // of a write, or with a failed condition
  std::vector<std::string> reasons;  // of a cancelled transaction
  std::vector<std::optional<Item>> reason_items;
  std::vector<std::optional<Item>> items;  // of gets, in the order of the targets
  std::vector<Item> page;
  int64_t count = 0;
  int64_t scanned = 0;
  std::optional<Item> last_key;
  std::optional<double> capacity;  // of kGet and, for the table alone, of kWrite
};

std::string Describe(const Intent& intent);
std::string Describe(const Call& call);
std::string Describe(const Reply& reply);

}  // namespace monotable::simulation
