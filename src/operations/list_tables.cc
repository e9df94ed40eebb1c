#include <algorithm>

#include "operations/tables.h"

namespace monotable::operations {
namespace {

constexpr int64_t kTablesPageSize = 100;

}  // namespace

Result<ListTablesResponse> ListTables(engine::Engine& engine, const ListTablesRequest& request) {
  const std::vector<std::string> names = engine.catalog().Names();
  auto first = names.begin();
  // The table to start after need not exist any more.
  if (request.exclusive_start_table_name) {
    first = std::upper_bound(first, names.end(), *request.exclusive_start_table_name);
  }
  const int64_t limit =
      std::clamp<int64_t>(request.limit.value_or(kTablesPageSize), 1, kTablesPageSize);
  const auto last = first + std::min<int64_t>(limit, names.end() - first);
  ListTablesResponse response;
  response.table_names.assign(first, last);
  if (last != names.end()) response.last_evaluated_table_name = response.table_names.back();
  return response;
}

}  // namespace monotable::operations
