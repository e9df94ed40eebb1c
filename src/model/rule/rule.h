#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "error/result.h"
#include "item/value.h"

// The little language of assert, when, freeze_when and derive:
//   Status in [INVOICED, SHIPPED]        DeliveryDate == null or DeliveryDate >= SaleDate
//   Quantity * UnitPrice                 sum(lines.Subtotal)          Buyer.Status == ACTIVE
// Operators, from loose to tight: or, and, not, == != < <= > >= in, + -, * /. Numbers are exact
// decimals. Bare words are attribute paths, or enum values where no attribute has that name.
namespace monotable::model {

struct RuleNode;

// A parsed rule. Immutable and thread-safe.
class Rule {
 public:
  // The error says what is wrong and at which character.
  static Result<Rule> Parse(std::string_view text);

  const std::string& text() const { return text_; }
  // The attribute paths that the rule names, in order, without duplicates; enum values are among
  // them until Resolve.
  const std::vector<std::string>& paths() const { return paths_; }
  // The collections that the rule sums or counts: lines.Subtotal in sum(lines.Subtotal).
  const std::vector<std::string>& aggregates() const { return aggregates_; }

  // Resolves bare words: a word that is not an attribute becomes text.
  Rule Resolve(const std::function<bool(std::string_view path)>& is_attribute) const;

  struct Scope {
    // The value of a path; null if it is missing.
    std::function<const item::Value*(std::string_view path)> find;
    // All values of an aggregate path.
    std::function<std::vector<const item::Value*>(std::string_view path)> find_all;
    // The value of `now`, an instant in any stored form; null if the rule must not use it.
    item::Value now = item::Value();
  };
  // Null values make comparisons false (except == null and != null) and arithmetic null. Texts that
  // spell moments are compared as moments, whatever their stored form; other texts are compared by
  // bytes.
  Result<bool> Test(const Scope& scope) const;
  Result<std::optional<item::Value>> Evaluate(const Scope& scope) const;

 private:
  std::string text_;
  std::shared_ptr<const RuleNode> root_;
  std::vector<std::string> paths_;
  std::vector<std::string> aggregates_;
};

}  // namespace monotable::model
