#include <utility>

#include "api/dynamodb/decode.h"
#include "api/dynamodb/decode_parameters.h"

namespace monotable::api::dynamodb {
namespace {

constexpr size_t kMaxBatchGets = 100;
constexpr size_t kMaxBatchWrites = 25;

// Tables in the order of the request; of two with the same name the later wins, as in every map.
template <typename Entry>
void SetTable(std::string_view name, Entry entry,
              std::vector<std::pair<std::string, Entry>>* tables) {
  for (auto& [known, known_entry] : *tables) {
    if (known != name) continue;
    known_entry = std::move(entry);
    return;
  }
  tables->emplace_back(std::string(name), std::move(entry));
}

Result<operations::KeysAndAttributes> DecodeKeysAndAttributes(const Fields& fields) {
  TRY(CheckNotMixed(fields, {"AttributesToGet"}, {"ProjectionExpression"}));
  operations::KeysAndAttributes table;
  if (const auto keys = fields.Find("Keys")) {
    for (const auto& key : json::ArrayOf(*keys)) {
      TRY_ASSIGN(auto decoded, DecodeItem(json::ObjectOf(key)));
      table.keys.push_back(std::move(decoded));
    }
  }
  table.consistent_read = fields.Flag("ConsistentRead");
  table.projection_expression = fields.OptionalText("ProjectionExpression");
  table.attributes_to_get = fields.OptionalTexts("AttributesToGet");
  table.attributes = DecodeExpressionNames(fields);
  return table;
}

Result<operations::WriteRequest> DecodeWriteRequest(const Fields& fields) {
  const auto put = fields.Find("PutRequest");
  const auto remove = fields.Find("DeleteRequest");
  // The service treats a write request like an attribute value: a union of which one is set.
  if (put && remove) {
    return Error::Validation(
        "Supplied AttributeValue has more than one datatypes set, must contain exactly one of the "
        "supported datatypes");
  }
  if (!put && !remove) {
    return Error::Validation(
        "Supplied AttributeValue is empty, must contain exactly one of the supported datatypes");
  }
  operations::WriteRequest request;
  request.is_delete = remove.has_value();
  const Fields members(put ? *put : *remove);
  TRY_ASSIGN(request.item, DecodeItemMember(members, put ? "Item" : "Key"));
  return request;
}

}  // namespace

Result<operations::BatchGetItemRequest> DecodeBatchGetItem(const json::Object& body) {
  const Fields fields(body);
  operations::BatchGetItemRequest request;
  const json::Object items = json::ObjectOf(*fields.Find("RequestItems"));
  if (items.size() == 0) {
    return Error::Validation("The requestItems parameter is required for BatchGetItem");
  }
  size_t count = 0;
  for (const auto& [name, element] : items) {
    TRY_ASSIGN(auto table, DecodeKeysAndAttributes(Fields(element)));
    count += table.keys.size();
    SetTable(name, std::move(table), &request.tables);
  }
  if (count > kMaxBatchGets) {
    return Error::Validation("Too many items requested for the BatchGetItem call");
  }
  request.return_consumed_capacity = DecodeReturnConsumedCapacity(fields);
  return request;
}

Result<operations::BatchWriteItemRequest> DecodeBatchWriteItem(const json::Object& body) {
  const Fields fields(body);
  operations::BatchWriteItemRequest request;
  size_t count = 0;
  for (const auto& [name, element] : json::ObjectOf(*fields.Find("RequestItems"))) {
    std::vector<operations::WriteRequest> writes;
    for (const auto& member : json::ArrayOf(element)) {
      if (++count > kMaxBatchWrites) {
        return Error::Validation("Too many items requested for the BatchWriteItem call");
      }
      TRY_ASSIGN(auto write, DecodeWriteRequest(Fields(member)));
      writes.push_back(std::move(write));
    }
    SetTable(name, std::move(writes), &request.tables);
  }
  request.return_consumed_capacity = DecodeReturnConsumedCapacity(fields);
  request.return_item_collection_metrics = DecodeReturnItemCollectionMetrics(fields);
  return request;
}

}  // namespace monotable::api::dynamodb
