#include <functional>

#include <gmock/gmock.h>

#include "encoding/item.h"
#include "encoding/keyspace.h"
#include "operations/update_table_fixture.h"

namespace monotable::operations {
namespace {

using table::BillingMode;
using table::IndexStatus;
using testing::HasSubstr;

class UpdateTableTest : public UpdateTableFixture {
 protected:
  void PutItems(int count) {
    const engine::TablePtr table = Find("things");
    for (int i = 0; i < count; ++i) {
      item::Item item;
      item.Set("PK", item::Value("a"));
      item.Set("SK", item::Value(std::to_string(i)));
      item.Set("x", item::Value("x"));
      const std::string key = encoding::ItemKey(*table, item);
      ASSERT_TRUE(storage::UpdateAndWait(engine().store(), {key},
                                         [&](auto, const auto&, storage::Batch* batch) {
                                           batch->Put(key, encoding::EncodeItem(item).bytes);
                                         }));
    }
  }
};

TEST_F(UpdateTableTest, NeedsSomethingToDo) {
  Create(Table("things"));
  const std::string text =
      "At least one of ProvisionedThroughput, BillingMode, UpdateStreamEnabled, "
      "GlobalSecondaryIndexUpdates, SSESpecification, ReplicaUpdates, MultiAccountReplicaReady, "
      "ReplicaTransitRoleArn, MultiRegionConsistency, DeletionProtectionEnabled, "
      "OnDemandThroughput, WarmThroughput or TableClass is required";
  UpdateTableRequest request = Request();
  EXPECT_EQ(Refusal(Try(request)), text);
  request.attribute_definitions = {{S("x")}};
  request.global_index_updates.emplace();
  EXPECT_EQ(Refusal(Try(request)), text);
  request.warm_throughput = {std::nullopt, std::nullopt};
  request.on_demand_throughput = {std::nullopt, std::nullopt};
  EXPECT_EQ(Refusal(Try(request)), text);
  request.deletion_protection = true;
  EXPECT_EQ(Invalid(Try(request)), "List of GlobalSecondaryIndexUpdates is empty");
  request.has_replica_updates = true;
  EXPECT_THAT(Invalid(Try(request)), HasSubstr("ReplicaUpdates"));
}

TEST_F(UpdateTableTest, NeedsATable) {
  UpdateTableRequest request = Request();
  request.deletion_protection = true;
  EXPECT_EQ(Refusal(Try(request), ErrorCode::kResourceNotFound),
            "Requested resource not found: Table: things not found");
  // What is wrong with the request counts more.
  request.deletion_protection.reset();
  request.billing_mode = BillingMode::kPayPerRequest;
  request.throughput = {1, 1};
  EXPECT_THAT(Invalid(Try(request)), HasSubstr("PAY_PER_REQUEST"));
}

// One change at a time, but for a few that go with the billing mode.
TEST_F(UpdateTableTest, TakesFewChangesTogether) {
  CreateTableRequest table = ProvisionedWithIndexes();
  Create(table);
  const auto sse = [](UpdateTableRequest* r) { r->sse = {true, std::nullopt, std::nullopt}; };
  const auto table_class = [](UpdateTableRequest* r) {
    r->table_class = table::TableClass::kStandardInfrequentAccess;
  };
  const auto protection = [](UpdateTableRequest* r) { r->deletion_protection = true; };
  const auto warm = [](UpdateTableRequest* r) { r->warm_throughput = {100, 100}; };
  const auto limits = [](UpdateTableRequest* r) { r->on_demand_throughput = {100, 100}; };
  const auto stream = [](UpdateTableRequest* r) {
    r->stream = {true, table::StreamViewType::kKeysOnly};
  };
  const auto throughput = [](UpdateTableRequest* r) { r->throughput = {50, 60}; };
  const auto create = [](UpdateTableRequest* r) {
    IndexParameter index = Index("index-C", {Hash("x")});
    index.throughput = {1, 1};
    *r = AddIndex(index, {S("x")});
  };
  const auto remove = [](UpdateTableRequest* r) { *r = RemoveIndex("index-A"); };
  using Set = std::function<void(UpdateTableRequest*)>;
  const auto both = [&](const Set& first, const Set& second) {
    UpdateTableRequest request = Request();
    first(&request);
    second(&request);
    return Invalid(Try(request));
  };
  const std::string alone = " modification must be the only operation in the request";
  EXPECT_EQ(both(sse, protection), "Server-Side Encryption" + alone);
  EXPECT_EQ(both(create, table_class), "TableClass" + alone);
  EXPECT_EQ(both(protection, warm), "DeletionProtection" + alone);
  EXPECT_EQ(both(warm, throughput), "WarmThroughput must be the only operation in the request");
  EXPECT_EQ(both(create, warm),
            "Create global secondary index cannot be specified when updating WarmThroughput");
  EXPECT_EQ(both(limits, stream),
            "OnDemandThroughput can only be combined with BillingMode in an UpdateTable request");
  EXPECT_EQ(both(stream, throughput), "You cannot modify stream status while updating table IOPS");
  EXPECT_EQ(both(remove, throughput),
            "You cannot create or delete index while updating table IOPS");
  EXPECT_EQ(both(create, stream), "You cannot create or delete index while changing stream status");

  UpdateTableRequest request = Request();
  request.billing_mode = BillingMode::kPayPerRequest;
  limits(&request);
  const auto updated = Try(request);
  ASSERT_TRUE(updated) << updated.error().message();
  EXPECT_EQ(Find("things")->on_demand_throughput, (table::OnDemandThroughput{100, 100}));
}

TEST_F(UpdateTableTest, ChangesThroughputAndAnswersTheOldOne) {
  Create(ProvisionedTable("things"));
  UpdateTableRequest request = Request();
  request.throughput = {10, 6};
  const auto updated = Try(request);
  ASSERT_TRUE(updated) << updated.error().message();
  EXPECT_EQ(updated->status, "UPDATING");
  EXPECT_EQ(updated->definition->throughput, (table::Throughput{5, 6}));
  const auto described = DescribeTable(engine(), "things");
  EXPECT_EQ(described->status, "ACTIVE");
  EXPECT_EQ(described->definition->throughput, (table::Throughput{10, 6}));
  EXPECT_EQ(described->definition->throughput_increased_at_ms, clock_.now_ms);
  EXPECT_EQ(described->definition->throughput_decreased_at_ms, 0);
}

TEST_F(UpdateTableTest, CountsDecreasesOfTheDay) {
  Create(ProvisionedTable("things"));
  UpdateTableRequest request = Request();
  request.throughput = {4, 6};
  ASSERT_TRUE(Try(request));
  request.throughput = {3, 7};
  ASSERT_TRUE(Try(request));
  EXPECT_EQ(Find("things")->decreases_today, 2);
  EXPECT_EQ(Find("things")->throughput_increased_at_ms, clock_.now_ms);
  clock_.now_ms += int64_t{24} * 3'600'000;
  request.throughput = {2, 7};
  ASSERT_TRUE(Try(request));
  EXPECT_EQ(Find("things")->decreases_today, 1);
}

TEST_F(UpdateTableTest, RefusesThroughputThatDoesNotChange) {
  Create(ProvisionedWithIndexes());
  UpdateTableRequest request = Request();
  request.throughput = {5, 6};
  EXPECT_EQ(Refusal(Try(request)),
            "The provisioned throughput for the table will not change. The requested value equals "
            "the current value. Current ReadCapacityUnits provisioned for the table: 5. Requested "
            "ReadCapacityUnits: 5. Current WriteCapacityUnits provisioned for the table: 6. "
            "Requested WriteCapacityUnits: 6. Refer to the Amazon DynamoDB Developer Guide for "
            "current limits and how to request higher limits.");
  EXPECT_EQ(Refusal(Try(ChangeIndex("index-A", {7, 8}))),
            "The provisioned throughput for the index index-A will not change. The requested value "
            "equals the current value. Current ReadCapacityUnits provisioned for index index-A: 7. "
            "Requested ReadCapacityUnits: 7. Current WriteCapacityUnits provisioned for index "
            "index-A: 8. Requested WriteCapacityUnits: 8. Refer to the Amazon DynamoDB Developer "
            "Guide for "
            "current limits and how to request higher limits.");
}

TEST_F(UpdateTableTest, ChangesThroughputOfAnIndex) {
  Create(ProvisionedWithIndexes());
  const auto updated = Try(ChangeIndex("index-B", {1, 2}));
  ASSERT_TRUE(updated) << updated.error().message();
  EXPECT_EQ(updated->status, "ACTIVE");
  EXPECT_EQ(updated->definition->indexes[1].status, IndexStatus::kUpdating);
  EXPECT_EQ(Find("things")->indexes[0].throughput, (table::Throughput{7, 8}));
  EXPECT_EQ(Find("things")->indexes[1].throughput, (table::Throughput{1, 2}));
  EXPECT_EQ(Find("things")->indexes[1].status, IndexStatus::kActive);
  EXPECT_EQ(Refusal(Try(ChangeIndex("index-C", {1, 2})), ErrorCode::kResourceNotFound),
            "Requested resource not found: Index index-C for table things");
}

TEST_F(UpdateTableTest, LocalIndexesStay) {
  CreateTableRequest table = Table("things");
  table.attribute_definitions->push_back(S("x"));
  table.local_indexes = {{Index("local", {Hash("PK"), Range("x")})}};
  Create(table);
  EXPECT_EQ(Refusal(Try(RemoveIndex("local"))),
            "Cannot delete an index that is not a GlobalSecondaryIndex: local");
  EXPECT_EQ(Refusal(Try(ChangeIndex("local", {1, 1}))),
            "Cannot update an index that is not a GlobalSecondaryIndex: local");
  EXPECT_EQ(Refusal(Try(AddIndex(Index("local", {Hash("x")}), {S("x")}))),
            "Attempting to create an index which already exists");
}

TEST_F(UpdateTableTest, AddsAnIndexAndFillsIt) {
  Create(Table("things"));
  housekeeping().Stop();
  PutItems(5);
  const auto updated = Try(AddIndex(Index("by-x", {Hash("x")}), {S("x")}));
  ASSERT_TRUE(updated) << updated.error().message();
  EXPECT_EQ(updated->status, "UPDATING");
  EXPECT_EQ(updated->definition->indexes[0].status, IndexStatus::kCreating);
  EXPECT_EQ(updated->index_figures.at("by-x").backfilling, false);

  auto described = DescribeTable(engine(), "things");
  EXPECT_EQ(described->status, "UPDATING");
  EXPECT_EQ(described->definition->indexes[0].status, IndexStatus::kCreating);
  EXPECT_EQ(described->index_figures.at("by-x").backfilling, true);
  EXPECT_EQ(described->definition->attributes, (std::vector{S("PK"), S("SK"), S("x")}));

  housekeeping().Start();
  housekeeping().WaitUntilIdle();
  described = DescribeTable(engine(), "things");
  EXPECT_EQ(described->status, "ACTIVE");
  EXPECT_EQ(described->definition->indexes[0].status, IndexStatus::kActive);
  EXPECT_EQ(described->index_figures.at("by-x").backfilling, std::nullopt);
  EXPECT_EQ(described->index_figures.at("by-x").item_count, 5);
}

// Definitions are a delta: they must cover the new index's keys, even those that the table defines
// already, and change nothing that is defined.
TEST_F(UpdateTableTest, TakesDefinitionsAsADelta) {
  Create(Table("things"));
  EXPECT_EQ(Invalid(Try(AddIndex(Index("by-x", {Hash("x")}), {}))),
            "AttributeDefinitions is not specified for index: by-x");
  EXPECT_EQ(Refusal(Try(AddIndex(Index("by-x", {Hash("x"), Range("SK")}), {S("x")}))),
            "Invalid KeySchema: Some index key attribute have no definition");
  ASSERT_TRUE(Try(AddIndex(Index("by-x", {Hash("x"), Range("SK")}), {N("x"), N("SK"), S("y")})));
  EXPECT_EQ(Find("things")->attributes, (std::vector{S("PK"), S("SK"), N("x")}));
  EXPECT_EQ(Find("things")->indexes[0].key.range, (std::vector{S("SK")}));
}

TEST_F(UpdateTableTest, RemovesAnIndexAndTheDefinitionsOnlyItUsed) {
  Create(Table("things"));
  ASSERT_TRUE(Try(AddIndex(Index("by-x", {Hash("x"), Range("SK")}), {S("x"), S("SK")})));
  housekeeping().WaitUntilIdle();
  const auto updated = Try(RemoveIndex("by-x"));
  ASSERT_TRUE(updated) << updated.error().message();
  EXPECT_EQ(updated->definition->indexes[0].status, IndexStatus::kDeleting);
  EXPECT_TRUE(Find("things")->indexes.empty());
  EXPECT_EQ(Find("things")->attributes, (std::vector{S("PK"), S("SK")}));
  EXPECT_EQ(Refusal(Try(RemoveIndex("by-x")), ErrorCode::kResourceNotFound),
            "Requested resource not found: Index by-x for table things");
  // The name is free at once, the id is not used again.
  ASSERT_TRUE(Try(AddIndex(Index("by-x", {Hash("SK")}), {S("SK")})));
  EXPECT_EQ(Find("things")->indexes[0].id, 2);
}

TEST_F(UpdateTableTest, AddsOrRemovesOneIndexAtATime) {
  Create(ProvisionedWithIndexes());
  const std::string limit =
      "Subscriber limit exceeded: Only 1 online index can be created or deleted simultaneously per "
      "table";
  UpdateTableRequest request = RemoveIndex("index-A");
  request.global_index_updates->emplace_back().remove = "index-B";
  EXPECT_EQ(Refusal(Try(request), ErrorCode::kLimitExceeded), limit);

  request = RemoveIndex("index-A");
  request.global_index_updates->emplace_back().remove = "index-A";
  EXPECT_EQ(Invalid(Try(request)),
            "Only one global secondary index update per index is allowed simultaneously. Index: "
            "index-A");
  request = RemoveIndex("index-A");
  request.global_index_updates->front().create = Index("index-C", {Hash("x")});
  EXPECT_EQ(Invalid(Try(request)),
            "Only one global secondary index action is allowed per GlobalSecondaryIndexUpdate "
            "object");
  request.global_index_updates = {GlobalIndexUpdate()};
  EXPECT_THAT(Invalid(Try(request)), HasSubstr("must not be null"));
}

TEST_F(UpdateTableTest, TakesLittleWhileAnIndexIsFilled) {
  Create(Table("things"));
  housekeeping().Stop();
  PutItems(1);
  ASSERT_TRUE(Try(AddIndex(Index("by-x", {Hash("x")}), {S("x")})));
  EXPECT_THAT(
      Refusal(Try(AddIndex(Index("by-y", {Hash("y")}), {S("y")})), ErrorCode::kLimitExceeded),
      HasSubstr("Only 1 online index"));
  UpdateTableRequest request = Request();
  request.stream = {true, table::StreamViewType::kKeysOnly};
  EXPECT_EQ(Refusal(Try(request), ErrorCode::kResourceInUse),
            "Attempt to change a resource which is still in use: Table is being updated: things");
  EXPECT_EQ(Refusal(DeleteTable(engine(), "things"), ErrorCode::kResourceInUse),
            "Attempt to change a resource which is still in use: Cannot delete table while indexes "
            "are being created, updated, or deleted.");
  request = Request();
  request.deletion_protection = false;
  const auto protection = Try(request);
  ASSERT_TRUE(protection) << protection.error().message();
  EXPECT_EQ(protection->status, "UPDATING");
  // The index itself can be given up.
  ASSERT_TRUE(Try(RemoveIndex("by-x")));
  EXPECT_TRUE(DeleteTable(engine(), "things"));
}

TEST_F(UpdateTableTest, ChecksAnAddedIndexLikeANewOne) {
  Create(ProvisionedWithIndexes());
  IndexParameter index = Index("index-A", {Hash("x")});
  index.throughput = {1, 1};
  EXPECT_EQ(Refusal(Try(AddIndex(index, {S("x")}))),
            "Attempting to create an index which already exists");
  index.index_name = "index-C";
  index.throughput.reset();
  EXPECT_EQ(Invalid(Try(AddIndex(index, {S("x")}))),
            "Both ReadCapacityUnits and WriteCapacityUnits must be specified for index: index-C");
  index.throughput = {1, 1};
  index.projection.type = table::ProjectionType::kInclude;
  EXPECT_THAT(Invalid(Try(AddIndex(index, {S("x")}))), HasSubstr("NonKeyAttributes"));
  index.projection.type = table::ProjectionType::kAll;
  index.key_schema = {Range("x")};
  EXPECT_THAT(Refusal(Try(AddIndex(index, {S("x")}))), HasSubstr("not a HASH key type"));
}

}  // namespace
}  // namespace monotable::operations
