#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "error/result.h"
#include "item/value.h"

// The little language of assert, when, freeze_when, derive and set:
//   Status in [INVOICED, SHIPPED]        DeliveryDate == null or DeliveryDate >= SaleDate
//   Quantity * UnitPrice                 sum(lines.Subtotal)          Buyer.Status == ACTIVE
//   if(Total > 1000, LARGE, SMALL)       all(lines, Quantity > 0)     CreatedAt + 4h < now
// Operators, from loose to tight: or, and, not, == != < <= > >= in, + -, * /. Numbers are exact
// decimals. Bare words are attribute paths, or enum values where no attribute has that name.
namespace monotable::model {

struct RuleNode;

// A parsed rule. Immutable and thread-safe. CheckRule (rule_check.h) finds out what its names mean.
class Rule {
 public:
  // The error says what is wrong and at which character.
  static Result<Rule> Parse(std::string_view text);
  // The rule of another tree for the same text.
  static Rule Of(std::string text, std::shared_ptr<const RuleNode> root);

  const std::string& text() const { return text_; }
  const std::shared_ptr<const RuleNode>& root() const { return root_; }
  // The attribute paths that the rule names, in order, without duplicates, and without those of the
  // members of collections. Enum values are among them until CheckRule.
  const std::vector<std::string>& paths() const { return paths_; }
  // The collections and lists that the rule looks at: lines.Subtotal in sum(lines.Subtotal).
  const std::vector<std::string>& aggregates() const { return aggregates_; }

  // Finds the value of a path; null if it is missing.
  using Find = std::function<const item::Value*(std::string_view path)>;
  // Looks at one member of a collection; false if it need not see another.
  using Visit = std::function<Result<bool>(const Find& find)>;
  struct Scope {
    Find find;
    // Visits the members of a collection. Without it, a rule about collections is an error.
    std::function<Status(std::string_view collection, const Visit& visit)> each;
    std::optional<int64_t> now_ms;  // the value of `now`; it is null without this
  };
  // What is missing is null. Comparisons with null are false, except == null and !=. In sums and
  // differences of numbers a null counts as zero, unless all operands are null; every other
  // calculation with null is null. Texts that spell moments are compared as moments, whatever their
  // stored form; other texts are compared by bytes.
  Result<bool> Test(const Scope& scope) const;
  // A moment that was calculated is a text in ISO 8601 with milliseconds.
  Result<std::optional<item::Value>> Evaluate(const Scope& scope) const;

 private:
  std::string text_;
  std::shared_ptr<const RuleNode> root_;
  std::vector<std::string> paths_;
  std::vector<std::string> aggregates_;
};

}  // namespace monotable::model
