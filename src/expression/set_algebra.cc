#include "expression/set_algebra.h"

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

namespace monotable::expression {
namespace {

// Calls `combine` with the members of both sets and wraps what it returns as a set of their type.
template <typename Combine>
item::Value Combined(const item::Value& a, const item::Value& b, Combine combine) {
  switch (a.type()) {
    case item::Type::kNumberSet:
      return item::Value(item::NumberSet{combine(a.number_set(), b.number_set())});
    case item::Type::kBinarySet:
      return item::Value(item::BinarySet{combine(a.binary_set(), b.binary_set())});
    default:
      return item::Value(item::StringSet{combine(a.string_set(), b.string_set())});
  }
}

bool IsEmptySet(const item::Value& set) {
  switch (set.type()) {
    case item::Type::kNumberSet:
      return set.number_set().empty();
    case item::Type::kBinarySet:
      return set.binary_set().empty();
    default:
      return set.string_set().empty();
  }
}

}  // namespace

bool IsSet(item::Type type) {
  return type == item::Type::kStringSet || type == item::Type::kNumberSet ||
         type == item::Type::kBinarySet;
}

item::Value Union(const item::Value& a, const item::Value& b) {
  return Combined(a, b, []<typename T>(const std::vector<T>& x, const std::vector<T>& y) {
    std::vector<T> members;
    members.reserve(x.size() + y.size());
    std::ranges::set_union(x, y, std::back_inserter(members));
    return members;
  });
}

std::optional<item::Value> Difference(const item::Value& a, const item::Value& b) {
  item::Value rest =
      Combined(a, b, []<typename T>(const std::vector<T>& x, const std::vector<T>& y) {
        std::vector<T> members;
        std::ranges::set_difference(x, y, std::back_inserter(members));
        return members;
      });
  if (IsEmptySet(rest)) return std::nullopt;
  return rest;
}

}  // namespace monotable::expression
