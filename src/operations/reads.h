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
  // Checks and parses the parameters. Like the service, finds every mistake that needs no table
  // before the table is looked up.
  static Result<PointProjection> Parse(
      const std::optional<std::string>& projection_expression,
      const std::optional<std::vector<std::string>>& attributes_to_get,
      const ExpressionAttributes& attributes);

  // Makes the checks that need the table.
  Status CheckAgainst(const table::TableDefinition& table) const;

  // The attributes of a stored item that the request asks for. Without a projection the result is
  // the item itself.
  Result<encoding::EncodedItem> Apply(encoding::EncodedItem item) const;

 private:
  expression::Substitutions substitutions_;  // projection_ points into it
  std::optional<expression::BoundProjection> projection_;
};

// The units that reading items of a table costs; nullopt if the request does not ask for them. The
// answer names the table as the request does: by its name or by its ARN.
std::optional<ConsumedCapacity> TableReadCapacity(const std::string& table_name, double units,
                                                  ReturnConsumedCapacity detail);

// The units that reading an index costs, together with the items that were fetched from the table
// for attributes that the index does not project.
std::optional<ConsumedCapacity> IndexReadCapacity(const std::string& table_name,
                                                  const table::IndexDefinition& index,
                                                  double index_units, double table_units,
                                                  ReturnConsumedCapacity detail);

}  // namespace monotable::operations
