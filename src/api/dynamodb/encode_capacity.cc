#include "api/dynamodb/encode_capacity.h"

#include <map>
#include <string>
#include <string_view>

#include "api/dynamodb/attribute_value.h"

namespace monotable::api::dynamodb {
namespace {

void EncodeUnits(const operations::CapacityUnits& units, bool split, json::Writer* writer) {
  writer->Key("CapacityUnits").Double(units.total);
  if (!split) return;
  if (units.read > 0) writer->Key("ReadCapacityUnits").Double(units.read);
  if (units.write > 0) writer->Key("WriteCapacityUnits").Double(units.write);
}

void EncodeIndexes(std::string_view name,
                   const std::map<std::string, operations::CapacityUnits>& indexes, bool split,
                   json::Writer* writer) {
  if (indexes.empty()) return;
  writer->Key(name).BeginObject();
  for (const auto& [index, units] : indexes) {
    writer->Key(index).BeginObject();
    EncodeUnits(units, split, writer);
    writer->EndObject();
  }
  writer->EndObject();
}

void EncodeEntry(const operations::ConsumedCapacity& consumed, json::Writer* writer) {
  const bool split = consumed.print_split;
  writer->BeginObject().Key("TableName").String(consumed.table_name);
  EncodeUnits(consumed.total, split, writer);
  if (consumed.detail == operations::ReturnConsumedCapacity::kIndexes) {
    writer->Key("Table").BeginObject();
    EncodeUnits(consumed.table, split, writer);
    writer->EndObject();
    EncodeIndexes("LocalSecondaryIndexes", consumed.local_indexes, split, writer);
    EncodeIndexes("GlobalSecondaryIndexes", consumed.global_indexes, split, writer);
  }
  writer->EndObject();
}

void EncodeMetrics(const operations::ItemCollectionMetrics& metrics, json::Writer* writer) {
  item::Item key;
  key.Set(metrics.hash_name, metrics.hash_value);
  writer->BeginObject().Key("ItemCollectionKey");
  EncodeItem(key, writer);
  writer->Key("SizeEstimateRangeGB").BeginArray();
  writer->Double(metrics.size_gb_lower).Double(metrics.size_gb_upper).EndArray().EndObject();
}

}  // namespace

void EncodeConsumedCapacity(const std::optional<operations::ConsumedCapacity>& consumed,
                            json::Writer* writer) {
  if (!consumed) return;
  writer->Key("ConsumedCapacity");
  EncodeEntry(*consumed, writer);
}

void EncodeConsumedCapacity(const std::vector<operations::ConsumedCapacity>& consumed,
                            json::Writer* writer) {
  if (consumed.empty()) return;
  writer->Key("ConsumedCapacity").BeginArray();
  for (const auto& entry : consumed) EncodeEntry(entry, writer);
  writer->EndArray();
}

void EncodeItemCollectionMetrics(const std::optional<operations::ItemCollectionMetrics>& metrics,
                                 json::Writer* writer) {
  if (!metrics) return;
  writer->Key("ItemCollectionMetrics");
  EncodeMetrics(*metrics, writer);
}

void EncodeItemCollectionMetrics(const std::vector<operations::ItemCollectionMetrics>& metrics,
                                 json::Writer* writer) {
  if (metrics.empty()) return;
  std::map<std::string_view, std::vector<const operations::ItemCollectionMetrics*>> by_table;
  for (const auto& entry : metrics) by_table[entry.table_name].push_back(&entry);
  writer->Key("ItemCollectionMetrics").BeginObject();
  for (const auto& [table, entries] : by_table) {
    writer->Key(table).BeginArray();
    for (const auto* entry : entries) EncodeMetrics(*entry, writer);
    writer->EndArray();
  }
  writer->EndObject();
}

}  // namespace monotable::api::dynamodb
