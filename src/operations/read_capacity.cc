#include "operations/read_capacity.h"

namespace monotable::operations {
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
