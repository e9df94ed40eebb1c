#include "operations/tables.h"

#include <gmock/gmock.h>

#include "operations/tables_fixture.h"

namespace monotable::operations {
namespace {

using testing::ElementsAre;

class TablesTest : public TablesFixture {
 protected:
  std::vector<std::string> List(std::optional<std::string> start, std::optional<int64_t> limit,
                                std::optional<std::string>* last) {
    const auto listed = ListTables(engine(), {std::move(start), limit});
    EXPECT_TRUE(listed);
    *last = listed->last_evaluated_table_name;
    return listed->table_names;
  }
};

TEST_F(TablesTest, DescribingNeedsATable) {
  EXPECT_EQ(Refusal(DescribeTable(engine(), "things"), ErrorCode::kResourceNotFound),
            "Requested resource not found: Table: things not found");
}

TEST_F(TablesTest, DeletesATableWhoseNameIsFreeAtOnce) {
  Create(Table("things"));
  const std::string uuid = Find("things")->uuid;
  const auto deleted = DeleteTable(engine(), "things");
  ASSERT_TRUE(deleted) << deleted.error().message();
  EXPECT_EQ(deleted->status, "DELETING");
  EXPECT_TRUE(deleted->reduced);
  EXPECT_EQ(deleted->definition->uuid, uuid);
  const std::string missing = "Requested resource not found: Table: things not found";
  EXPECT_EQ(Refusal(DescribeTable(engine(), "things"), ErrorCode::kResourceNotFound), missing);
  EXPECT_EQ(Refusal(DeleteTable(engine(), "things"), ErrorCode::kResourceNotFound), missing);
  Create(Table("things"));
  EXPECT_NE(Find("things")->uuid, uuid);
  EXPECT_TRUE(DeleteTable(engine(), engine().TableArn("things")));
}

TEST_F(TablesTest, ProtectsAgainstDeletion) {
  CreateTableRequest request = Table("things");
  request.deletion_protection = true;
  Create(request);
  EXPECT_EQ(Refusal(DeleteTable(engine(), "things")),
            "Resource cannot be deleted as it is currently protected against deletion. Disable "
            "deletion protection first.");
  UpdateTableRequest update;
  update.table_name = "things";
  update.deletion_protection = false;
  ASSERT_TRUE(UpdateTable(engine(), update));
  EXPECT_TRUE(DeleteTable(engine(), "things"));
}

TEST_F(TablesTest, ListsInOrderOfBytesPageByPage) {
  std::optional<std::string> last;
  EXPECT_TRUE(List(std::nullopt, std::nullopt, &last).empty());
  EXPECT_FALSE(last);
  for (const char* name : {"bbb", "aaa", "Zzz", "a.a", "a-a", "a_a"}) Create(Table(name));
  EXPECT_THAT(List(std::nullopt, std::nullopt, &last),
              ElementsAre("Zzz", "a-a", "a.a", "a_a", "aaa", "bbb"));
  EXPECT_FALSE(last);
  EXPECT_THAT(List(std::nullopt, 2, &last), ElementsAre("Zzz", "a-a"));
  EXPECT_EQ(last, "a-a");
  EXPECT_THAT(List("a-a", 3, &last), ElementsAre("a.a", "a_a", "aaa"));
  EXPECT_EQ(last, "aaa");
  EXPECT_THAT(List("aaa", 3, &last), ElementsAre("bbb"));
  EXPECT_FALSE(last);
  // The table to start after may be gone.
  EXPECT_THAT(List("aab", 1, &last), ElementsAre("bbb"));
  EXPECT_TRUE(List("zzz", 1, &last).empty());
  EXPECT_FALSE(last);
}

TEST_F(TablesTest, ListsAHundredAtMost) {
  for (int i = 0; i < 101; ++i) Create(Table("table-" + std::to_string(1000 + i)));
  std::optional<std::string> last;
  EXPECT_EQ(List(std::nullopt, std::nullopt, &last).size(), 100u);
  EXPECT_EQ(last, "table-1099");
  EXPECT_THAT(List(last, std::nullopt, &last), ElementsAre("table-1100"));
}

TEST_F(TablesTest, DescribesTheLimitsOfAnAccount) {
  const DescribeLimitsResponse limits = DescribeLimits();
  EXPECT_EQ(limits.account_max_read_units, 80000);
  EXPECT_EQ(limits.table_max_write_units, 40000);
}

TEST_F(TablesTest, SwitchesTimeToLive) {
  EXPECT_EQ(Refusal(UpdateTimeToLive(engine(), {"things", true, "expires"}),
                    ErrorCode::kResourceNotFound),
            "Requested resource not found: Table: things not found");
  EXPECT_EQ(Refusal(DescribeTimeToLive(engine(), "things"), ErrorCode::kResourceNotFound),
            "Requested resource not found: Table: things not found");
  Create(Table("things"));
  EXPECT_FALSE(DescribeTimeToLive(engine(), "things")->enabled);
  EXPECT_EQ(Refusal(UpdateTimeToLive(engine(), {"things", false, "expires"})),
            "TimeToLive is already disabled");

  const auto enabled = UpdateTimeToLive(engine(), {"things", true, "expires"});
  ASSERT_TRUE(enabled);
  EXPECT_TRUE(enabled->enabled);
  EXPECT_EQ(enabled->attribute_name, "expires");
  EXPECT_EQ(DescribeTimeToLive(engine(), "things")->attribute_name, "expires");
  EXPECT_EQ(Find("things")->time_to_live.changed_at_ms, clock_.now_ms);
  EXPECT_EQ(Refusal(UpdateTimeToLive(engine(), {"things", true, "expires"})),
            "TimeToLive is already enabled");
  for (const bool enable : {true, false}) {
    EXPECT_EQ(Refusal(UpdateTimeToLive(engine(), {"things", enable, "other"})),
              "TimeToLive is active on a different AttributeName: current AttributeName is "
              "expires");
  }
  // One change an hour, as the service has it.
  clock_.now_ms += 3'599'000;
  EXPECT_EQ(Refusal(UpdateTimeToLive(engine(), {"things", false, "expires"})),
            "Time to live has been modified multiple times within a fixed interval");
  clock_.now_ms += 1000;
  ASSERT_TRUE(UpdateTimeToLive(engine(), {"things", false, "expires"}));
  EXPECT_FALSE(DescribeTimeToLive(engine(), "things")->enabled);
  EXPECT_EQ(DescribeTimeToLive(engine(), "things")->attribute_name, "");
  EXPECT_EQ(Refusal(UpdateTimeToLive(engine(), {"things", true, "other"})),
            "Time to live has been modified multiple times within a fixed interval");
  clock_.now_ms += 3'600'000;
  ASSERT_TRUE(UpdateTimeToLive(engine(), {"things", true, "other"}));
}

}  // namespace
}  // namespace monotable::operations
