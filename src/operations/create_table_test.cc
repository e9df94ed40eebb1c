#include <thread>

#include <gmock/gmock.h>

#include "operations/tables_fixture.h"

namespace monotable::operations {
namespace {

using table::BillingMode;
using table::ProjectionType;
using testing::MatchesRegex;

class CreateTableTest : public TablesFixture {
 protected:
  Result<TableDescription> Try(const CreateTableRequest& request) {
    return CreateTable(engine(), request);
  }

  static CreateTableRequest WithKey(std::vector<table::KeyAttribute> definitions,
                                    std::vector<KeySchemaElement> key) {
    CreateTableRequest request = Table("things");
    request.attribute_definitions = std::move(definitions);
    request.key_schema = std::move(key);
    return request;
  }

  static CreateTableRequest WithGlobal(IndexParameter index,
                                       std::vector<table::KeyAttribute> more = {}) {
    CreateTableRequest request = Table("things");
    for (auto& definition : more) request.attribute_definitions->push_back(std::move(definition));
    request.global_indexes = {std::move(index)};
    return request;
  }

  static CreateTableRequest WithLocal(IndexParameter index,
                                      std::vector<table::KeyAttribute> more = {}) {
    CreateTableRequest request = WithGlobal({}, std::move(more));
    request.global_indexes.reset();
    request.local_indexes = {std::move(index)};
    return request;
  }
};

TEST_F(CreateTableTest, AnswersCreatingAndIsActiveAtOnce) {
  const auto created = Try(Table("things"));
  ASSERT_TRUE(created) << created.error().message();
  EXPECT_EQ(created->status, "CREATING");
  EXPECT_EQ(created->arn, "arn:aws:dynamodb:us-east-1:000000000000:table/things");
  EXPECT_EQ(created->figures.item_count, 0);
  EXPECT_FALSE(created->reduced);
  EXPECT_EQ(created->definition->created_at_ms, clock_.now_ms);
  EXPECT_EQ(created->definition->pay_per_request_since_ms, clock_.now_ms);
  EXPECT_THAT(created->definition->uuid,
              MatchesRegex("[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}"));
  EXPECT_EQ(DescribeTable(engine(), "things")->status, "ACTIVE");
  EXPECT_EQ(DescribeTable(engine(), created->arn)->definition->uuid, created->definition->uuid);
}

TEST_F(CreateTableTest, KeepsWhatTheRequestSays) {
  CreateTableRequest request = ProvisionedTable("things");
  request.attribute_definitions->push_back(N("date"));
  IndexParameter local = Index("by-date", {Hash("PK"), Range("date")});
  local.projection = {ProjectionType::kInclude, {{"amount"}}};
  request.local_indexes = {local};
  IndexParameter global = Index("all-dates", {Hash("date"), Range("PK")});
  global.projection.type = ProjectionType::kKeysOnly;
  global.throughput = {7, 8};
  request.global_indexes = {global};
  request.stream = {true, table::StreamViewType::kNewImage};
  request.sse = {true, "KMS", "my-key"};
  request.table_class = table::TableClass::kStandardInfrequentAccess;
  request.deletion_protection = true;
  request.tags = {{{"team", "trading"}}};

  const auto created = Try(request);
  ASSERT_TRUE(created) << created.error().message();
  EXPECT_EQ(created->definition->indexes[1].status, table::IndexStatus::kCreating);
  EXPECT_FALSE(created->index_figures.at("all-dates").backfilling);

  const engine::TablePtr table = Find("things");
  EXPECT_EQ(table->throughput, (table::Throughput{5, 6}));
  ASSERT_EQ(table->indexes.size(), 2u);
  EXPECT_EQ(table->indexes[0].id, 1);
  EXPECT_EQ(table->indexes[0].kind, table::IndexKind::kLocal);
  EXPECT_EQ(table->indexes[0].key.range, (std::vector{N("date")}));
  EXPECT_EQ(table->indexes[0].projection.non_key_attributes, (std::vector<std::string>{"amount"}));
  EXPECT_EQ(table->indexes[1].id, 2);
  EXPECT_EQ(table->indexes[1].status, table::IndexStatus::kActive);
  EXPECT_EQ(table->indexes[1].throughput, (table::Throughput{7, 8}));
  EXPECT_EQ(table->next_index_id, 3);
  EXPECT_TRUE(table->stream.enabled);
  EXPECT_EQ(table->latest_stream_label, "2025-11-14T10:30:00.123");
  EXPECT_EQ(table->sse.kms_key_arn, "arn:aws:kms:us-east-1:000000000000:key/my-key");
  EXPECT_TRUE(table->deletion_protection);
  EXPECT_EQ(table->tags, (std::vector<table::Tag>{{"team", "trading"}}));
}

TEST_F(CreateTableTest, ANameIsTakenOnce) {
  Create(Table("things"));
  EXPECT_EQ(Refusal(Try(Table("things")), ErrorCode::kResourceInUse),
            "Table already exists: things");
  // What is wrong with the request counts more than that the table exists.
  CreateTableRequest wrong = Table("things");
  wrong.throughput = {1, 1};
  EXPECT_THAT(Invalid(Try(wrong)), testing::StartsWith("Neither ReadCapacityUnits"));
}

TEST_F(CreateTableTest, OfTwoAtATimeOneWins) {
  for (int round = 0; round < 20; ++round) {
    const std::string name = "round-" + std::to_string(round);
    std::string first;
    std::string second;
    const auto create = [&](std::string* answer) {
      *answer = Refusal(Try(Table(name)), ErrorCode::kResourceInUse);
    };
    std::thread other(create, &second);
    create(&first);
    other.join();
    const std::vector<std::string> answers = {first, second};
    EXPECT_THAT(answers,
                testing::UnorderedElementsAre("(accepted)", "Table already exists: " + name));
  }
}

TEST_F(CreateTableTest, NeedsDefinitionsAndKeySchema) {
  CreateTableRequest request = Table("things");
  request.key_schema.reset();
  EXPECT_EQ(Refusal(Try(request)),
            "1 validation error detected: Value null at 'keySchema' failed to satisfy constraint: "
            "Member must not be null");
  request.attribute_definitions.reset();
  EXPECT_EQ(Refusal(Try(request)),
            "2 validation errors detected: Value null at 'attributeDefinitions' failed to satisfy "
            "constraint: Member must not be null; Value null at 'keySchema' failed to satisfy "
            "constraint: Member must not be null");
}

TEST_F(CreateTableTest, ChecksBilling) {
  CreateTableRequest request = ProvisionedTable("things");
  request.throughput.reset();
  const std::string both =
      "ReadCapacityUnits and WriteCapacityUnits must both be specified when BillingMode is "
      "PROVISIONED";
  EXPECT_EQ(Invalid(Try(request)), both);
  request.billing_mode.reset();
  EXPECT_EQ(Invalid(Try(request)), both);
  // Billing comes before keys.
  request.attribute_definitions->clear();
  EXPECT_EQ(Invalid(Try(request)), both);

  request = Table("things");
  request.throughput = {1, 1};
  EXPECT_EQ(Invalid(Try(request)),
            "Neither ReadCapacityUnits nor WriteCapacityUnits can be specified when BillingMode is "
            "PAY_PER_REQUEST");
  request = ProvisionedTable("things");
  request.throughput = {1'000'000'000'001, 1};
  EXPECT_EQ(Refusal(Try(request)),
            "Given value 1000000000001 for ReadCapacityUnits is out of bounds");
  request = Table("things");
  request.on_demand_throughput = {-2, std::nullopt};
  EXPECT_EQ(Invalid(Try(request)),
            "Requested MaxReadRequestUnits for OnDemandThroughput for table is outside of valid "
            "range");
  request = ProvisionedTable("things");
  request.on_demand_throughput = {1, 1};
  EXPECT_EQ(Invalid(Try(request)),
            "MaxReadRequestUnits for OnDemandThroughput cannot be specified when table BillingMode "
            "is PROVISIONED.");
  // Nothing set is nothing asked for.
  request.on_demand_throughput = {std::nullopt, std::nullopt};
  ASSERT_TRUE(Try(request));
  EXPECT_FALSE(Find("things")->on_demand_throughput);
}

TEST_F(CreateTableTest, ChecksWarmThroughput) {
  CreateTableRequest request = Table("things");
  request.warm_throughput = {11999, 4000};
  EXPECT_EQ(Invalid(Try(request)),
            "Requested ReadUnitsPerSecond for WarmThroughput for table is lower than initial "
            "throughput for OnDemand. See: https://docs.aws.amazon.com/amazondynamodb/latest/"
            "developerguide/on-demand-capacity-mode.html#on-demand-capacity-mode-initial");
  request = ProvisionedTable("things");
  request.warm_throughput = {5, 5};
  EXPECT_EQ(Invalid(Try(request)),
            "Requested WriteUnitsPerSecond for WarmThroughput for table is lower than "
            "WriteCapacityUnits of ProvisionedThroughput");
  request.warm_throughput = {std::nullopt, 100};
  const auto created = Try(request);
  ASSERT_TRUE(created) << created.error().message();
  EXPECT_TRUE(created->figures.warming);
  const auto& table = *Find("things");
  EXPECT_EQ(WarmOf(table.billing_mode, table.throughput, table.warm_throughput),
            (table::Throughput{5, 100}));
}

TEST_F(CreateTableTest, ChecksTheKeySchema) {
  EXPECT_EQ(Refusal(Try(WithKey({S("a")}, {Range("a")}))),
            "Invalid KeySchema: The first KeySchemaElement is not a HASH key type");
  EXPECT_EQ(Refusal(Try(WithKey({S("a"), S("b")}, {Hash("a"), Hash("b")}))),
            "Invalid KeySchema: The second KeySchemaElement is not a RANGE key type");
  EXPECT_EQ(Refusal(Try(WithKey({S("a")}, {Hash("a"), Range("a")}))),
            "Both the Hash Key and the Range Key element in the KeySchema have the same name");
  EXPECT_EQ(Refusal(Try(WithKey({S("a"), S("b"), S("c")}, {Hash("a"), Range("b"), Range("c")}))),
            "1 validation error detected: Value '[KeySchemaElement(attributeName=a, keyType=HASH), "
            "KeySchemaElement(attributeName=b, keyType=RANGE), KeySchemaElement(attributeName=c, "
            "keyType=RANGE)]' at 'keySchema' failed to satisfy constraint: Member must have length "
            "less than or equal to 2");
  EXPECT_EQ(Refusal(Try(WithKey({S("a"), N("a")}, {Hash("a")}))),
            "Attribute Name is duplicated: a");
}

TEST_F(CreateTableTest, ChecksDefinitionsAgainstTheKeySchema) {
  EXPECT_EQ(Refusal(Try(WithKey({S("a")}, {Hash("a"), Range("b")}))),
            "Invalid KeySchema: Some index key attribute have no definition");
  EXPECT_EQ(Refusal(Try(WithKey({}, {Hash("a")}))),
            "Invalid KeySchema: Some index key attribute have no definition");
  EXPECT_EQ(Invalid(Try(WithKey({S("b")}, {Hash("a")}))),
            "Some index key attributes are not defined in AttributeDefinitions. Keys: [a], "
            "AttributeDefinitions: [b]");
  EXPECT_EQ(Invalid(Try(WithKey({S("a"), S("c")}, {Hash("a"), Range("b")}))),
            "Some index key attributes are not defined in AttributeDefinitions. Keys: [a, b], "
            "AttributeDefinitions: [a, c]");
  EXPECT_EQ(Invalid(Try(WithKey({S("a"), S("b")}, {Hash("a")}))),
            "Number of attributes in KeySchema does not exactly match number of attributes defined "
            "in AttributeDefinitions");
  EXPECT_EQ(Invalid(Try(WithGlobal(Index("index", {Hash("SK")}), {S("x")}))),
            "Some AttributeDefinitions are not used. AttributeDefinitions: [PK, SK, x], keys used: "
            "[PK, SK]");
  // This counts more than whatever else is wrong with an index.
  EXPECT_THAT(Invalid(Try(WithGlobal(Index("index", {Range("SK")}), {S("x")}))),
              testing::StartsWith("Some AttributeDefinitions are not used."));
  EXPECT_EQ(Invalid(Try(WithGlobal(Index("index", {Hash("x"), Range("PK")})))),
            "Some index key attributes are not defined in AttributeDefinitions. Keys: [x, PK], "
            "AttributeDefinitions: [PK, SK]");
}

TEST_F(CreateTableTest, ChecksLocalIndexes) {
  CreateTableRequest request = Table("things");
  request.local_indexes.emplace();
  EXPECT_EQ(Invalid(Try(request)), "List of LocalSecondaryIndexes is empty");

  request = WithKey({S("PK"), S("x")}, {Hash("PK")});
  request.local_indexes = {{Index("index", {Hash("PK"), Range("x")})}};
  EXPECT_EQ(Invalid(Try(request)),
            "Table KeySchema does not have a range key, which is required when specifying a "
            "LocalSecondaryIndex");
  EXPECT_EQ(Invalid(Try(WithLocal(Index("index", {Hash("PK")})))),
            "Index KeySchema does not have a range key for index: index");
  EXPECT_EQ(Invalid(Try(WithLocal(Index("index", {Hash("SK"), Range("PK")})))),
            "Index KeySchema does not have the same leading hash key as table KeySchema for index: "
            "index. index hash key: SK, table hash key: PK");
  EXPECT_EQ(Invalid(Try(WithLocal(Index("index", {Hash("PK"), Range("x")})))),
            "Some index key attributes are not defined in AttributeDefinitions. Keys: [PK, x], "
            "AttributeDefinitions: [PK, SK]");

  request = WithLocal(Index("index-0", {Hash("PK"), Range("x")}), {S("x")});
  for (int i = 1; i < 5; ++i) {
    request.local_indexes->push_back(Index("index-" + std::to_string(i), {Hash("PK"), Range("x")}));
  }
  CreateTableRequest more = request;
  more.local_indexes->push_back(Index("index-5", {Hash("PK"), Range("x")}));
  EXPECT_EQ(Invalid(Try(more)), "Number of LocalSecondaryIndexes exceeds per-table limit of 5");
  EXPECT_TRUE(Try(request));
}

TEST_F(CreateTableTest, ChecksGlobalIndexes) {
  CreateTableRequest request = Table("things");
  request.global_indexes.emplace();
  EXPECT_EQ(Invalid(Try(request)), "List of GlobalSecondaryIndexes is empty");
  for (int i = 0; i < 20; ++i) {
    request.global_indexes->push_back(Index("index-" + std::to_string(i), {Hash("SK")}));
  }
  CreateTableRequest more = request;
  more.global_indexes->push_back(Index("index-20", {Hash("SK")}));
  EXPECT_EQ(Invalid(Try(more)), "GlobalSecondaryIndex count exceeds the per-table limit of 20");
  EXPECT_TRUE(Try(request));

  // Names are shared between both kinds.
  request = WithLocal(Index("index", {Hash("PK"), Range("x")}), {S("x")});
  request.table_name = "others";
  request.global_indexes = {{Index("index", {Hash("x")})}};
  EXPECT_EQ(Invalid(Try(request)), "Duplicate index name: index");
}

TEST_F(CreateTableTest, ChecksThroughputOfGlobalIndexes) {
  CreateTableRequest request = WithGlobal(Index("index", {Hash("SK")}));
  request.global_indexes->front().throughput = {1, 1};
  EXPECT_EQ(Invalid(Try(request)),
            "ProvisionedThroughput should not be specified for index: index when BillingMode is "
            "PAY_PER_REQUEST");
  request.billing_mode.reset();
  request.throughput = {1, 1};
  request.global_indexes->front().throughput.reset();
  EXPECT_EQ(Invalid(Try(request)), "ProvisionedThroughput is not specified for index: index");
  request.global_indexes->front().throughput = {1, 1'000'000'000'001};
  EXPECT_EQ(Refusal(Try(request)),
            "Given value 1000000000001 for WriteCapacityUnits is out of bounds for index index");
}

TEST_F(CreateTableTest, TakesGlobalIndexesOfSeveralAttributes) {
  IndexParameter index =
      Index("index", {Hash("a"), Range("b"), Range("c"), Range("d"), Range("e"), Range("PK")});
  const std::vector<table::KeyAttribute> more = {S("a"), S("b"), S("c"), S("d"), S("e")};
  EXPECT_EQ(Invalid(Try(WithGlobal(index, more))),
            "The KeySchema exceeds the maximum allowed number of RANGE key attributes");
  for (KeySchemaElement& element : index.key_schema) element.is_range = false;
  EXPECT_EQ(Invalid(Try(WithGlobal(index, more))),
            "The KeySchema exceeds the maximum allowed number of HASH key attributes");
  index.key_schema = {Hash("a"), Range("PK"), Hash("SK")};
  EXPECT_EQ(Invalid(Try(WithGlobal(index, {S("a")}))),
            "All HASH key attributes must precede RANGE key attributes in the KeySchema");
  index.key_schema = {Hash("a"), Hash("a")};
  EXPECT_EQ(Refusal(Try(WithGlobal(index, {S("a")}))),
            "The KeySchema contains multiple key attributes with the same name");
  index.key_schema = {Range("a")};
  EXPECT_EQ(Refusal(Try(WithGlobal(index, {S("a")}))),
            "Invalid KeySchema: The first KeySchemaElement is not a HASH key type");

  index.key_schema = {Hash("a"),  Hash("b"),  Hash("c"),  Hash("d"),
                      Range("e"), Range("f"), Range("g"), Range("h")};
  ASSERT_TRUE(
      Try(WithGlobal(index, {S("a"), S("b"), S("c"), N("d"), S("e"), S("f"), S("g"), S("h")})));
  const table::KeySchema& key = Find("things")->indexes[0].key;
  EXPECT_EQ(key.hash, (std::vector{S("a"), S("b"), S("c"), N("d")}));
  EXPECT_EQ(key.range, (std::vector{S("e"), S("f"), S("g"), S("h")}));
}

TEST_F(CreateTableTest, ChecksProjections) {
  IndexParameter index = Index("index", {Hash("SK")});
  index.projection.type.reset();
  EXPECT_EQ(Invalid(Try(WithGlobal(index))), "Unknown ProjectionType: null");
  index.projection.type = ProjectionType::kInclude;
  EXPECT_EQ(Invalid(Try(WithGlobal(index))),
            "ProjectionType is INCLUDE, but NonKeyAttributes is not specified");
  index.projection = {ProjectionType::kAll, {{"a"}}};
  EXPECT_EQ(Invalid(Try(WithGlobal(index))),
            "ProjectionType is ALL, but NonKeyAttributes is specified");
  index.projection.type = ProjectionType::kKeysOnly;
  EXPECT_EQ(Invalid(Try(WithGlobal(index))),
            "ProjectionType is KEYS_ONLY, but NonKeyAttributes is specified");
  index.projection = {ProjectionType::kInclude, {{"a", "b", "a"}}};
  EXPECT_EQ(Invalid(Try(WithGlobal(index))), "Duplicate element in NonKeyAttributes: a");
}

TEST_F(CreateTableTest, LimitsProjectedAttributesOverAllIndexes) {
  std::vector<std::string> names;
  for (int i = 0; i < 50; ++i) names.push_back("attribute-" + std::to_string(i));
  IndexParameter index = Index("index-1", {Hash("SK")});
  index.projection = {ProjectionType::kInclude, names};
  CreateTableRequest request = WithGlobal(index);
  index.index_name = "index-2";
  request.global_indexes->push_back(index);
  CreateTableRequest more = request;
  more.global_indexes->back().projection.non_key_attributes->push_back("another");
  EXPECT_EQ(Invalid(Try(more)),
            "Total number of NonKeyAttributes of all indexes exceeds the per-table limit of 100");
  EXPECT_TRUE(Try(request));
}

TEST_F(CreateTableTest, ChecksStreamEncryptionAndTags) {
  CreateTableRequest request = Table("things");
  request.stream = {false, table::StreamViewType::kKeysOnly};
  EXPECT_EQ(Invalid(Try(request)),
            "Table is being created with a stream disabled, UpdateViewType should not be "
            "specified");
  request.stream = {true, std::nullopt};
  EXPECT_EQ(Invalid(Try(request)),
            "Table is being created with a stream enabled, UpdateViewType is required");
  request.stream = {false, std::nullopt};

  request.sse = {true, "AES256", std::nullopt};
  EXPECT_EQ(Invalid(Try(request)), "SSEType AES256 is not supported");
  request.sse = {false, std::nullopt, "key"};
  EXPECT_EQ(Invalid(Try(request)), "KMSMasterKeyId can not be specified if Enabled is false");
  request.sse = {false, "KMS", std::nullopt};
  EXPECT_EQ(Invalid(Try(request)), "SSEType can not be specified if Enabled is false");
  request.sse = {true, std::nullopt, "key"};
  EXPECT_EQ(Invalid(Try(request)), "SSEType KMS is required if KMSMasterKeyId is specified");
  request.sse = {std::nullopt, "KMS", std::nullopt};

  request.tags = {{{"a", "1"}, {"a", "2"}}};
  EXPECT_EQ(Refusal(Try(request)),
            "Duplicate Tag Keys provided as input: Duplicate Tag Key found a");
  request.tags.emplace();
  for (int i = 0; i < 51; ++i) request.tags->push_back({std::to_string(i), ""});
  EXPECT_EQ(Refusal(Try(request)),
            "Number of Tags exceed the current limit for the provided ResourceArn");
  request.tags->pop_back();
  ASSERT_TRUE(Try(request));
  EXPECT_FALSE(Find("things")->stream.enabled);
  EXPECT_THAT(Find("things")->sse.kms_key_arn,
              testing::StartsWith("arn:aws:kms:us-east-1:000000000000:key/"));
}

}  // namespace
}  // namespace monotable::operations
