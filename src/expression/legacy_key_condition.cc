#include <optional>
#include <vector>

#include "expression/key_condition.h"
#include "expression/key_match.h"
#include "expression/legacy_condition.h"

namespace monotable::expression {
namespace {

// Fills in the operator of a term; false if no index serves it.
bool ReadOperator(ComparisonOperator comparison, KeyTerm* term) {
  switch (comparison) {
    case ComparisonOperator::kEq:
      return true;
    case ComparisonOperator::kLt:
      term->inequality = RangeBound::Op::kLess;
      return true;
    case ComparisonOperator::kLe:
      term->inequality = RangeBound::Op::kLessEqual;
      return true;
    case ComparisonOperator::kGt:
      term->inequality = RangeBound::Op::kGreater;
      return true;
    case ComparisonOperator::kGe:
      term->inequality = RangeBound::Op::kGreaterEqual;
      return true;
    case ComparisonOperator::kBetween:
      term->inequality = RangeBound::Op::kBetween;
      return true;
    case ComparisonOperator::kBeginsWith:
      term->inequality = RangeBound::Op::kBeginsWith;
      return true;
    default:
      return false;
  }
}

}  // namespace

Result<KeyCondition> KeyConditionFromLegacy(const LegacyConditions& conditions,
                                            const table::KeySchema& schema,
                                            const KeyConditionOptions& options) {
  std::vector<KeyTerm> terms;
  for (const auto& [attribute, condition] : conditions) {
    TRY(CheckArguments(condition.comparison, condition.values));
    KeyTerm term;
    term.attribute = attribute;
    if (!ReadOperator(condition.comparison, &term)) {
      return Error::Validation("Attempted conditional constraint is not an indexable operation");
    }
    term.first = &condition.values[0];
    if (condition.values.size() > 1) term.second = &condition.values[1];
    terms.push_back(term);
  }
  if (terms.empty()) return Error::Validation("Conditions can be of length 1 or 2 only");
  return MatchKey(terms, schema, options);
}

}  // namespace monotable::expression
