#include "operations/transactions.h"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "encoding/keyspace.h"
#include "engine/capacity.h"
#include "engine/key_check.h"
#include "engine/read.h"
#include "item/value.h"
#include "operations/parameters.h"
#include "operations/reads.h"
#include "operations/writes.h"

namespace monotable::operations {
namespace {

// The size of all items that one transaction reads or writes.
constexpr size_t kMaxTransactionBytes = 4 * 1024 * 1024;

// Collects why a transaction is cancelled, one reason for each action in order, and makes the
// error. Actions without a reason are listed with the code None.
class CancellationReasons {
 public:
  explicit CancellationReasons(size_t actions) : reasons_(actions) {}

  void Set(size_t action, const Error& error,
           std::optional<encoding::EncodedItem> item = std::nullopt);
  bool any() const { return any_; }
  Error ToError() &&;

 private:
  std::vector<CancellationReason> reasons_;
  bool any_ = false;
};

// Reasons name some errors differently than other answers do.
std::string_view ReasonCode(ErrorCode code) {
  switch (code) {
    case ErrorCode::kConditionalCheckFailed:
      return "ConditionalCheckFailed";
    case ErrorCode::kItemCollectionSizeLimitExceeded:
      return "ItemCollectionSizeLimitExceeded";
    case ErrorCode::kTransactionConflict:
      return "TransactionConflict";
    case ErrorCode::kProvisionedThroughputExceeded:
      return "ProvisionedThroughputExceeded";
    case ErrorCode::kThrottling:
      return "ThrottlingError";
    default:
      return "ValidationError";
  }
}

void CancellationReasons::Set(size_t action, const Error& error,
                              std::optional<encoding::EncodedItem> item) {
  CancellationReason& reason = reasons_[action];
  reason.code = ReasonCode(error.code());
  reason.message = error.message();
  reason.item = std::move(item);
  any_ = true;
}

Error CancellationReasons::ToError() && {
  std::string codes;
  for (const CancellationReason& reason : reasons_) {
    if (!codes.empty()) codes += ", ";
    codes += reason.code;
  }
  return Error(ErrorCode::kTransactionCanceled,
               fmt::format("Transaction cancelled, please refer cancellation reasons for specific "
                           "reasons [{}]",
                           codes),
               std::make_shared<TransactionCanceledDetail>(std::move(reasons_)));
}

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

// The checks that need no table. An error fails the whole request.
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

// The checks against the table. An error cancels the transaction and is the reason of this action.
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
  if (!transaction) {
    return done(Failed<TransactWriteItemsResponse>(std::move(transaction).error()));
  }
  SubmitAndRespond(engine, std::move(*transaction), std::move(done),
                   [&engine, detail = request.return_consumed_capacity,
                    with_metrics = request.return_item_collection_metrics](
                       const engine::WriteRequest& submitted,
                       engine::WriteOutcome& outcome) -> Result<TransactWriteItemsResponse> {
                     if (outcome.refused()) return Cancelled(outcome.items);
                     TransactWriteItemsResponse response;
                     if (outcome.replayed) {
                       response.consumed_capacity = ReplayCapacity(*outcome.replayed, detail);
                       return response;
                     }
                     response.consumed_capacity =
                         WriteCapacity(submitted, outcome.items, true, detail);
                     if (with_metrics)
                       response.item_collection_metrics = CollectionMetrics(engine, submitted);
                     return response;
                   });
}

}  // namespace monotable::operations
