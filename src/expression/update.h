#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "error/result.h"
#include "expression/path.h"
#include "expression/substitutions.h"
#include "item/value.h"

namespace monotable::expression {

struct ParsedUpdate;

// An update ready to be applied to items. Immutable, so any number of threads may share one; it
// must not outlive the Substitutions it was bound with.
class BoundUpdate {
 public:
  // `targets` holds the paths that the actions change.
  BoundUpdate(std::shared_ptr<const ParsedUpdate> parsed, Binding binding, PathTree targets);

  // The item after the update. Every operand is read from the old item, whatever the order of
  // the actions, so `SET a = b, b = a` swaps.
  Result<item::Item> Apply(item::Item old) const;

  // The attributes the update changes, one per action, with repetitions for nested paths.
  std::vector<std::string_view> TopLevelNames() const;
  // The attributes that it changes or reads, each once, sorted. Apply needs no others, and leaves
  // all others as they are.
  const std::vector<std::string_view>& MentionedNames() const { return mentioned_names_; }

  // The part of an item at the paths the update names: what ReturnValues UPDATED_OLD and
  // UPDATED_NEW answer when given the old and the new item.
  item::Item ProjectUpdated(const item::Item& item) const { return targets_.Project(item); }

  // How many actions write a value (SET, ADD) and how many clear one (REMOVE, DELETE).
  size_t write_actions() const;
  size_t clear_actions() const;

 private:
  std::shared_ptr<const ParsedUpdate> parsed_;
  Binding binding_;
  PathTree targets_;
  std::vector<std::string_view> mentioned_names_;
};

// Parses (or finds in this thread's cache) and binds an UpdateExpression.
Result<BoundUpdate> ParseUpdate(std::string_view text, Substitutions& substitutions);

}  // namespace monotable::expression
