#include "operations/point_projection.h"

#include <array>
#include <utility>

#include "engine/key_check.h"

namespace monotable::operations {

Result<PointProjection> PointProjection::Parse(
    const std::optional<std::string>& projection_expression,
    const std::optional<std::vector<std::string>>& attributes_to_get,
    const ExpressionAttributes& attributes) {
  PointProjection result;
  if (!projection_expression && !attributes_to_get && !attributes.names && !attributes.values) {
    return result;
  }
  const std::array<expression::ExpressionParameter, 1> parameters = {
      {{.name = "ProjectionExpression",
        .present = projection_expression.has_value(),
        .takes_values = false}}};
  result.substitutions_ = expression::Substitutions(attributes.names, attributes.values);
  TRY(result.substitutions_.Check(parameters));
  if (projection_expression) {
    TRY_ASSIGN(result.projection_,
               expression::ParseProjection(*projection_expression, result.substitutions_));
  } else if (attributes_to_get) {
    TRY_ASSIGN(result.projection_, expression::ProjectionFromAttributesToGet(*attributes_to_get));
  }
  TRY(result.substitutions_.CheckAllUsed());
  return result;
}

Status PointProjection::CheckAgainst(const table::TableDefinition& table) const {
  return projection_ ? engine::CheckKeyPaths(table, projection_->NestedNames()) : Status();
}

Result<encoding::EncodedItem> PointProjection::Apply(encoding::EncodedItem item) const {
  if (!projection_) return item;
  TRY_ASSIGN(const item::Item decoded, encoding::DecodeItem(item.bytes));
  return encoding::EncodeItem(projection_->Apply(decoded));
}

}  // namespace monotable::operations
