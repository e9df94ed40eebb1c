#pragma once

#include <optional>
#include <string>

#include "operations/parameters.h"
#include "table/definition.h"

// ConsumedCapacity of reads.
namespace monotable::operations {

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
