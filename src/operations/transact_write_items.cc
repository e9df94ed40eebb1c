#include "operations/transact_write_items.h"

#include <algorithm>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "encoding/keyspace.h"
#include "engine/capacity.h"
#include "item/value.h"
#include "operations/transaction_cancelled.h"
#include "operations/transaction_size.h"
#include "operations/write_answer.h"
#include "operations/write_expressions.h"

namespace monotable::operations {
namespace {

engine::WriteAction ActionOf(TransactAction action) {
  switch (action) {
    case TransactAction::kConditionCheck:
      return engine::WriteAction::kConditionCheck;
    case TransactAction::kDelete:
      return engine::WriteAction::kDelete;
    case TransactAction::kUpdate:
      return engine::WriteAction::kUpdate;
    case TransactAction::kPut:
      break;
  }
  return engine::WriteAction::kPut;
}

// The checks that need no table; an error is one of the whole request.
Status BindOne(TransactWrite& wanted, engine::ItemWrite* write) {
  write->action = ActionOf(wanted.action);
  write->keep_old_on_condition_failure = wanted.return_old_on_condition_failure;
  if (wanted.action == TransactAction::kPut) TRY(CheckItemSize(wanted.item));
  WriteExpressions expressions;
  expressions.takes_update = wanted.action == TransactAction::kUpdate;
  expressions.update_expression = std::move(wanted.update_expression);
  expressions.condition_expression = std::move(wanted.condition_expression);
  expressions.attributes = std::move(wanted.attributes);
  return BindExpressions(std::move(expressions), write);
}

// The checks against the table; an error cancels the transaction for this action.
Status PrepareOne(engine::Engine& engine, TransactWrite& wanted, engine::ItemWrite* write) {
  if (wanted.action == TransactAction::kPut) {
    return PreparePut(engine, wanted.table_name, wanted.item, write);
  }
  return PrepareKeyed(engine, wanted.table_name, std::move(wanted.item), write);
}

Result<engine::WriteRequest> Prepare(engine::Engine& engine, TransactWriteItemsRequest& request) {
  engine::WriteRequest transaction;
  transaction.items.resize(request.writes.size());
  size_t bytes = 0;
  for (size_t i = 0; i < request.writes.size(); ++i) {
    bytes += item::SizeOf(request.writes[i].item);
    TRY(BindOne(request.writes[i], &transaction.items[i]));
  }
  if (bytes > kMaxTransactionBytes) {
    return Error::Validation(
        "Transaction request cannot exceed 4 MB: the aggregate size of the items is too large");
  }
  CancellationReasons reasons(request.writes.size());
  for (size_t i = 0; i < request.writes.size(); ++i) {
    Status prepared = PrepareOne(engine, request.writes[i], &transaction.items[i]);
    if (prepared) continue;
    if (prepared.error().code() == ErrorCode::kResourceNotFound) return prepared.error();
    reasons.Set(i, prepared.error());
  }
  if (reasons.any()) return std::move(reasons).ToError();

  std::set<std::string> keys;
  for (const engine::ItemWrite& write : transaction.items) {
    if (!keys.insert(encoding::ItemKey(*write.table, write.key)).second) {
      return Error::Validation(
          "Transaction request cannot include multiple operations on one item");
    }
  }
  if (request.client_request_token) {
    transaction.token = {*request.client_request_token, request.fingerprint};
  }
  return transaction;
}

Error Cancelled(std::vector<engine::ItemOutcome>& outcomes) {
  CancellationReasons reasons(outcomes.size());
  for (size_t i = 0; i < outcomes.size(); ++i) {
    if (!outcomes[i].error) continue;
    if (outcomes[i].error->code() == ErrorCode::kResourceNotFound) {
      return std::move(*outcomes[i].error);
    }
    reasons.Set(i, *outcomes[i].error, std::move(outcomes[i].old_item));
  }
  return std::move(reasons).ToError();
}

// A replayed transaction is charged as reads of what the first call left behind.
std::vector<ConsumedCapacity> ReplayCapacity(const engine::TokenRecord& record,
                                             ReturnConsumedCapacity detail) {
  std::vector<ConsumedCapacity> tables;
  if (detail == ReturnConsumedCapacity::kNone) return tables;
  for (const engine::TokenRecord::Image& image : record.images) {
    auto entry = std::find_if(tables.begin(), tables.end(), [&](const ConsumedCapacity& table) {
      return table.table_name == image.table_name;
    });
    if (entry == tables.end()) {
      entry = tables.emplace(tables.end());
      entry->table_name = image.table_name;
      entry->detail = detail;
      entry->print_split = true;
    }
    const double units = engine::TransactionalReadUnits(image.bytes);
    entry->total.total += units;
    entry->total.read += units;
    entry->table.total += units;
    entry->table.read += units;
  }
  return tables;
}

}  // namespace

void TransactWriteItems(engine::Engine& engine, TransactWriteItemsRequest request,
                        Done<TransactWriteItemsResponse> done) {
  auto transaction = Prepare(engine, request);
  if (!transaction) return done(std::move(transaction).error());
  const auto detail = request.return_consumed_capacity;
  const bool with_metrics = request.return_item_collection_metrics;
  engine::SubmitWrite(
      engine, std::move(*transaction),
      [&engine, detail, with_metrics, done = std::move(done)](const engine::WriteRequest& submitted,
                                                              Result<engine::WriteOutcome> result) {
        if (!result) return done(std::move(result).error());
        if (result->refused()) return done(Cancelled(result->items));
        TransactWriteItemsResponse response;
        if (result->replayed) {
          response.consumed_capacity = ReplayCapacity(*result->replayed, detail);
        } else {
          response.consumed_capacity = WriteCapacity(submitted, result->items, true, detail);
          if (with_metrics) {
            response.item_collection_metrics = CollectionMetrics(engine, submitted);
          }
        }
        done(std::move(response));
      });
}

}  // namespace monotable::operations
