#include "operations/selection.h"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/key_check.h"
#include "expression/legacy.h"

namespace monotable::operations {
namespace {

std::string_view SelectName(Select select) {
  switch (select) {
    case Select::kAllAttributes:
      return "ALL_ATTRIBUTES";
    case Select::kAllProjectedAttributes:
      return "ALL_PROJECTED_ATTRIBUTES";
    case Select::kSpecificAttributes:
      return "SPECIFIC_ATTRIBUTES";
    case Select::kCount:
      break;
  }
  return "only the Count";
}

Status CheckSelect(const SelectionParameters& parameters) {
  if (!parameters.select) return {};
  const bool lists_attributes =
      parameters.projection_expression.has_value() || parameters.attributes_to_get.has_value();
  if (*parameters.select == Select::kSpecificAttributes) {
    if (lists_attributes) return {};
    return Error::Validation(
        "Must specify the AttributesToGet or ProjectionExpression when choosing to get "
        "SPECIFIC_ATTRIBUTES");
  }
  if (lists_attributes) {
    return Error::Validation(
        fmt::format("Cannot specify the {} when choosing to get {}",
                    parameters.projection_expression ? "ProjectionExpression" : "AttributesToGet",
                    SelectName(*parameters.select)));
  }
  if (*parameters.select == Select::kAllProjectedAttributes && !parameters.names_index) {
    return Error::Validation(
        "ALL_PROJECTED_ATTRIBUTES can be used only when Querying using an IndexName");
  }
  return {};
}

// Those of the names that the index does not keep.
std::vector<std::string_view> NotProjected(const table::TableDefinition& table,
                                           const table::IndexDefinition& index,
                                           std::vector<std::string_view> names) {
  std::erase_if(names, [&](std::string_view name) { return Projects(table, index, name); });
  return names;
}

Status CheckGlobalIndex(const table::IndexDefinition& index, const Selection& selection,
                        const std::vector<std::string_view>& not_projected) {
  if (selection.all_attributes) {
    return Error::Validation(fmt::format(
        "One or more parameter values were invalid: Select type ALL_ATTRIBUTES is not supported "
        "for global secondary index {} because its projection type is not ALL",
        index.name));
  }
  if (!not_projected.empty()) {
    return Error::Validation(
        fmt::format("One or more parameter values were invalid: Global secondary index {} does not "
                    "project [{}]",
                    index.name, fmt::join(not_projected, ", ")));
  }
  return {};
}

}  // namespace

Result<Selection> ParseSelection(const SelectionParameters& parameters,
                                 expression::Substitutions& substitutions) {
  const size_t conditions = parameters.legacy_filter ? parameters.legacy_filter->size() : 0;
  TRY(expression::CheckConditionalOperator(parameters.conditional_operator, conditions));
  TRY(CheckSelect(parameters));
  Selection selection;
  selection.all_attributes = parameters.select == Select::kAllAttributes;
  selection.count_only = parameters.select == Select::kCount;
  if (parameters.projection_expression) {
    TRY_ASSIGN(selection.projection,
               expression::ParseProjection(*parameters.projection_expression, substitutions));
  } else if (parameters.attributes_to_get) {
    TRY_ASSIGN(selection.projection,
               expression::ProjectionFromAttributesToGet(*parameters.attributes_to_get));
  }
  if (parameters.filter_expression) {
    TRY_ASSIGN(selection.filter,
               expression::ParseCondition(*parameters.filter_expression,
                                          expression::ConditionKind::kFilter, substitutions));
  } else if (conditions > 0) {
    TRY_ASSIGN(selection.filter, expression::ConditionFromFilter(*parameters.legacy_filter,
                                                                 parameters.conditional_operator));
  }
  return selection;
}

Status CheckSelection(const table::TableDefinition& table, const Selection& selection) {
  if (selection.projection) {
    TRY(engine::CheckKeyPaths(table, selection.projection->NestedNames()));
  }
  if (selection.filter) TRY(engine::CheckKeyPaths(table, selection.filter->NestedNames()));
  return {};
}

Result<bool> NeedsTableItems(const table::TableDefinition& table,
                             const table::IndexDefinition* index, const Selection& selection) {
  if (index == nullptr || index->projection.type == table::ProjectionType::kAll) return false;
  std::vector<std::string_view> not_projected;
  if (selection.projection) {
    not_projected = NotProjected(table, *index, selection.projection->TopLevelNames());
  }
  if (index->kind == table::IndexKind::kGlobal) {
    TRY(CheckGlobalIndex(*index, selection, not_projected));
    return false;
  }
  if (selection.all_attributes || !not_projected.empty()) return true;
  return selection.filter &&
         !NotProjected(table, *index, selection.filter->TopLevelNames()).empty();
}

}  // namespace monotable::operations
