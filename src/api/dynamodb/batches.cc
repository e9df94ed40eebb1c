#include "operations/batches.h"

#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "api/dynamodb/codecs.h"
#include "api/dynamodb/item_parameters.h"
#include "api/dynamodb/operation.h"
#include "api/dynamodb/shapes.h"

namespace monotable::api::dynamodb {
namespace shapes {
namespace {

constexpr Shape kKeyList = {
    .kind = Kind::kList, .constrained = true, .min = 1, .max = 100, .element = &kValueMap};
constexpr Member kKeysAndAttributesMembers[] = {
    {"Keys", &kKeyList, true, Report::kNewer},
    {"AttributesToGet", &kAttributeNames},
    {"ConsistentRead", &kFlag},
    {"ProjectionExpression", &kText},
    {"ExpressionAttributeNames", &kNames},
};
constexpr Shape kKeysAndAttributes = Structure("KeysAndAttributes", kKeysAndAttributesMembers);
constexpr Shape kBatchGetMap = {.kind = Kind::kMap,
                                .constrained = true,
                                .max = 100,
                                .element = &kKeysAndAttributes,
                                .key = &kItemTableName};
constexpr Member kBatchGetItemMembers[] = {
    {"RequestItems", &kBatchGetMap, true, Report::kClassic,
     "The requestItems parameter is required for BatchGetItem"},
    {"ReturnConsumedCapacity", &kConsumedCapacity},
};
constexpr Shape kBatchGetItem = Structure("BatchGetItemInput", kBatchGetItemMembers);

constexpr Member kPutRequestMembers[] = {{"Item", &kValueMap, true}};
constexpr Shape kPutRequest = Structure("PutRequest", kPutRequestMembers);
constexpr Member kDeleteRequestMembers[] = {{"Key", &kValueMap, true}};
constexpr Shape kDeleteRequest = Structure("DeleteRequest", kDeleteRequestMembers);
constexpr Member kWriteRequestMembers[] = {
    {"PutRequest", &kPutRequest},
    {"DeleteRequest", &kDeleteRequest},
};
constexpr Shape kWriteRequest = Structure("WriteRequest", kWriteRequestMembers);
constexpr Shape kWriteRequests = ListOf(&kWriteRequest, 1, 25);
constexpr Shape kBatchWriteMap = {.kind = Kind::kMap,
                                  .constrained = true,
                                  .min = 1,
                                  .max = 25,
                                  .element = &kWriteRequests,
                                  .key = &kItemTableName};
constexpr Member kBatchWriteItemMembers[] = {
    {"RequestItems", &kBatchWriteMap, true},
    {"ReturnConsumedCapacity", &kConsumedCapacity},
    {"ReturnItemCollectionMetrics", &kCollectionMetrics},
};
constexpr Shape kBatchWriteItem = Structure("BatchWriteItemInput", kBatchWriteItemMembers);

}  // namespace
}  // namespace shapes

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
      TRY_ASSIGN(auto decoded, wire::DecodeItem(json::ObjectOf(key)));
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

namespace {

// As in the request, so that the client can send it again.
void EncodeKeysAndAttributes(const operations::KeysAndAttributes& table, json::Writer* writer) {
  writer->BeginObject().Key("Keys").BeginArray();
  for (const auto& key : table.keys) wire::EncodeItem(key, writer);
  writer->EndArray();
  if (table.consistent_read) writer->Key("ConsistentRead").Bool(true);
  if (table.projection_expression) {
    writer->Key("ProjectionExpression").String(*table.projection_expression);
  }
  if (table.attributes_to_get) {
    writer->Key("AttributesToGet").BeginArray();
    for (const auto& name : *table.attributes_to_get) writer->String(name);
    writer->EndArray();
  }
  if (table.attributes.names) {
    writer->Key("ExpressionAttributeNames").BeginObject();
    for (const auto& [token, name] : *table.attributes.names) writer->Key(token).String(name);
    writer->EndObject();
  }
  writer->EndObject();
}

}  // namespace

void EncodeBatchGetItem(const operations::BatchGetItemResponse& response, std::string* out) {
  json::Writer writer(out);
  writer.BeginObject().Key("Responses").BeginObject();
  for (const auto& [table, items] : response.responses) {
    out->reserve(out->size() + ExpectedSizeOfAll(items) + 256);
    writer.Key(table);
    EncodeItems(items, &writer);
  }
  writer.EndObject().Key("UnprocessedKeys").BeginObject();
  for (const auto& [table, keys] : response.unprocessed) {
    writer.Key(table);
    EncodeKeysAndAttributes(keys, &writer);
  }
  writer.EndObject();
  EncodeConsumedCapacity(response.consumed_capacity, &writer);
  writer.EndObject();
}

void EncodeBatchWriteItem(const operations::BatchWriteItemResponse& response, std::string* out) {
  json::Writer writer(out);
  writer.BeginObject().Key("UnprocessedItems").BeginObject().EndObject();
  EncodeItemCollectionMetrics(response.item_collection_metrics, &writer);
  EncodeConsumedCapacity(response.consumed_capacity, &writer);
  writer.EndObject();
}

std::span<const Operation> BatchOperations() {
  static constexpr Operation kOperations[] = {
      {"BatchGetItem", shapes::kBatchGetItem, Place::kInline,
       Returning<DecodeBatchGetItem, operations::BatchGetItem, EncodeBatchGetItem>},
      {"BatchWriteItem", shapes::kBatchWriteItem, Place::kInline,
       CallingBack<DecodeBatchWriteItem, operations::BatchWriteItem, EncodeBatchWriteItem>},
  };
  return kOperations;
}

}  // namespace monotable::api::dynamodb
