#include <gtest/gtest.h>

#include "api/dynamodb/codecs.h"
#include "api/dynamodb/codecs_for_tests.h"

namespace monotable::api::dynamodb {
namespace {

encoding::EncodedItem ItemOf(std::string_view name, std::string_view text) {
  item::Item item;
  item.Set(name, item::Value(text));
  return encoding::EncodeItem(item);
}

operations::ConsumedCapacity Consumed(operations::ReturnConsumedCapacity detail) {
  operations::ConsumedCapacity consumed;
  consumed.table_name = "t";
  consumed.total = {.total = 2.5, .read = 0, .write = 2.5};
  consumed.table = {.total = 1, .read = 0, .write = 1};
  consumed.local_indexes["l"] = {.total = 0.5, .read = 0, .write = 0.5};
  consumed.global_indexes["g"] = {.total = 1, .read = 0, .write = 1};
  consumed.detail = detail;
  return consumed;
}

TEST(EncodeTest, GetItem) {
  EXPECT_EQ(Encoded<EncodeGetItem>(operations::GetItemResponse()), "{}");
  operations::GetItemResponse response;
  response.item = ItemOf("descrição", "São \"Paulo\"\n");
  response.consumed_capacity = Consumed(operations::ReturnConsumedCapacity::kTotal);
  EXPECT_EQ(Encoded<EncodeGetItem>(response),
            R"({"Item":{"descrição":{"S":"São \"Paulo\"\n"}},)"
            R"("ConsumedCapacity":{"TableName":"t","CapacityUnits":2.5}})");
}

TEST(EncodeTest, WriteItem) {
  EXPECT_EQ(Encoded<EncodeWriteItem>(operations::WriteItemResponse()), "{}");
  operations::WriteItemResponse response;
  response.attributes = ItemOf("a", "x");
  response.consumed_capacity = Consumed(operations::ReturnConsumedCapacity::kIndexes);
  response.item_collection_metrics = operations::ItemCollectionMetrics{
      .table_name = "t", .hash_name = "pk", .hash_value = item::Value("h")};
  EXPECT_EQ(
      Encoded<EncodeWriteItem>(response),
      R"({"Attributes":{"a":{"S":"x"}},"ConsumedCapacity":{"TableName":"t","CapacityUnits":2.5,)"
      R"("Table":{"CapacityUnits":1.0},"LocalSecondaryIndexes":{"l":{"CapacityUnits":0.5}},)"
      R"("GlobalSecondaryIndexes":{"g":{"CapacityUnits":1.0}}},"ItemCollectionMetrics":)"
      R"({"ItemCollectionKey":{"pk":{"S":"h"}},"SizeEstimateRangeGB":[0.0,1.0]}})");
}

TEST(EncodeTest, Page) {
  operations::PageResponse response;
  EXPECT_EQ(Encoded<EncodePage>(response), R"({"Items":[],"Count":0,"ScannedCount":0})");
  response.items = {ItemOf("a", "1"), ItemOf("a", "2")};
  response.count = 2;
  response.scanned_count = 5;
  response.last_evaluated_key = ItemOf("pk", "k");
  EXPECT_EQ(Encoded<EncodePage>(response),
            R"({"Items":[{"a":{"S":"1"}},{"a":{"S":"2"}}],"Count":2,"ScannedCount":5,)"
            R"("LastEvaluatedKey":{"pk":{"S":"k"}}})");
  response.with_items = false;
  response.last_evaluated_key.reset();
  EXPECT_EQ(Encoded<EncodePage>(response), R"({"Count":2,"ScannedCount":5})");
}

TEST(EncodeTest, BatchGetItem) {
  operations::BatchGetItemResponse response;
  response.responses.emplace_back("t", std::vector<encoding::EncodedItem>{ItemOf("a", "1")});
  EXPECT_EQ(Encoded<EncodeBatchGetItem>(response),
            R"({"Responses":{"t":[{"a":{"S":"1"}}]},"UnprocessedKeys":{}})");
  operations::KeysAndAttributes rest;
  rest.keys.emplace_back();
  rest.keys[0].Set("pk", item::Value("x"));
  rest.consistent_read = true;
  rest.projection_expression = "#a";
  rest.attributes.names.emplace()["#a"] = "a";
  response.unprocessed.emplace_back("u", rest);
  response.consumed_capacity.push_back(Consumed(operations::ReturnConsumedCapacity::kTotal));
  EXPECT_EQ(Encoded<EncodeBatchGetItem>(response),
            R"({"Responses":{"t":[{"a":{"S":"1"}}]},"UnprocessedKeys":{"u":{"Keys":)"
            R"([{"pk":{"S":"x"}}],"ConsistentRead":true,"ProjectionExpression":"#a",)"
            R"("ExpressionAttributeNames":{"#a":"a"}}},)"
            R"("ConsumedCapacity":[{"TableName":"t","CapacityUnits":2.5}]})");
}

TEST(EncodeTest, BatchWriteItem) {
  operations::BatchWriteItemResponse response;
  EXPECT_EQ(Encoded<EncodeBatchWriteItem>(response), R"({"UnprocessedItems":{}})");
  for (const auto* table : {"t", "u", "t"}) {
    response.item_collection_metrics.push_back(
        {.table_name = table, .hash_name = "pk", .hash_value = item::Value("h")});
  }
  constexpr std::string_view kEntry =
      R"({"ItemCollectionKey":{"pk":{"S":"h"}},"SizeEstimateRangeGB":[0.0,1.0]})";
  EXPECT_EQ(Encoded<EncodeBatchWriteItem>(response),
            std::string(R"({"UnprocessedItems":{},"ItemCollectionMetrics":{"t":[)")
                .append(kEntry)
                .append(",")
                .append(kEntry)
                .append(R"(],"u":[)")
                .append(kEntry)
                .append("]}}"));
}

TEST(EncodeTest, Transactions) {
  operations::TransactGetItemsResponse gets;
  gets.items = {ItemOf("a", "1"), std::nullopt};
  EXPECT_EQ(Encoded<EncodeTransactGetItems>(gets),
            R"({"Responses":[{"Item":{"a":{"S":"1"}}},{}]})");
  operations::TransactWriteItemsResponse writes;
  EXPECT_EQ(Encoded<EncodeTransactWriteItems>(writes), "{}");
  writes.consumed_capacity.push_back(Consumed(operations::ReturnConsumedCapacity::kTotal));
  writes.consumed_capacity[0].print_split = true;
  EXPECT_EQ(Encoded<EncodeTransactWriteItems>(writes),
            R"({"ConsumedCapacity":[{"TableName":"t","CapacityUnits":2.5,)"
            R"("WriteCapacityUnits":2.5}]})");
}

TEST(EncodeTest, TheSmallResponses) {
  EXPECT_EQ(Encoded<EncodeListTables>(operations::ListTablesResponse{}), R"({"TableNames":[]})");
  EXPECT_EQ(Encoded<EncodeListTables>(operations::ListTablesResponse{{"a", "b"}, "b"}),
            R"({"LastEvaluatedTableName":"b","TableNames":["a","b"]})");
  EXPECT_EQ(Encoded<EncodeListTags>(operations::ListTagsOfResourceResponse{{{"k", "v"}}}),
            R"({"Tags":[{"Key":"k","Value":"v"}]})");
  EXPECT_EQ(Encoded<EncodeUpdateTimeToLive>(operations::UpdateTimeToLiveResponse{true, "ttl"}),
            R"({"TimeToLiveSpecification":{"Enabled":true,"AttributeName":"ttl"}})");
  EXPECT_EQ(Encoded<EncodeDescribeTimeToLive>(operations::DescribeTimeToLiveResponse{true, "ttl"}),
            R"({"TimeToLiveDescription":{"TimeToLiveStatus":"ENABLED","AttributeName":"ttl"}})");
  EXPECT_EQ(Encoded<EncodeDescribeTimeToLive>(operations::DescribeTimeToLiveResponse()),
            R"({"TimeToLiveDescription":{"TimeToLiveStatus":"DISABLED"}})");
  EXPECT_EQ(Encoded<EncodeDescribeLimits>(operations::DescribeLimitsResponse()),
            R"({"AccountMaxReadCapacityUnits":80000,"AccountMaxWriteCapacityUnits":80000,)"
            R"("TableMaxReadCapacityUnits":40000,"TableMaxWriteCapacityUnits":40000})");
  EXPECT_EQ(Encoded<EncodeDescribeEndpoints>(std::string_view("localhost:8000")),
            R"({"Endpoints":[{"Address":"localhost:8000","CachePeriodInMinutes":1440}]})");
}

operations::TableDescription Table() {
  table::TableDefinition definition;
  definition.name = "t";
  definition.uuid = "id";
  definition.created_at_ms = 1763116200025;
  definition.attributes = {{"pk", item::Type::kString}};
  definition.key.hash = definition.attributes;
  definition.throughput = {5, 6};
  operations::TableDescription table;
  table.definition = std::make_shared<const table::TableDefinition>(definition);
  table.status = "ACTIVE";
  table.arn = "arn:t";
  table.figures = {.item_count = 3, .size_bytes = 42};
  return table;
}

template <typename Change>
operations::TableDescription Changed(operations::TableDescription table, Change change) {
  table::TableDefinition definition = *table.definition;
  change(&definition);
  table.definition = std::make_shared<const table::TableDefinition>(definition);
  return table;
}

TEST(EncodeTest, ProvisionedTable) {
  EXPECT_EQ(
      Encoded<EncodeDescribedTable>(Table()),
      R"({"Table":{"AttributeDefinitions":[{"AttributeName":"pk","AttributeType":"S"}],)"
      R"("KeySchema":[{"AttributeName":"pk","KeyType":"HASH"}],"CreationDateTime":1763116200.025,)"
      R"("TableName":"t","TableStatus":"ACTIVE","ProvisionedThroughput":)"
      R"({"NumberOfDecreasesToday":0,"ReadCapacityUnits":5,"WriteCapacityUnits":6},)"
      R"("TableSizeBytes":42,"ItemCount":3,"TableArn":"arn:t","TableId":"id","WarmThroughput":)"
      R"({"ReadUnitsPerSecond":5,"WriteUnitsPerSecond":6,"Status":"ACTIVE"},)"
      R"("DeletionProtectionEnabled":false}})");
}

TEST(EncodeTest, OnDemandTableIsCreatedAndThenDescribed) {
  auto table = Changed(Table(), [](table::TableDefinition* definition) {
    definition->billing_mode = table::BillingMode::kPayPerRequest;
    definition->pay_per_request_since_ms = 1763116200000;
    definition->throughput = {};
    definition->stream = {true, table::StreamViewType::kNewAndOldImages, 1};
    definition->latest_stream_label = "2025-11-14T00:00:00.000";
    definition->sse = {true, "arn:key"};
    definition->table_class = table::TableClass::kStandardInfrequentAccess;
    definition->deletion_protection = true;
  });
  const std::string described = Encoded<EncodeDescribedTable>(table);
  for (const std::string_view part :
       {R"("BillingModeSummary":{"BillingMode":"PAY_PER_REQUEST",)"
        R"("LastUpdateToPayPerRequestDateTime":1763116200.000})",
        R"("ProvisionedThroughput":{"NumberOfDecreasesToday":0,"ReadCapacityUnits":0,)"
        R"("WriteCapacityUnits":0})",
        R"("WarmThroughput":{"ReadUnitsPerSecond":12000,"WriteUnitsPerSecond":4000,)"
        R"("Status":"ACTIVE"})",
        R"("StreamSpecification":{"StreamEnabled":true,"StreamViewType":"NEW_AND_OLD_IMAGES"},)"
        R"("LatestStreamLabel":"2025-11-14T00:00:00.000",)"
        R"("LatestStreamArn":"arn:t/stream/2025-11-14T00:00:00.000")",
        R"("SSEDescription":{"Status":"ENABLED","SSEType":"KMS","KMSMasterKeyArn":"arn:key"})",
        R"("TableClassSummary":{"TableClass":"STANDARD_INFREQUENT_ACCESS"})",
        R"("DeletionProtectionEnabled":true)"}) {
    EXPECT_NE(described.find(part), std::string::npos) << part << "\nin " << described;
  }
  table.status = "CREATING";
  const std::string created = Encoded<EncodeChangedTable>(table);
  EXPECT_TRUE(created.starts_with(R"({"TableDescription":{)"));
  EXPECT_NE(created.find(R"("BillingModeSummary":{"BillingMode":"PAY_PER_REQUEST"})"),
            std::string::npos);
  EXPECT_EQ(created.find("WarmThroughput"), std::string::npos);
}

TEST(EncodeTest, Indexes) {
  auto table = Changed(Table(), [](table::TableDefinition* definition) {
    table::IndexDefinition local;
    local.name = "l";
    local.kind = table::IndexKind::kLocal;
    local.key = {{{"pk", item::Type::kString}}, {{"n", item::Type::kNumber}}};
    local.projection = {table::ProjectionType::kInclude, {"x", "y"}};
    table::IndexDefinition global;
    global.name = "g";
    global.key = {{{"n", item::Type::kNumber}}, {}};
    global.status = table::IndexStatus::kCreating;
    global.throughput = {1, 2};
    definition->indexes = {local, global};
  });
  table.index_figures["l"] = {.item_count = 7, .size_bytes = 70};
  table.index_figures["g"] = {.backfilling = true};
  const std::string text = Encoded<EncodeDescribedTable>(table);
  EXPECT_NE(
      text.find(R"("LocalSecondaryIndexes":[{"IndexName":"l","KeySchema":[{"AttributeName":"pk",)"
                R"("KeyType":"HASH"},{"AttributeName":"n","KeyType":"RANGE"}],"Projection":)"
                R"({"ProjectionType":"INCLUDE","NonKeyAttributes":["x","y"]},"IndexSizeBytes":70,)"
                R"("ItemCount":7,"IndexArn":"arn:t/index/l"}])"),
      std::string::npos)
      << text;
  EXPECT_NE(
      text.find(
          R"("GlobalSecondaryIndexes":[{"IndexName":"g","KeySchema":[{"AttributeName":"n",)"
          R"("KeyType":"HASH"}],"Projection":{"ProjectionType":"ALL"},"IndexStatus":"CREATING",)"
          R"("Backfilling":true,"ProvisionedThroughput":{"NumberOfDecreasesToday":0,)"
          R"("ReadCapacityUnits":1,"WriteCapacityUnits":2})"),
      std::string::npos)
      << text;
}

// The answer to UpdateTable, while the change is under way.
TEST(EncodeTest, ChangesUnderWay) {
  auto table = Changed(Table(), [](table::TableDefinition* definition) {
    definition->pay_per_request_since_ms = 1763116200000;
    definition->attributes = {{"z", item::Type::kString}, {"a", item::Type::kNumber}};
    definition->on_demand_throughput = {std::nullopt, -1};
    definition->warm_throughput = {100, std::nullopt};
    table::IndexDefinition index;
    index.name = "g";
    index.status = table::IndexStatus::kCreating;
    index.projection = {table::ProjectionType::kInclude, {"y", "x"}};
    definition->indexes = {index};
  });
  table.sse_updating = true;
  table.figures.warming = true;
  table.index_figures["g"].backfilling = false;
  const std::string text = Encoded<EncodeChangedTable>(table);
  for (const std::string_view part :
       {R"("AttributeDefinitions":[{"AttributeName":"a","AttributeType":"N"},)"
        R"({"AttributeName":"z","AttributeType":"S"}])",
        R"("BillingModeSummary":{"BillingMode":"PROVISIONED",)"
        R"("LastUpdateToPayPerRequestDateTime":1763116200.000})",
        R"("OnDemandThroughput":{"MaxWriteRequestUnits":-1})",
        R"("WarmThroughput":{"ReadUnitsPerSecond":100,"WriteUnitsPerSecond":6,)"
        R"("Status":"UPDATING"})",
        R"("SSEDescription":{"Status":"UPDATING"})", R"("NonKeyAttributes":["x","y"])",
        R"("IndexStatus":"CREATING","Backfilling":false)"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << "\nin " << text;
  }
}

TEST(EncodeTest, DeletedTableIsReduced) {
  auto table = Table();
  table.status = "DELETING";
  table.reduced = true;
  EXPECT_EQ(Encoded<EncodeChangedTable>(table),
            R"({"TableDescription":{"TableName":"t","TableStatus":"DELETING",)"
            R"("ProvisionedThroughput":{"NumberOfDecreasesToday":0,"ReadCapacityUnits":5,)"
            R"("WriteCapacityUnits":6},"TableSizeBytes":42,"ItemCount":3,"TableArn":"arn:t",)"
            R"("TableId":"id","DeletionProtectionEnabled":false}})");
}

}  // namespace
}  // namespace monotable::api::dynamodb
