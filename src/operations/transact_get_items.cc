#include "operations/transact_get_items.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "encoding/keyspace.h"
#include "engine/capacity.h"
#include "engine/key_check.h"
#include "engine/read.h"
#include "operations/point_projection.h"
#include "operations/read_capacity.h"
#include "operations/transaction_cancelled.h"
#include "operations/transaction_size.h"

namespace monotable::operations {
namespace {

Result<std::vector<PointProjection>> ParseProjections(const TransactGetItemsRequest& request) {
  std::vector<PointProjection> projections;
  projections.reserve(request.gets.size());
  for (const TransactGet& get : request.gets) {
    TRY_ASSIGN(auto projection,
               PointProjection::Parse(get.projection_expression, std::nullopt, get.attributes));
    projections.push_back(std::move(projection));
  }
  return projections;
}

// The stored keys of the items, in the order of the gets. A missing table fails the request as
// such; a key that does not fit its table cancels the transaction and is named among the reasons.
Result<std::vector<std::string>> ResolveKeys(engine::Engine& engine,
                                             const TransactGetItemsRequest& request,
                                             const std::vector<PointProjection>& projections) {
  std::vector<engine::TablePtr> tables;
  tables.reserve(request.gets.size());
  for (const TransactGet& get : request.gets) {
    TRY_ASSIGN(auto table, engine.FindTable(get.table_name));
    tables.push_back(std::move(table));
  }
  std::vector<std::string> keys;
  keys.reserve(request.gets.size());
  CancellationReasons reasons(request.gets.size());
  for (size_t i = 0; i < request.gets.size(); ++i) {
    Status checked = projections[i].CheckAgainst(*tables[i]);
    if (checked) checked = engine::CheckKey(*tables[i], request.gets[i].key);
    if (!checked) {
      reasons.Set(i, checked.error());
      continue;
    }
    keys.push_back(encoding::ItemKey(*tables[i], request.gets[i].key));
  }
  if (reasons.any()) return std::move(reasons).ToError();
  return keys;
}

Status CheckNoDuplicates(const std::vector<std::string>& keys) {
  std::vector<std::string_view> sorted(keys.begin(), keys.end());
  std::sort(sorted.begin(), sorted.end());
  if (std::adjacent_find(sorted.begin(), sorted.end()) == sorted.end()) return {};
  return Error::Validation("Transaction request cannot include multiple operations on one item");
}

// One entry per table, in the order in which the tables first appear.
void AddCapacity(const std::string& table_name, double units, ReturnConsumedCapacity detail,
                 std::vector<ConsumedCapacity>* all) {
  auto consumed = TableReadCapacity(table_name, units, detail);
  if (!consumed) return;
  const auto same = std::find_if(all->begin(), all->end(), [&](const ConsumedCapacity& other) {
    return other.table_name == table_name;
  });
  if (same == all->end()) {
    consumed->print_split = true;
    all->push_back(*std::move(consumed));
    return;
  }
  for (CapacityUnits* sum : {&same->total, &same->table}) {
    sum->total += units;
    sum->read += units;
  }
}

}  // namespace

Result<TransactGetItemsResponse> TransactGetItems(engine::Engine& engine,
                                                  const TransactGetItemsRequest& request) {
  TRY_ASSIGN(const auto projections, ParseProjections(request));
  TRY_ASSIGN(const auto keys, ResolveKeys(engine, request, projections));
  TRY(CheckNoDuplicates(keys));

  const std::unique_ptr<storage::Reader> snapshot = engine.store().Snapshot();
  TransactGetItemsResponse response;
  response.items.reserve(keys.size());
  size_t bytes = 0;
  for (size_t i = 0; i < keys.size(); ++i) {
    TRY_ASSIGN(auto item, engine::ReadItem(*snapshot, keys[i]));
    const size_t size = item ? encoding::ItemView(*item).ChargedSize() : 0;
    bytes += size;
    if (bytes > kMaxTransactionBytes) {
      return Error::Validation("The aggregate size of the items in the transaction exceeds 4 MB");
    }
    AddCapacity(request.gets[i].table_name, engine::TransactionalReadUnits(size),
                request.return_consumed_capacity, &response.consumed_capacity);
    std::optional<encoding::EncodedItem>& answer = response.items.emplace_back();
    if (item) {
      TRY_ASSIGN(answer, projections[i].Apply(*std::move(item)));
    }
  }
  return response;
}

}  // namespace monotable::operations
