#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/model.h"

// How an access pattern is read, and the proof that the keys serve it.
namespace monotable::model {

enum class Verdict {
  kServed,       // one request returns what the pattern wants and nothing else
  kNeedsFilter,  // one request; other entities or other items are read and left out
  kFanOut,       // several requests, merged
  kNotServed,    // only a Scan would find it
};

std::string_view VerdictName(Verdict verdict);  // served, needs a filter, …

// A bound of the sort key: a comparison with texts that the parameters fill in.
struct SortCondition {
  WhereTerm::Comparison comparison = WhereTerm::Comparison::kBeginsWith;
  Template value;
  std::optional<Template> upper;  // of kBetween
};

// One request that a pattern makes: GetItem if key is the whole primary key, Query otherwise.
struct ReadStep {
  enum class Action { kGetItem, kQuery, kBatchGetItem };
  Action action = Action::kQuery;
  std::string table;   // id
  std::string index;   // empty: the table
  std::string entity;  // whose items it returns; empty: several (a collection)
  std::string hash_attribute;
  Template hash;
  std::string range_attribute;         // empty if the key has none or it is not bounded
  std::optional<SortCondition> range;  // of kGetItem: equality
  // The template of the sort key up to the pattern's range field: "SALE#" of SALE#{SaleDate}. Set
  // if the pattern has a range.
  std::string range_prefix;
  bool range_is_prefix_of_key = false;  // more follows the field in the key
  bool filter_by_type = false;          // entities that share the range are left out
  std::vector<std::string> also_read;   // those entities
  bool descending = false;
};

struct ReadPlan {
  Verdict verdict = Verdict::kNotServed;
  std::string reason;  // why it is not simply served, in one sentence; empty otherwise
  std::vector<ReadStep> steps;
  // Values of the fan-out attribute, one Query each, in the order of the enum.
  std::vector<std::string> fan_out_values;
  std::string fan_out_attribute;
  std::string merge_attribute;
  bool hydrate = false;                 // a BatchGetItem follows for whole items
  std::vector<std::string> parameters;  // what the caller must give, in order
  std::vector<std::string> optional_parameters;
  // The exact DynamoDB request of the first step, as JSON with {parameters} in the values.
  std::string request;
};

ReadPlan PlanPattern(const Model& model, const PatternModel& pattern);

}  // namespace monotable::model
