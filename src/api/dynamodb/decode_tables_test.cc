#include "api/dynamodb/codecs.h"
#include "api/dynamodb/codecs_for_tests.h"

namespace monotable::api::dynamodb {
namespace {

TEST(DecodeTablesTest, CreateTable) {
  auto request = Decode<DecodeCreateTable>(
      InputOf("CreateTable"),
      R"({"TableName":"orders","AttributeDefinitions":[{"AttributeName":"pk","AttributeType":"S"},
      {"AttributeName":"n","AttributeType":"N"}],"KeySchema":[{"AttributeName":"pk",
      "KeyType":"HASH"},{"AttributeName":"n","KeyType":"RANGE"}],
      "LocalSecondaryIndexes":[{"IndexName":"lsi","KeySchema":[{"AttributeName":"pk",
      "KeyType":"HASH"}],"Projection":{"ProjectionType":"KEYS_ONLY"}}],
      "GlobalSecondaryIndexes":[{"IndexName":"gsi","KeySchema":[{"AttributeName":"n",
      "KeyType":"HASH"}],"Projection":{"ProjectionType":"INCLUDE","NonKeyAttributes":["a"]},
      "ProvisionedThroughput":{"ReadCapacityUnits":3,"WriteCapacityUnits":4}}],
      "BillingMode":"PROVISIONED","ProvisionedThroughput":{"ReadCapacityUnits":1,
      "WriteCapacityUnits":2},"StreamSpecification":{"StreamEnabled":true,
      "StreamViewType":"NEW_IMAGE"},"SSESpecification":{"Enabled":true,"SSEType":"KMS"},
      "TableClass":"STANDARD","DeletionProtectionEnabled":true,
      "OnDemandThroughput":{"MaxReadRequestUnits":10},"WarmThroughput":{"ReadUnitsPerSecond":11},
      "Tags":[{"Key":"k","Value":""}]})");
  ASSERT_TRUE(request) << request.error().message();
  EXPECT_EQ(request->table_name, "orders");
  EXPECT_EQ(request->attribute_definitions->at(1).type, item::Type::kNumber);
  EXPECT_FALSE(request->key_schema->at(0).is_range);
  EXPECT_TRUE(request->key_schema->at(1).is_range);
  EXPECT_EQ(request->local_indexes->at(0).projection.type, table::ProjectionType::kKeysOnly);
  const auto& global = request->global_indexes->at(0);
  EXPECT_EQ(global.projection.non_key_attributes->at(0), "a");
  EXPECT_EQ(global.throughput->write_units, 4);
  EXPECT_EQ(request->billing_mode, table::BillingMode::kProvisioned);
  EXPECT_EQ(request->throughput->read_units, 1);
  EXPECT_EQ(request->stream->view_type, table::StreamViewType::kNewImage);
  EXPECT_EQ(request->sse->sse_type, "KMS");
  EXPECT_EQ(request->table_class, table::TableClass::kStandard);
  EXPECT_EQ(request->deletion_protection, true);
  EXPECT_EQ(request->on_demand_throughput->max_read_units, 10);
  EXPECT_FALSE(request->on_demand_throughput->max_write_units);
  EXPECT_EQ(request->warm_throughput->read_units_per_second, 11);
  EXPECT_EQ(request->tags->at(0).key, "k");
}

TEST(DecodeTablesTest, WhatCreateTableLacksIsAbsent) {
  auto request = Decode<DecodeCreateTable>(InputOf("CreateTable"), R"({"TableName":"abc"})");
  ASSERT_TRUE(request);
  EXPECT_FALSE(request->attribute_definitions);
  EXPECT_FALSE(request->key_schema);
  EXPECT_FALSE(request->global_indexes);
  EXPECT_FALSE(request->billing_mode);
  EXPECT_FALSE(request->stream);
}

// What is not there is refused, not ignored.
TEST(DecodeTablesTest, UnsupportedMembers) {
  const auto created = Decode<DecodeCreateTable>(InputOf("CreateTable"),
                                                 R"({"TableName":"orders","VectorIndexes":[]})");
  ASSERT_FALSE(created);
  EXPECT_EQ(created.error().message(),
            "One or more parameter values were invalid: VectorIndexes is not supported by this "
            "server");
  EXPECT_FALSE(Decode<DecodeUpdateTable>(
      InputOf("UpdateTable"), R"({"TableName":"orders","MultiRegionConsistency":"STRONG"})"));
}

TEST(DecodeTablesTest, UpdateTable) {
  auto request = Decode<DecodeUpdateTable>(
      InputOf("UpdateTable"),
      R"({"TableName":"abc","GlobalSecondaryIndexUpdates":[{"Create":{"IndexName":"one",
      "KeySchema":[{"AttributeName":"a","KeyType":"HASH"}],"Projection":{"ProjectionType":"ALL"}}},
      {"Update":{"IndexName":"two","ProvisionedThroughput":{"ReadCapacityUnits":5,
      "WriteCapacityUnits":6}}},{"Delete":{"IndexName":"three"}}],"ReplicaUpdates":[{}],
      "BillingMode":"PAY_PER_REQUEST"})");
  ASSERT_TRUE(request) << request.error().message();
  const auto& updates = *request->global_index_updates;
  ASSERT_EQ(updates.size(), 3u);
  EXPECT_EQ(updates[0].create->index_name, "one");
  EXPECT_FALSE(updates[0].update || updates[0].remove);
  EXPECT_EQ(updates[1].update->throughput->read_units, 5);
  EXPECT_EQ(updates[2].remove, "three");
  EXPECT_TRUE(request->has_replica_updates);
  EXPECT_EQ(request->billing_mode, table::BillingMode::kPayPerRequest);
}

TEST(DecodeTablesTest, TheSmallRequests) {
  EXPECT_EQ(*Decode<DecodeTableName>(InputOf("DescribeTable"), R"({"TableName":"abc"})"), "abc");
  auto list = Decode<DecodeListTables>(InputOf("ListTables"),
                                       R"({"ExclusiveStartTableName":"abc","Limit":2})");
  ASSERT_TRUE(list);
  EXPECT_EQ(list->exclusive_start_table_name, "abc");
  EXPECT_EQ(list->limit, 2);
  auto tag = Decode<DecodeTagResource>(
      InputOf("TagResource"), R"({"ResourceArn":"arn","Tags":[{"Key":"ação","Value":"v"}]})");
  ASSERT_TRUE(tag);
  EXPECT_EQ(tag->tags.at(0).key, "ação");
  auto untag = Decode<DecodeUntagResource>(InputOf("UntagResource"),
                                           R"({"ResourceArn":"arn","TagKeys":["a","b"]})");
  ASSERT_TRUE(untag);
  EXPECT_EQ(untag->tag_keys.size(), 2u);
  auto tags = Decode<DecodeListTagsOfResource>(InputOf("ListTagsOfResource"),
                                               R"({"ResourceArn":"arn","NextToken":"t"})");
  ASSERT_TRUE(tags);
  EXPECT_EQ(tags->resource_arn, "arn");
  auto ttl = Decode<DecodeUpdateTimeToLive>(
      InputOf("UpdateTimeToLive"),
      R"({"TableName":"abc","TimeToLiveSpecification":{"Enabled":true,"AttributeName":"ttl"}})");
  ASSERT_TRUE(ttl);
  EXPECT_TRUE(ttl->enabled);
  EXPECT_EQ(ttl->attribute_name, "ttl");
}

}  // namespace
}  // namespace monotable::api::dynamodb
