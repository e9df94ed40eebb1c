#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "operations/parameters.h"
#include "simulation/value.h"

// Conditions and updates as the generator makes them: a tree that is printed for the server and
// evaluated here by a second, independent evaluator.
namespace monotable::simulation {

// Collects #names and :values while expressions are printed.
class Placeholders {
 public:
  std::string Name(const std::string& name);
  std::string Value(const simulation::Value& value);
  std::string Print(const Path& path);
  operations::ExpressionAttributes attributes() const;

 private:
  std::map<std::string, std::string> names_;  // by meaning
  std::vector<simulation::Value> values_;
};

struct Condition {
  enum class Op {
    kExists,
    kNotExists,
    kEqual,
    kNotEqual,
    kLess,
    kLessEqual,
    kGreater,
    kGreaterEqual,
    kBetween,
    kIn,
    kBeginsWith,
    kContains,
    kHasType,
    kSizeGreater,
    kAnd,
    kOr,
    kNot
  };

  Op op = Op::kExists;
  Path path;                     // of all but the last three
  std::vector<Value> operands;   // likewise
  std::vector<Condition> parts;  // of the last three

  bool Holds(const Item& item) const;
  std::string Print(Placeholders* placeholders) const;
};

struct Action {
  enum class Op { kSet, kSetIfAbsent, kIncrement, kAppend, kCopy, kRemove, kAdd, kDelete };

  Op op = Op::kSet;
  Path path;
  Value operand;
  Path source;  // of kCopy
};

inline Action SetTo(const std::string& attribute, Value value) {
  return {Action::Op::kSet, PathOf(attribute), std::move(value), {}};
}

// No two actions change the same top-level attribute.
struct Update {
  std::vector<Action> actions;

  // The updated item, or nothing where the service answers with a ValidationException.
  std::optional<Item> Apply(const Item& old) const;
  std::string Print(Placeholders* placeholders) const;
  std::vector<Path> paths() const;
};

}  // namespace monotable::simulation
