#pragma once

#include <span>
#include <vector>

#include "error/result.h"
#include "operations/tables.h"
#include "table/definition.h"

// From the key schemas and attribute definitions of a request to the keys and indexes of a table,
// with the service's checks in the service's order and words.
namespace monotable::operations {

inline constexpr size_t kMaxLocalIndexes = 5;
inline constexpr size_t kMaxGlobalIndexes = 20;
inline constexpr size_t kMaxProjectedAttributes = 100;  // over all indexes that include some

struct TableSchema {
  std::vector<table::KeyAttribute> attributes;
  table::KeySchema key;
  std::vector<table::IndexDefinition> indexes;  // local ones first, ids from 1
};

// The schema of a new table. Billing has been checked (operations/table_settings.h); the mode says
// whether global indexes have throughput.
Result<TableSchema> BuildSchema(const CreateTableRequest& request, table::BillingMode billing_mode);

// An index that UpdateTable adds. Its key attributes must be among the definitions of the request;
// an attribute that the table knows already keeps its type. The caller assigns the id.
Result<table::IndexDefinition> BuildAddedIndex(
    const table::TableDefinition& table, const IndexParameter& parameter,
    std::span<const table::KeyAttribute> request_definitions, table::BillingMode billing_mode);

// Checks how many attributes the indexes project in addition to keys.
Status CheckProjectedAttributes(std::span<const table::IndexDefinition> indexes);

}  // namespace monotable::operations
