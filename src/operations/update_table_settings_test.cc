#include <gmock/gmock.h>

#include "operations/update_table_fixture.h"

namespace monotable::operations {
namespace {

using table::BillingMode;
using testing::HasSubstr;

class UpdateTableSettingsTest : public UpdateTableFixture {};

TEST_F(UpdateTableSettingsTest, SwitchesTheStream) {
  Create(Table("things"));
  UpdateTableRequest request = Request();
  request.stream = {false, std::nullopt};
  EXPECT_EQ(Refusal(Try(request)), "Table has no stream to disable: TableName: things");
  request.stream = {true, std::nullopt};
  EXPECT_EQ(Invalid(Try(request)), "If stream is being enabled then UpdateViewType is required");
  request.stream = {false, table::StreamViewType::kKeysOnly};
  EXPECT_EQ(Invalid(Try(request)),
            "If stream is being disabled, then UpdateViewType must not be specified");

  request.stream = {true, table::StreamViewType::kKeysOnly};
  const auto updated = Try(request);
  ASSERT_TRUE(updated) << updated.error().message();
  EXPECT_EQ(updated->definition->latest_stream_label, "2025-11-14T10:30:00.123");
  EXPECT_EQ(Refusal(Try(request)), "Table already has an enabled stream: TableName: things");
  request.stream = {false, std::nullopt};
  ASSERT_TRUE(Try(request));
  EXPECT_FALSE(Find("things")->stream.enabled);
  EXPECT_EQ(Find("things")->latest_stream_label, "2025-11-14T10:30:00.123");
}

TEST_F(UpdateTableSettingsTest, ChangesEncryption) {
  Create(Table("things"));
  UpdateTableRequest request = Request();
  request.sse = {false, std::nullopt, std::nullopt};
  EXPECT_EQ(Invalid(Try(request)), "Table is already encrypted by default");
  request.sse = {true, "KMS", "my-key"};
  const auto updated = Try(request);
  ASSERT_TRUE(updated) << updated.error().message();
  EXPECT_EQ(updated->status, "ACTIVE");
  EXPECT_TRUE(updated->sse_updating);
  EXPECT_FALSE(updated->definition->sse.enabled);
  const std::string arn = Find("things")->sse.kms_key_arn;
  EXPECT_EQ(arn, "arn:aws:kms:us-east-1:000000000000:key/my-key");
  request.sse = {true, "KMS", arn};
  EXPECT_EQ(Invalid(Try(request)),
            "Table is already encrypted with given KMSMasterKeyId. Use KMSMasterKeyId parameter if "
            "you want to change Master Key");
  request.sse = {false, std::nullopt, std::nullopt};
  ASSERT_TRUE(Try(request));
  EXPECT_FALSE(Find("things")->sse.enabled);
}

TEST_F(UpdateTableSettingsTest, ChangesTheTableClass) {
  Create(Table("things"));
  UpdateTableRequest request = Request();
  request.table_class = table::TableClass::kStandard;
  ASSERT_TRUE(Try(request));
  EXPECT_FALSE(Find("things")->table_class);
  request.table_class = table::TableClass::kStandardInfrequentAccess;
  const auto updated = Try(request);
  ASSERT_TRUE(updated) << updated.error().message();
  EXPECT_EQ(updated->status, "UPDATING");
  EXPECT_FALSE(updated->definition->table_class);
  EXPECT_EQ(Find("things")->table_class, table::TableClass::kStandardInfrequentAccess);
  EXPECT_EQ(Find("things")->table_class_changed_at_ms, clock_.now_ms);
}

TEST_F(UpdateTableSettingsTest, ChangesOnDemandLimits) {
  Create(Table("things"));
  UpdateTableRequest request = Request();
  request.on_demand_throughput = {100, std::nullopt};
  auto updated = Try(request);
  ASSERT_TRUE(updated) << updated.error().message();
  EXPECT_EQ(updated->status, "ACTIVE");
  request.on_demand_throughput = {std::nullopt, 50};
  ASSERT_TRUE(Try(request));
  EXPECT_EQ(Find("things")->on_demand_throughput, (table::OnDemandThroughput{100, 50}));
  request.on_demand_throughput = {0, std::nullopt};
  EXPECT_THAT(Invalid(Try(request)), HasSubstr("for table is outside of valid range"));
  // The answer shows that a limit goes, the table that there is none.
  request.on_demand_throughput = {-1, -1};
  updated = Try(request);
  ASSERT_TRUE(updated) << updated.error().message();
  EXPECT_EQ(updated->definition->on_demand_throughput, (table::OnDemandThroughput{-1, -1}));
  EXPECT_FALSE(Find("things")->on_demand_throughput);
}

TEST_F(UpdateTableSettingsTest, ChangesWarmThroughput) {
  Create(Table("things"));
  UpdateTableRequest request = Request();
  request.warm_throughput = {13000, std::nullopt};
  const auto updated = Try(request);
  ASSERT_TRUE(updated) << updated.error().message();
  EXPECT_EQ(updated->status, "ACTIVE");
  EXPECT_TRUE(updated->figures.warming);
  EXPECT_FALSE(updated->definition->warm_throughput);
  EXPECT_EQ(Find("things")->warm_throughput->read_units_per_second, 13000);
  request.warm_throughput = {12999, std::nullopt};
  EXPECT_EQ(Invalid(Try(request)),
            "Requested ReadUnitsPerSecond for WarmThroughput for table is lower than current "
            "WarmThroughput, decreasing WarmThroughput is not supported");
  // An on-demand table starts with 12000 and 4000.
  request.warm_throughput = {std::nullopt, 3999};
  EXPECT_THAT(Invalid(Try(request)), HasSubstr("Requested WriteUnitsPerSecond"));
  request.warm_throughput = {std::nullopt, 4000};
  EXPECT_TRUE(Try(request));
}

// What a table or index was able to take it stays able to take.
TEST_F(UpdateTableSettingsTest, WarmThroughputNeverFalls) {
  Create(ProvisionedWithIndexes());
  const auto warm = [this](const auto& owner) {
    return WarmOf(Find("things")->billing_mode, owner.throughput, owner.warm_throughput);
  };
  UpdateTableRequest request = Request();
  request.throughput = {1, 10};
  request.global_index_updates = ChangeIndex("index-A", {1, 9}).global_index_updates;
  ASSERT_TRUE(Try(request));
  EXPECT_EQ(warm(*Find("things")), (table::Throughput{5, 10}));
  EXPECT_EQ(warm(Find("things")->indexes[0]), (table::Throughput{7, 9}));

  request = Request();
  request.billing_mode = BillingMode::kPayPerRequest;
  ASSERT_TRUE(Try(request));
  request.billing_mode = BillingMode::kProvisioned;
  request.throughput = {1, 1};
  request.global_index_updates = {
      ChangeIndex("index-A", {2, 2}).global_index_updates->front(),
      ChangeIndex("index-B", {3, 3}).global_index_updates->front(),
  };
  ASSERT_TRUE(Try(request));
  EXPECT_EQ(warm(*Find("things")), (table::Throughput{12000, 4000}));
  EXPECT_EQ(warm(Find("things")->indexes[1]), (table::Throughput{12000, 4000}));
}

TEST_F(UpdateTableSettingsTest, SwitchesToOnDemandAndBack) {
  Create(ProvisionedWithIndexes());
  UpdateTableRequest request = Request();
  request.billing_mode = BillingMode::kPayPerRequest;
  clock_.now_ms += 1000;
  ASSERT_TRUE(Try(request));
  EXPECT_EQ(Find("things")->billing_mode, BillingMode::kPayPerRequest);
  EXPECT_EQ(Find("things")->pay_per_request_since_ms, clock_.now_ms);
  EXPECT_EQ(Find("things")->throughput, table::Throughput());
  EXPECT_EQ(Find("things")->indexes[0].throughput, table::Throughput());

  UpdateTableRequest wrong = Request();
  wrong.throughput = {1, 1};
  EXPECT_THAT(Invalid(Try(wrong)), HasSubstr("when BillingMode is PAY_PER_REQUEST"));
  EXPECT_THAT(Invalid(Try(ChangeIndex("index-A", {1, 1}))),
              HasSubstr("The only Updates for index: index-A when TableThroughputMode is"));

  request.billing_mode = BillingMode::kProvisioned;
  EXPECT_EQ(Invalid(Try(request)),
            "ProvisionedThroughput must be specified when BillingMode is PROVISIONED");
  request.throughput = {1, 1};
  EXPECT_EQ(Invalid(Try(request)),
            "ProvisionedThroughput must be specified for index: index-A,index-B");
  request.global_index_updates = {
      ChangeIndex("index-A", {2, 2}).global_index_updates->front(),
      ChangeIndex("index-B", {3, 3}).global_index_updates->front(),
  };
  const auto updated = Try(request);
  ASSERT_TRUE(updated) << updated.error().message();
  EXPECT_EQ(Find("things")->throughput, (table::Throughput{1, 1}));
  EXPECT_EQ(Find("things")->indexes[1].throughput, (table::Throughput{3, 3}));
}

}  // namespace
}  // namespace monotable::operations
