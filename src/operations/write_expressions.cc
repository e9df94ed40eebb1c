#include "operations/write_expressions.h"

#include <utility>

#include <fmt/format.h>

#include "engine/key_check.h"
#include "expression/legacy.h"
#include "item/value.h"

namespace monotable::operations {
namespace {

// An item collection of a table with local indexes holds at most 10 GB.
constexpr int64_t kMaxCollectionBytes = 10LL * 1024 * 1024 * 1024;

Status CheckCollectionSize(engine::Engine& engine, const engine::ItemWrite& write) {
  if (!write.table->HasLocalIndex() || write.action == engine::WriteAction::kDelete) return {};
  if (engine.Counter(engine::CollectionKey(*write.table, write.key)) < kMaxCollectionBytes) {
    return {};
  }
  return Error(ErrorCode::kItemCollectionSizeLimitExceeded,
               "Collection size exceeded. The total size of an item collection cannot be larger "
               "than 10 GB");
}

Status CheckConditionPaths(const engine::ItemWrite& write) {
  return write.condition ? engine::CheckKeyPaths(*write.table, write.condition->NestedNames())
                         : Status();
}

// An update may not name an attribute of the table's key.
Status CheckUpdateLeavesKey(const engine::ItemWrite& write) {
  if (!write.update) return {};
  for (const std::string_view name : write.update->TopLevelNames()) {
    if (write.table->key.Has(name)) {
      return Error::Validation(fmt::format(
          "One or more parameter values were invalid: Cannot update attribute {}. This attribute "
          "is part of the key",
          name));
    }
  }
  return {};
}

}  // namespace

WriteExpressions ExpressionsOf(SingleWriteRequest& request) {
  WriteExpressions expressions;
  expressions.condition_expression = std::move(request.condition_expression);
  expressions.attributes = std::move(request.attributes);
  expressions.expected = std::move(request.expected);
  expressions.conditional_operator = request.conditional_operator;
  return expressions;
}

Status BindExpressions(WriteExpressions expressions, engine::ItemWrite* write) {
  write->substitutions = expression::Substitutions(std::move(expressions.attributes.names),
                                                   std::move(expressions.attributes.values));
  const expression::ExpressionParameter parameters[] = {
      {"UpdateExpression", expressions.update_expression.has_value(), true},
      {"ConditionExpression", expressions.condition_expression.has_value(), true},
  };
  const std::span<const expression::ExpressionParameter> all(parameters);
  TRY(write->substitutions.Check(expressions.takes_update ? all : all.subspan(1)));
  TRY(expression::CheckConditionalOperator(
      expressions.conditional_operator, expressions.expected ? expressions.expected->size() : 0));
  if (expressions.update_expression) {
    TRY_ASSIGN(write->update,
               expression::ParseUpdate(*expressions.update_expression, write->substitutions));
  } else if (expressions.attribute_updates) {
    TRY_ASSIGN(write->update,
               expression::UpdateFromLegacy(std::move(*expressions.attribute_updates)));
  }
  if (expressions.condition_expression) {
    TRY_ASSIGN(write->condition, expression::ParseCondition(*expressions.condition_expression,
                                                            expression::ConditionKind::kCondition,
                                                            write->substitutions));
  } else if (expressions.expected) {
    TRY_ASSIGN(write->condition,
               expression::ConditionFromExpected(std::move(*expressions.expected),
                                                 expressions.conditional_operator));
  }
  return write->substitutions.CheckAllUsed();
}

Status PreparePut(engine::Engine& engine, const std::string& table_name, const item::Item& item,
                  engine::ItemWrite* write) {
  write->action = engine::WriteAction::kPut;
  write->table_name = table_name;
  TRY_ASSIGN(write->table, engine.FindTable(table_name));
  TRY(CheckConditionPaths(*write));
  TRY(engine::CheckItem(*write->table, item));
  write->key = engine::KeyOf(*write->table, item);
  write->put = encoding::EncodeItem(item);
  return CheckCollectionSize(engine, *write);
}

Status PrepareKeyed(engine::Engine& engine, const std::string& table_name, item::Item key,
                    engine::ItemWrite* write) {
  write->table_name = table_name;
  TRY_ASSIGN(write->table, engine.FindTable(table_name));
  TRY(CheckConditionPaths(*write));
  TRY(engine::CheckKey(*write->table, key));
  write->key = std::move(key);
  TRY(CheckUpdateLeavesKey(*write));
  return CheckCollectionSize(engine, *write);
}

Status CheckItemSize(const item::Item& item) {
  if (item::SizeOf(item) > item::kMaxItemBytes) {
    return Error::Validation("Item size has exceeded the maximum allowed size");
  }
  return {};
}

}  // namespace monotable::operations
