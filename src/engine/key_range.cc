#include "engine/key_range.h"

#include <utility>
#include <vector>

#include "encoding/key.h"
#include "encoding/keyspace.h"

namespace monotable::engine {
namespace {

using encoding::PrefixEnd;
using expression::RangeBound;

std::string WithComponent(const std::string& prefix, const item::Value& value) {
  std::string key = prefix;
  encoding::AppendKeyComponent(value, &key);
  return key;
}

// No component is the beginning of another one, so the keys with one value of an attribute are
// those that begin with the value's component: from it, until its PrefixEnd.
storage::Range Bounded(const std::string& prefix, const RangeBound& bound) {
  const std::string at = WithComponent(prefix, bound.first);
  switch (bound.op) {
    case RangeBound::Op::kLess:
      return {prefix, at};
    case RangeBound::Op::kLessEqual:
      return {prefix, PrefixEnd(at)};
    case RangeBound::Op::kGreater:
      return {PrefixEnd(at), PrefixEnd(prefix)};
    case RangeBound::Op::kGreaterEqual:
      return {at, PrefixEnd(prefix)};
    case RangeBound::Op::kBetween:
      return {at, PrefixEnd(WithComponent(prefix, *bound.second))};
    case RangeBound::Op::kBeginsWith:
      break;
  }
  std::string begins = prefix;
  encoding::AppendKeyPrefix(bound.first, &begins);
  std::string end = PrefixEnd(begins);
  return {std::move(begins), std::move(end)};
}

}  // namespace

QueryRange RangeOf(const table::TableDefinition& table, const table::IndexDefinition* index,
                   const expression::KeyCondition& condition) {
  std::vector<const item::Value*> hash;
  hash.reserve(condition.hash.size());
  for (const item::Value& value : condition.hash) hash.push_back(&value);
  const uint16_t index_id = index == nullptr ? encoding::kTableItems : index->id;

  QueryRange result;
  result.partition = encoding::PartitionPrefix(table.id, index_id, hash);
  std::string prefix = result.partition;
  for (const item::Value& value : condition.range_equal) {
    encoding::AppendKeyComponent(value, &prefix);
  }
  if (condition.range) {
    result.range = Bounded(prefix, *condition.range);
  } else {
    result.range.end = PrefixEnd(prefix);
    result.range.begin = std::move(prefix);
  }
  return result;
}

}  // namespace monotable::engine
