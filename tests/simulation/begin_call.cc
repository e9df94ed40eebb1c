#include "simulation/begin_call.h"

#include <map>
#include <memory>
#include <utility>

#include "operations/batches.h"
#include "operations/items.h"
#include "operations/query_scan.h"
#include "operations/transactions.h"

namespace monotable::simulation {
namespace {

using operations::ReturnConsumedCapacity;

Reply ReplyOf(const Error& error) {
  Reply reply;
  reply.error = error.code();
  reply.message = error.message();
  if (const auto* failed =
          dynamic_cast<const operations::ConditionFailureDetail*>(error.detail().get())) {
    reply.attributes = FromServer(failed->item);
  }
  if (const auto* cancelled =
          dynamic_cast<const operations::TransactionCanceledDetail*>(error.detail().get())) {
    for (const operations::CancellationReason& reason : cancelled->reasons) {
      reply.reasons.push_back(reason.code);
      reply.reason_items.push_back(FromServer(reason.item));
    }
  }
  return reply;
}

// Fulfils a promise with what a function makes of the response.
template <typename Response, typename Fill>
operations::Done<Response> Answer(std::shared_ptr<std::promise<Reply>> promise, Fill fill) {
  return [promise = std::move(promise), fill](operations::MakeResponse<Response> make) {
    const Result<Response> result = make();
    if (!result) return promise->set_value(ReplyOf(result.error()));
    Reply reply;
    fill(*result, &reply);
    promise->set_value(std::move(reply));
  };
}

template <typename Request>
void FillSingle(const Call& call, Placeholders* placeholders, Request* request) {
  const Intent& intent = call.intents[0];
  request->table_name = intent.table;
  if (intent.condition) request->condition_expression = intent.condition->Print(placeholders);
  request->attributes = placeholders->attributes();
  request->return_values = call.return_values;
  request->return_old_on_condition_failure = call.return_on_failure;
  request->return_consumed_capacity = ReturnConsumedCapacity::kIndexes;
}

void BeginWrite(engine::Engine& engine, const Call& call,
                std::shared_ptr<std::promise<Reply>> promise) {
  const auto done = Answer<operations::WriteItemResponse>(
      std::move(promise), [](const operations::WriteItemResponse& response, Reply* reply) {
        reply->attributes = FromServer(response.attributes);
        if (response.consumed_capacity) reply->capacity = response.consumed_capacity->table.total;
      });
  const Intent& intent = call.intents[0];
  Placeholders placeholders;
  switch (intent.kind) {
    case Intent::Kind::kPut: {
      operations::PutItemRequest request;
      request.item = ToServer(intent.item);
      FillSingle(call, &placeholders, &request);
      return operations::PutItem(engine, std::move(request), done);
    }
    case Intent::Kind::kDelete: {
      operations::DeleteItemRequest request;
      request.key = ToServer(intent.item);
      FillSingle(call, &placeholders, &request);
      return operations::DeleteItem(engine, std::move(request), done);
    }
    case Intent::Kind::kUpdate:
    case Intent::Kind::kCheck:
      break;
  }
  operations::UpdateItemRequest request;
  request.key = ToServer(intent.item);
  request.update_expression = intent.update.Print(&placeholders);
  FillSingle(call, &placeholders, &request);
  operations::UpdateItem(engine, std::move(request), done);
}

void BeginBatch(engine::Engine& engine, const Call& call,
                std::shared_ptr<std::promise<Reply>> promise) {
  std::map<std::string, std::vector<operations::WriteRequest>> tables;
  for (const Intent& intent : call.intents) {
    tables[intent.table].push_back({intent.kind == Intent::Kind::kDelete, ToServer(intent.item)});
  }
  operations::BatchWriteItemRequest request;
  for (auto& [name, writes] : tables) request.tables.emplace_back(name, std::move(writes));
  operations::BatchWriteItem(
      engine, std::move(request),
      Answer<operations::BatchWriteItemResponse>(std::move(promise), [](const auto&, Reply*) {}));
}

operations::TransactAction ActionOf(Intent::Kind kind) {
  switch (kind) {
    case Intent::Kind::kPut:
      return operations::TransactAction::kPut;
    case Intent::Kind::kUpdate:
      return operations::TransactAction::kUpdate;
    case Intent::Kind::kDelete:
      return operations::TransactAction::kDelete;
    case Intent::Kind::kCheck:
      break;
  }
  return operations::TransactAction::kConditionCheck;
}

void BeginTransaction(engine::Engine& engine, const Call& call,
                      std::shared_ptr<std::promise<Reply>> promise) {
  operations::TransactWriteItemsRequest request;
  for (const Intent& intent : call.intents) {
    Placeholders placeholders;
    operations::TransactWrite write;
    write.action = ActionOf(intent.kind);
    write.table_name = intent.table;
    write.item = ToServer(intent.item);
    if (intent.kind == Intent::Kind::kUpdate) {
      write.update_expression = intent.update.Print(&placeholders);
    }
    if (intent.condition) write.condition_expression = intent.condition->Print(&placeholders);
    write.attributes = placeholders.attributes();
    write.return_old_on_condition_failure = call.return_on_failure;
    request.writes.push_back(std::move(write));
  }
  request.client_request_token = call.token;
  request.fingerprint = call.id;
  operations::TransactWriteItems(engine, std::move(request),
                                 Answer<operations::TransactWriteItemsResponse>(
                                     std::move(promise), [](const auto&, Reply*) {}));
}

Reply Get(engine::Engine& engine, const Call& call) {
  operations::GetItemRequest request;
  request.table_name = call.targets[0].table;
  request.key = ToServer(call.targets[0].key);
  request.consistent_read = call.consistent;
  request.return_consumed_capacity = ReturnConsumedCapacity::kTotal;
  const auto response = operations::GetItem(engine, request);
  if (!response) return ReplyOf(response.error());
  Reply reply;
  reply.items.push_back(FromServer(response->item));
  if (response->consumed_capacity) reply.capacity = response->consumed_capacity->total.total;
  return reply;
}

// Responses come in any order and leave out what is not there; the reply has them by target.
Reply BatchGet(engine::Engine& engine, const Call& call) {
  std::map<std::string, operations::KeysAndAttributes> tables;
  for (const Target& target : call.targets) {
    tables[target.table].keys.push_back(ToServer(target.key));
    tables[target.table].consistent_read = call.consistent;
  }
  operations::BatchGetItemRequest request;
  for (auto& [name, keys] : tables) request.tables.emplace_back(name, std::move(keys));
  const auto response = operations::BatchGetItem(engine, request);
  if (!response) return ReplyOf(response.error());
  Reply reply;
  reply.items.resize(call.targets.size());
  for (const auto& [table, items] : response->responses) {
    for (const encoding::EncodedItem& encoded : items) {
      const Item item = FromServer(encoded);
      for (size_t i = 0; i < call.targets.size(); ++i) {
        const Target& target = call.targets[i];
        bool matches = target.table == table;
        for (const auto& [name, value] : target.key) {
          matches = matches && item.contains(name) && item.at(name) == value;
        }
        if (matches) reply.items[i] = item;
      }
    }
  }
  return reply;
}

Reply TransactGet(engine::Engine& engine, const Call& call) {
  operations::TransactGetItemsRequest request;
  for (const Target& target : call.targets) {
    request.gets.push_back({target.table, ToServer(target.key), {}, {}});
  }
  const auto response = operations::TransactGetItems(engine, request);
  if (!response) return ReplyOf(response.error());
  Reply reply;
  for (const auto& item : response->items) reply.items.push_back(FromServer(item));
  return reply;
}

std::string PrintRange(const RangeCondition& range, const std::string& name,
                       Placeholders* placeholders) {
  using Op = RangeCondition::Op;
  const std::string path = placeholders->Name(name);
  const std::string first = placeholders->Value(range.first);
  switch (range.op) {
    case Op::kEqual:
      return path + " = " + first;
    case Op::kLess:
      return path + " < " + first;
    case Op::kLessEqual:
      return path + " <= " + first;
    case Op::kGreater:
      return path + " > " + first;
    case Op::kGreaterEqual:
      return path + " >= " + first;
    case Op::kBetween:
      return path + " BETWEEN " + first + " AND " + placeholders->Value(range.second);
    case Op::kBeginsWith:
      break;
  }
  return "begins_with(" + path + ", " + first + ")";
}

template <typename Request>
void FillPage(const PageCall& page, Placeholders* placeholders, Request* request) {
  request->table_name = page.table;
  request->index_name = page.index;
  if (page.filter) request->filter_expression = page.filter->Print(placeholders);
  if (!page.projection.empty()) {
    std::string paths;
    for (const Path& path : page.projection) {
      paths += (paths.empty() ? "" : ", ") + placeholders->Print(path);
    }
    request->projection_expression = paths;
  }
  request->attributes = placeholders->attributes();
  request->limit = page.limit;
  if (page.count_only) request->select = operations::Select::kCount;
  request->consistent_read = page.consistent;
  if (page.start) request->exclusive_start_key = ToServer(*page.start);
}

// The names of the key attributes come from the server's catalog, because the page only has the
// index's name.
Result<operations::PageResponse> QueryPage(engine::Engine& engine, const PageCall& page) {
  operations::QueryRequest request;
  Placeholders placeholders;
  TRY_ASSIGN(const engine::TablePtr table, engine.FindTable(page.table));
  const table::KeySchema* schema = &table->key;
  if (page.index) {
    const auto* index = table->FindIndex(*page.index);
    if (index == nullptr) return Error::Validation("The table does not have the specified index");
    schema = &index->key;
  }
  std::string condition =
      placeholders.Name(schema->hash[0].name) + " = " + placeholders.Value(*page.hash);
  if (page.range) {
    condition += " AND " + PrintRange(*page.range, schema->range[0].name, &placeholders);
  }
  request.key_condition_expression = condition;
  request.scan_index_forward = page.forward;
  FillPage(page, &placeholders, &request);
  return operations::Query(engine, request);
}

Reply ReadPage(engine::Engine& engine, const PageCall& page) {
  Result<operations::PageResponse> response = Error::Internal("not asked");
  if (page.hash) {
    response = QueryPage(engine, page);
  } else {
    operations::ScanRequest request;
    Placeholders placeholders;
    FillPage(page, &placeholders, &request);
    if (page.segments > 1) {
      request.segment = page.segment;
      request.total_segments = page.segments;
    }
    response = operations::Scan(engine, request);
  }
  if (!response) return ReplyOf(response.error());
  Reply reply;
  for (const encoding::EncodedItem& item : response->items) reply.page.push_back(FromServer(item));
  reply.count = response->count;
  reply.scanned = response->scanned_count;
  reply.last_key = FromServer(response->last_evaluated_key);
  return reply;
}

}  // namespace

std::future<Reply> BeginCall(engine::Engine& engine, const Call& call) {
  auto promise = std::make_shared<std::promise<Reply>>();
  std::future<Reply> reply = promise->get_future();
  switch (call.kind) {
    case Call::Kind::kWrite:
      BeginWrite(engine, call, std::move(promise));
      break;
    case Call::Kind::kBatchWrite:
      BeginBatch(engine, call, std::move(promise));
      break;
    case Call::Kind::kTransactWrite:
      BeginTransaction(engine, call, std::move(promise));
      break;
    case Call::Kind::kGet:
      promise->set_value(Get(engine, call));
      break;
    case Call::Kind::kBatchGet:
      promise->set_value(BatchGet(engine, call));
      break;
    case Call::Kind::kTransactGet:
      promise->set_value(TransactGet(engine, call));
      break;
    case Call::Kind::kPage:
      promise->set_value(ReadPage(engine, call.page));
      break;
  }
  return reply;
}

}  // namespace monotable::simulation
