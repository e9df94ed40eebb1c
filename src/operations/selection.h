#pragma once

#include <optional>
#include <string>
#include <vector>

#include "error/result.h"
#include "expression/condition.h"
#include "expression/legacy.h"
#include "expression/projection.h"
#include "expression/substitutions.h"
#include "operations/parameters.h"
#include "table/definition.h"

// What a Query or Scan makes of the entries it reads: which ones it keeps and which attributes of
// them it answers.
namespace monotable::operations {

// The parameters that say so, as views of the request.
struct SelectionParameters {
  std::optional<Select> select;
  bool names_index = false;
  const std::optional<std::string>& projection_expression;
  const std::optional<std::vector<std::string>>& attributes_to_get;
  const std::optional<std::string>& filter_expression;
  const std::optional<expression::LegacyConditions>& legacy_filter;
  std::optional<expression::ConditionalOperator> conditional_operator;
};

struct Selection {
  std::optional<expression::BoundCondition> filter;
  std::optional<expression::BoundProjection> projection;
  bool all_attributes = false;  // also those that an index does not project
  bool count_only = false;
};

// Checks the parameters and parses what they hold. The selection must not outlive the
// substitutions.
Result<Selection> ParseSelection(const SelectionParameters& parameters,
                                 expression::Substitutions& substitutions);

// What of a selection can only be checked against the table.
Status CheckSelection(const table::TableDefinition& table, const Selection& selection);

// Whether the selection needs the table's item for every entry of the index (null: the table is
// read anyway). A local index reaches back to its table for attributes that it does not project; a
// global one refuses to answer them.
Result<bool> NeedsTableItems(const table::TableDefinition& table,
                             const table::IndexDefinition* index, const Selection& selection);

}  // namespace monotable::operations
