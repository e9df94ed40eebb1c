#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/write.h"
#include "operations/items.h"
#include "operations/parameters.h"

// How the write operations turn their parameters into bound expressions, and how they answer.
namespace monotable::operations {

// The expression parameters of one write, as its request holds them.
struct WriteExpressions {
  std::optional<std::string> update_expression;
  std::optional<std::string> condition_expression;
  ExpressionAttributes attributes;
  std::optional<expression::LegacyUpdates> attribute_updates;
  std::optional<expression::LegacyExpectations> expected;
  std::optional<expression::ConditionalOperator> conditional_operator;
  bool takes_update = false;  // the operation has an UpdateExpression parameter
};

// Takes the expression parameters over from a request of a single write.
WriteExpressions ExpressionsOf(SingleWriteRequest& request);

// Parses and binds the expressions into write->substitutions, write->condition and write->update.
// All checks of expressions that need no table are here, because the service makes them before it
// looks at the table.
Status BindExpressions(WriteExpressions expressions, engine::ItemWrite* write);

// Finds the table and, with its schema, completes a put (of a whole item), or a write of the item
// with a key.
Status PreparePut(engine::Engine& engine, const std::string& table_name, const item::Item& item,
                  engine::ItemWrite* write);
Status PrepareKeyed(engine::Engine& engine, const std::string& table_name, item::Item key,
                    engine::ItemWrite* write);

// The limit that needs no table.
Status CheckItemSize(const item::Item& item);

// The capacity of writes to any number of tables, one entry a table; empty if not asked for.
std::vector<ConsumedCapacity> WriteCapacity(const engine::WriteRequest& request,
                                            const std::vector<engine::ItemOutcome>& outcomes,
                                            bool transactional, ReturnConsumedCapacity detail);

// ItemCollectionMetrics of a write; absent for tables without local indexes, as in the service.
std::optional<ItemCollectionMetrics> CollectionMetrics(engine::Engine& engine,
                                                       const engine::ItemWrite& write);

// The same for every write of a request, each item collection once.
std::vector<ItemCollectionMetrics> CollectionMetrics(engine::Engine& engine,
                                                     const engine::WriteRequest& request);

// Submits writes and answers with what `respond` makes of their outcome, in which any of the items
// may have been refused: a function from the request and the outcome, from which it may move, to a
// Result<Response>.
template <typename Response, typename Respond>
void SubmitAndRespond(engine::Engine& engine, engine::WriteRequest&& writes, Done<Response> done,
                      Respond respond) {
  struct Finished {
    engine::WriteRequest request;
    Result<engine::WriteOutcome> outcome;
  };
  engine::SubmitWrite(
      engine, std::move(writes),
      [done = std::move(done), respond = std::move(respond)](engine::WriteRequest& submitted,
                                                             Result<engine::WriteOutcome> outcome) {
        const auto finished =
            std::make_shared<Finished>(Finished{std::move(submitted), std::move(outcome)});
        const size_t bytes = finished->outcome ? finished->outcome->image_bytes() : 0;
        done({[finished, respond]() -> Result<Response> {
                if (!finished->outcome) {
                  return std::move(finished->outcome).error();
                }
                return respond(finished->request, *finished->outcome);
              },
              bytes});
      });
}

// Submits one item write and answers as PutItem, UpdateItem and DeleteItem do.
void SubmitSingle(engine::Engine& engine, engine::ItemWrite write,
                  const SingleWriteRequest& request, Done<WriteItemResponse> done);

}  // namespace monotable::operations
