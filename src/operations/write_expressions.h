#pragma once

#include "engine/write.h"
#include "operations/parameters.h"

// How the write operations turn their parameters into bound expressions. All checks that need no
// table come from here, because the service makes them before it looks at the table.
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

// Takes them over from a request of a single write.
WriteExpressions ExpressionsOf(SingleWriteRequest& request);

// Parses and binds them into write->substitutions, write->condition and write->update.
Status BindExpressions(WriteExpressions expressions, engine::ItemWrite* write);

// Finds the table and, with its schema, completes a put (of a whole item), or a write of the item
// with a key.
Status PreparePut(engine::Engine& engine, const std::string& table_name, const item::Item& item,
                  engine::ItemWrite* write);
Status PrepareKeyed(engine::Engine& engine, const std::string& table_name, item::Item key,
                    engine::ItemWrite* write);

// The limit that needs no table.
Status CheckItemSize(const item::Item& item);

}  // namespace monotable::operations
