#include "api/dynamodb/attribute_value.h"
#include "api/dynamodb/encode.h"
#include "api/dynamodb/encode_capacity.h"

namespace monotable::api::dynamodb {
namespace {

size_t ExpectedSizeOfAll(const std::vector<encoding::EncodedItem>& items) {
  size_t size = 0;
  for (const auto& item : items) size += ExpectedSize(encoding::ItemView(item));
  return size;
}

void EncodeOptionalItem(std::string_view name, const std::optional<encoding::EncodedItem>& item,
                        json::Writer* writer) {
  if (!item) return;
  writer->Key(name);
  EncodeItem(encoding::ItemView(*item), writer);
}

void EncodeItems(const std::vector<encoding::EncodedItem>& items, json::Writer* writer) {
  writer->BeginArray();
  for (const auto& item : items) EncodeItem(encoding::ItemView(item), writer);
  writer->EndArray();
}

// As in the request, so that the client can send it again.
void EncodeKeysAndAttributes(const operations::KeysAndAttributes& table, json::Writer* writer) {
  writer->BeginObject().Key("Keys").BeginArray();
  for (const auto& key : table.keys) EncodeItem(key, writer);
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

void EncodeGetItem(const operations::GetItemResponse& response, std::string* out) {
  json::Writer writer(out);
  writer.BeginObject();
  EncodeOptionalItem("Item", response.item, &writer);
  EncodeConsumedCapacity(response.consumed_capacity, &writer);
  writer.EndObject();
}

void EncodeWriteItem(const operations::WriteItemResponse& response, std::string* out) {
  json::Writer writer(out);
  writer.BeginObject();
  EncodeOptionalItem("Attributes", response.attributes, &writer);
  EncodeConsumedCapacity(response.consumed_capacity, &writer);
  EncodeItemCollectionMetrics(response.item_collection_metrics, &writer);
  writer.EndObject();
}

void EncodePage(const operations::PageResponse& response, std::string* out) {
  out->reserve(out->size() + ExpectedSizeOfAll(response.items) + 256);
  json::Writer writer(out);
  writer.BeginObject();
  if (response.with_items) {
    writer.Key("Items");
    EncodeItems(response.items, &writer);
  }
  writer.Key("Count").Integer(response.count);
  writer.Key("ScannedCount").Integer(response.scanned_count);
  EncodeOptionalItem("LastEvaluatedKey", response.last_evaluated_key, &writer);
  EncodeConsumedCapacity(response.consumed_capacity, &writer);
  writer.EndObject();
}

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

void EncodeTransactGetItems(const operations::TransactGetItemsResponse& response,
                            std::string* out) {
  json::Writer writer(out);
  writer.BeginObject();
  EncodeConsumedCapacity(response.consumed_capacity, &writer);
  writer.Key("Responses").BeginArray();
  for (const auto& item : response.items) {
    writer.BeginObject();
    EncodeOptionalItem("Item", item, &writer);
    writer.EndObject();
  }
  writer.EndArray().EndObject();
}

void EncodeTransactWriteItems(const operations::TransactWriteItemsResponse& response,
                              std::string* out) {
  json::Writer writer(out);
  writer.BeginObject();
  EncodeConsumedCapacity(response.consumed_capacity, &writer);
  EncodeItemCollectionMetrics(response.item_collection_metrics, &writer);
  writer.EndObject();
}

}  // namespace monotable::api::dynamodb
