#include "load/operations.h"

#include <string>
#include <string_view>

#include "load/batch_write.h"
#include "load/sales_operations.h"

namespace monotable::load {

namespace {

constexpr size_t kBatchItems = 25;

// The members that name the table and one item or key.
std::string TableAnd(const Options& options, std::string_view name, std::string_view pattern) {
  std::string out = R"({"TableName":")" + options.table + R"(",")";
  return out.append(name).append(R"(":)").append(pattern);
}

std::string UpdatePattern(const Options& options) {
  return TableAnd(options, "Key", kKeyPattern) +
         R"(,"UpdateExpression":"SET Version = Version + :one, Quantity = Quantity - :one, )"
         R"(UpdatedAt = :now ADD Sold :one",)"
         R"("ConditionExpression":"attribute_exists(PK) AND Version >= :zero",)"
         R"("ExpressionAttributeValues":{":one":{"N":"1"},":zero":{"N":"0"},)"
         R"(":now":{"S":"2026-01-15T10:00:00Z"}}})";
}

Operation Query(const Options& options, std::string_view index, std::string_view attribute,
                std::string_view value) {
  std::string body = R"({"TableName":")" + options.table + '"';
  if (!index.empty()) body.append(R"(,"IndexName":")").append(index).append(1, '"');
  body.append(R"(,"KeyConditionExpression":")").append(attribute).append(R"( = :value",)");
  body.append(R"("ExpressionAttributeValues":{":value":{"S":")").append(value).append(R"("}}})");
  return {.target = "Query", .texts = {ItemText(body)}, .expected_text = R"("Count":20)"};
}

Operation BatchGet(const Options& options) {
  return {.target = "BatchGetItem",
          .opening = R"({"RequestItems":{")" + options.table + R"(":{"Keys":[)",
          .texts = {ItemText(kKeyPattern)},
          .count = kBatchItems,
          .closing = "]}}}",
          .expected_text = R"("PK":)",
          .expected_times = kBatchItems};
}

Operation Transact(const Options& options, size_t count) {
  const std::string put = R"({"Put":)" + TableAnd(options, "Item", kItemPattern) + "}}";
  const std::string update = R"({"Update":)" + UpdatePattern(options) + "}";
  // The workload adds the token that an SDK sends, and the last brace.
  return {.target = "TransactWriteItems",
          .opening = R"({"TransactItems":[)",
          .texts = {ItemText(put), ItemText(update)},
          .count = count,
          .closing = R"(],"ClientRequestToken":")",
          .expected_text = "{}"};
}

}  // namespace

Result<Operation> MakeOperation(const Options& options) {
  const std::string_view name = options.operation;
  const std::string by_key = TableAnd(options, "Key", kKeyPattern) + '}';
  if (name == "get") {
    return Operation{
        .target = "GetItem", .texts = {ItemText(by_key)}, .expected_text = R"("Item":)"};
  }
  if (name == "put") {
    const std::string put = TableAnd(options, "Item", kItemPattern) + '}';
    return Operation{.target = "PutItem", .texts = {ItemText(put)}, .expected_text = "{}"};
  }
  if (name == "update") {
    return Operation{
        .target = "UpdateItem", .texts = {ItemText(UpdatePattern(options))}, .expected_text = "{}"};
  }
  if (name == "delete") {
    return Operation{.target = "DeleteItem",
                     .texts = {ItemText(by_key)},
                     .expected_text = "{}",
                     .in_order = true};
  }
  if (name == "query-table") return Query(options, "", "PK", "SALE#$s8");
  if (name == "query-index") return Query(options, "GSI1", "GSI1PK", "BUYER#$b6");
  if (name == "batch-get") return BatchGet(options);
  if (name == "batch-write") return BatchWrite(options, kItemPattern);
  if (name == "batch-write-expiring") return BatchWrite(options, ExpiringItemPattern());
  if (name == "transact-2") return Transact(options, 2);
  if (name == "transact-10") return Transact(options, 10);
  if (name == "scan") {
    return Operation{.target = "Scan",
                     .opening = R"({"TableName":")" + options.table + R"(","Limit":100)",
                     .count = 0,
                     .closing = "}",
                     .expected_text = R"("ScannedCount":)"};
  }
  if (auto on_sales = MakeSalesOperation(options)) return *std::move(on_sales);
  return Error::Validation("There is no operation '" + options.operation + "'");
}

}  // namespace monotable::load
