#pragma once

#include <optional>
#include <string>
#include <vector>

#include "encoding/item.h"
#include "error/result.h"
#include "expression/projection.h"
#include "expression/substitutions.h"
#include "operations/parameters.h"
#include "table/definition.h"

// What the reads have in common: projections of reads by key, and ConsumedCapacity.
namespace monotable::operations {

// Which attributes a read by key (GetItem, BatchGetItem, TransactGetItems) asks for.
class PointProjection {
 public:
  // Checks and parses the parameters; everything that is wrong with them is found here, before the
  // table is looked up, as in the service.
  static Result<PointProjection> Parse(
      const std::optional<std::string>& projection_expression,
      const std::optional<std::vector<std::string>>& attributes_to_get,
      const ExpressionAttributes& attributes);

  // What can only be checked against the table.
  Status CheckAgainst(const table::TableDefinition& table) const;

  // The attributes asked for of a stored item: the very item if all are.
  Result<encoding::EncodedItem> Apply(encoding::EncodedItem item) const;

 private:
  expression::Substitutions substitutions_;  // projection_ points into it
  std::optional<expression::BoundProjection> projection_;
};

// Units of reading a table's items; nullopt if the request does not ask for them. The table is
// named as in the request: an ARN is answered by the ARN.
std::optional<ConsumedCapacity> TableReadCapacity(const std::string& table_name, double units,
                                                  ReturnConsumedCapacity detail);

// Units of reading an index, and of the items fetched from its table for attributes that it does
// not project.
std::optional<ConsumedCapacity> IndexReadCapacity(const std::string& table_name,
                                                  const table::IndexDefinition& index,
                                                  double index_units, double table_units,
                                                  ReturnConsumedCapacity detail);

}  // namespace monotable::operations
