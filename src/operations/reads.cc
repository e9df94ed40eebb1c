#include "operations/reads.h"

#include <array>

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
  TRY_ASSIGN(const item::Item decoded,
             encoding::DecodeAttributes(item.bytes, projection_->TopLevelNames()));
  return encoding::EncodeItem(projection_->Apply(decoded));
}

namespace {

CapacityUnits Read(double units) {
  return {.total = units, .read = units};
}

}  // namespace

std::optional<ConsumedCapacity> TableReadCapacity(const std::string& table_name, double units,
                                                  ReturnConsumedCapacity detail) {
  if (detail == ReturnConsumedCapacity::kNone) return std::nullopt;
  ConsumedCapacity consumed;
  consumed.table_name = table_name;
  consumed.total = Read(units);
  consumed.table = Read(units);
  consumed.detail = detail;
  return consumed;
}

std::optional<ConsumedCapacity> IndexReadCapacity(const std::string& table_name,
                                                  const table::IndexDefinition& index,
                                                  double index_units, double table_units,
                                                  ReturnConsumedCapacity detail) {
  auto consumed = TableReadCapacity(table_name, table_units, detail);
  if (!consumed) return std::nullopt;
  consumed->total = Read(table_units + index_units);
  auto& indexes =
      index.kind == table::IndexKind::kLocal ? consumed->local_indexes : consumed->global_indexes;
  indexes[index.name] = Read(index_units);
  return consumed;
}

}  // namespace monotable::operations
