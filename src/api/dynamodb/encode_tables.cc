#include "api/dynamodb/encode.h"
#include "api/dynamodb/encode_table_description.h"
#include "json/json_writer.h"

namespace monotable::api::dynamodb {
namespace {

void EncodeTableAs(std::string_view name, const operations::TableDescription& table,
                   std::string* out) {
  out->reserve(out->size() + 2048);
  json::Writer writer(out);
  writer.BeginObject().Key(name);
  EncodeTableDescription(table, &writer);
  writer.EndObject();
}

// How long a client may believe DescribeEndpoints, as the service answers it: a day.
constexpr int64_t kEndpointCacheMinutes = 1440;

}  // namespace

void EncodeDescribedTable(const operations::TableDescription& table, std::string* out) {
  EncodeTableAs("Table", table, out);
}

void EncodeChangedTable(const operations::TableDescription& table, std::string* out) {
  EncodeTableAs("TableDescription", table, out);
}

void EncodeListTables(const operations::ListTablesResponse& response, std::string* out) {
  json::Writer writer(out);
  writer.BeginObject();
  if (response.last_evaluated_table_name) {
    writer.Key("LastEvaluatedTableName").String(*response.last_evaluated_table_name);
  }
  writer.Key("TableNames").BeginArray();
  for (const auto& name : response.table_names) writer.String(name);
  writer.EndArray().EndObject();
}

void EncodeListTags(const operations::ListTagsOfResourceResponse& response, std::string* out) {
  json::Writer writer(out);
  writer.BeginObject().Key("Tags").BeginArray();
  for (const auto& tag : response.tags) {
    writer.BeginObject().Key("Key").String(tag.key).Key("Value").String(tag.value).EndObject();
  }
  writer.EndArray().EndObject();
}

void EncodeUpdateTimeToLive(const operations::UpdateTimeToLiveResponse& response,
                            std::string* out) {
  json::Writer writer(out);
  writer.BeginObject().Key("TimeToLiveSpecification").BeginObject();
  writer.Key("Enabled").Bool(response.enabled);
  writer.Key("AttributeName").String(response.attribute_name).EndObject().EndObject();
}

void EncodeDescribeTimeToLive(const operations::DescribeTimeToLiveResponse& response,
                              std::string* out) {
  json::Writer writer(out);
  writer.BeginObject().Key("TimeToLiveDescription").BeginObject();
  writer.Key("TimeToLiveStatus").String(response.enabled ? "ENABLED" : "DISABLED");
  if (response.enabled) writer.Key("AttributeName").String(response.attribute_name);
  writer.EndObject().EndObject();
}

void EncodeDescribeLimits(const operations::DescribeLimitsResponse& response, std::string* out) {
  json::Writer writer(out);
  writer.BeginObject();
  writer.Key("AccountMaxReadCapacityUnits").Integer(response.account_max_read_units);
  writer.Key("AccountMaxWriteCapacityUnits").Integer(response.account_max_write_units);
  writer.Key("TableMaxReadCapacityUnits").Integer(response.table_max_read_units);
  writer.Key("TableMaxWriteCapacityUnits").Integer(response.table_max_write_units);
  writer.EndObject();
}

void EncodeDescribeEndpoints(std::string_view address, std::string* out) {
  json::Writer writer(out);
  writer.BeginObject().Key("Endpoints").BeginArray().BeginObject();
  writer.Key("Address").String(address);
  writer.Key("CachePeriodInMinutes").Integer(kEndpointCacheMinutes);
  writer.EndObject().EndArray().EndObject();
}

}  // namespace monotable::api::dynamodb
