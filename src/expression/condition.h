#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "error/result.h"
#include "expression/path.h"
#include "expression/substitutions.h"
#include "item/value.h"

namespace monotable::expression {

struct ParsedCondition;

// Which parameter a condition came in; error messages name it.
enum class ConditionKind { kCondition, kFilter };

// A condition ready to be evaluated against items. Immutable, so any number of threads may share
// one; it must not outlive the Substitutions it was bound with.
class BoundCondition {
 public:
  BoundCondition(std::shared_ptr<const ParsedCondition> tree, Binding binding);

  bool Evaluate(const item::Item& item) const;

  // Every document path the condition mentions, in the order of the text.
  std::vector<Path> Paths() const;
  // The attribute each of those paths starts at, in the same order, with repetitions.
  std::vector<std::string_view> TopLevelNames() const;
  // Those top-level attributes into which a path leads further.
  std::vector<std::string_view> NestedNames() const;
  // The attributes on which the result depends, each once, sorted. Evaluate needs no others.
  const std::vector<std::string_view>& MentionedNames() const { return mentioned_names_; }

 private:
  std::shared_ptr<const ParsedCondition> tree_;
  Binding binding_;
  std::vector<std::string_view> mentioned_names_;
};

// Parses (or finds in this thread's cache) and binds a ConditionExpression or FilterExpression. All
// mistakes that do not depend on an item are found here, as in the service.
Result<BoundCondition> ParseCondition(std::string_view text, ConditionKind kind,
                                      Substitutions& substitutions);

}  // namespace monotable::expression
