#include "operations/backups.h"

#include <future>
#include <string>
#include <utility>

#include "encoding/keyspace.h"
#include "engine/jobs.h"
#include "operations/items.h"
#include "operations/restores.h"
#include "operations/tables_fixture.h"

namespace monotable::operations {
namespace {

constexpr int64_t kDayMs = 24 * 3'600'000;

class RecoveryTest : public TablesFixture {
 protected:
  RecoveryTest() {
    CreateTableRequest request = Table("things");
    request.attribute_definitions->push_back(S("x"));
    request.attribute_definitions->push_back(S("y"));
    request.global_indexes = {{Index("by-x", {Hash("x")})}};
    request.local_indexes = {{Index("by-y", {Hash("PK"), Range("y")})}};
    request.tags = {{{"team", "a"}}};
    request.stream = {true, table::StreamViewType::kKeysOnly};
    request.sse = {true, "KMS", std::nullopt};
    Create(request);
    for (const char* key : {"1", "2", "3"}) Put("things", key);
  }

  void Put(const std::string& table, const std::string& key) {
    PutItemRequest request;
    request.table_name = table;
    for (const char* name : {"PK", "SK", "x", "y"}) request.item.Set(name, item::Value(key));
    std::promise<bool> done;
    PutItem(engine(), std::move(request),
            [&done](const auto& make) { done.set_value(make().has_value()); });
    ASSERT_TRUE(done.get_future().get());
  }

  void EnableRecovery(std::optional<int64_t> days = std::nullopt) {
    ASSERT_TRUE(UpdateContinuousBackups(engine(), {"things", true, days}));
  }

  BackupDescription BackUp(const std::string& name = "backup") {
    auto created = CreateBackup(engine(), {"things", name});
    EXPECT_TRUE(created) << created.error().message();
    engine().jobs().WaitUntilIdle();
    return created ? *created : BackupDescription();
  }

  Result<TableDescription> Restore(const std::string& arn, const std::string& name,
                                   RestoreOverrides overrides = {}) {
    auto restored = RestoreTableFromBackup(engine(), {arn, name, std::move(overrides)});
    engine().jobs().WaitUntilIdle();
    return restored;
  }

  Result<TableDescription> RestoreTo(std::optional<int64_t> time_ms,
                                     const std::string& source = "things") {
    RestoreTableToPointInTimeRequest request;
    request.source_table_name = source;
    request.target_table_name = "restored";
    request.use_latest_restorable_time = !time_ms;
    request.restore_time_ms = time_ms;
    auto restored = RestoreTableToPointInTime(engine(), request);
    engine().jobs().WaitUntilIdle();
    return restored;
  }

  int64_t ItemCount(std::string_view table) {
    return engine().Counter(encoding::ItemCountKey(Find(table)->id, encoding::kTableItems));
  }

  std::vector<std::string> Listed(const ListBackupsRequest& request) {
    const auto listed = ListBackups(engine(), request);
    EXPECT_TRUE(listed);
    std::vector<std::string> names;
    for (const BackupDescription& backup : listed->backups) names.push_back(backup.backup.name);
    return names;
  }
};

TEST_F(RecoveryTest, ABackupIsDescribedWhileItIsMadeAndAfterwards) {
  const BackupDescription created = BackUp();
  EXPECT_FALSE(created.backup.available);
  EXPECT_TRUE(created.arn.starts_with(
      "arn:aws:dynamodb:us-east-1:000000000000:table/things/backup/01763116200123-"));
  const auto described = DescribeBackup(engine(), created.arn);
  ASSERT_TRUE(described);
  EXPECT_TRUE(described->backup.available);
  EXPECT_EQ(described->backup.item_count, 3);
  EXPECT_EQ(described->backup.created_at_ms, clock_.now_ms);
  EXPECT_FALSE(described->backup.expires_at_ms);
  EXPECT_EQ(described->table_arn, "arn:aws:dynamodb:us-east-1:000000000000:table/things");
}

TEST_F(RecoveryTest, ABackupNeedsATable) {
  EXPECT_EQ(Refusal(CreateBackup(engine(), {"nothing", "backup"}), ErrorCode::kTableNotFound),
            "Table not found: nothing");
}

TEST_F(RecoveryTest, ABackupThatIsDeletedIsGone) {
  const BackupDescription created = BackUp();
  const auto deleted = DeleteBackup(engine(), created.arn);
  ASSERT_TRUE(deleted);
  EXPECT_TRUE(deleted->deleted);
  const std::string text = "Backup not found: " + created.arn;
  EXPECT_EQ(Refusal(DescribeBackup(engine(), created.arn), ErrorCode::kBackupNotFound), text);
  EXPECT_EQ(Refusal(DeleteBackup(engine(), created.arn), ErrorCode::kBackupNotFound), text);
  EXPECT_EQ(Refusal(Restore(created.arn, "restored"), ErrorCode::kBackupNotFound), text);
  // The id alone does not name a backup: the ARN names its table too.
  const BackupDescription another = BackUp();
  std::string wrong = another.arn;
  wrong.replace(wrong.find("things"), 6, "thongs");
  EXPECT_EQ(Refusal(DescribeBackup(engine(), wrong), ErrorCode::kBackupNotFound),
            "Backup not found: " + wrong);
}

TEST_F(RecoveryTest, BackupsAreListedInPagesByTableTimeAndType) {
  const int64_t start = clock_.now_ms;
  for (int i = 0; i < 4; ++i) {
    clock_.now_ms = start + i * 1000;
    BackUp("backup-" + std::to_string(i));
  }
  using Names = std::vector<std::string>;
  EXPECT_EQ(Listed({}), (Names{"backup-0", "backup-1", "backup-2", "backup-3"}));
  ListBackupsRequest request;
  request.table_name = "others";
  EXPECT_EQ(Listed(request), Names());
  request.table_name = "arn:aws:dynamodb:us-east-1:000000000000:table/things";
  request.from_ms = start + 1000;
  request.until_ms = start + 3000;
  EXPECT_EQ(Listed(request), (Names{"backup-1", "backup-2"}));
  request = {};
  request.type = BackupTypeFilter::kSystem;
  EXPECT_EQ(Listed(request), Names());
  request.type = BackupTypeFilter::kAwsBackup;
  EXPECT_EQ(Listed(request), Names());
  request.type = BackupTypeFilter::kAll;
  request.limit = 3;
  const auto page = ListBackups(engine(), request);
  ASSERT_TRUE(page);
  ASSERT_EQ(page->backups.size(), 3U);
  ASSERT_EQ(page->last_evaluated_backup_arn, page->backups.back().arn);
  request.exclusive_start_backup_arn = page->last_evaluated_backup_arn;
  EXPECT_EQ(Listed(request), Names{"backup-3"});
  EXPECT_FALSE(ListBackups(engine(), request)->last_evaluated_backup_arn);
}

TEST_F(RecoveryTest, ARestoredTableHasWhatTheServiceRestores) {
  EnableRecovery();
  const BackupDescription backup = BackUp();
  Put("things", "4");
  clock_.now_ms += 5000;
  const auto restored = Restore(backup.arn, "restored");
  ASSERT_TRUE(restored) << restored.error().message();
  EXPECT_EQ(restored->status, "CREATING");
  const auto described = DescribeTable(engine(), "restored");
  ASSERT_TRUE(described);
  EXPECT_EQ(described->status, "ACTIVE");
  EXPECT_EQ(described->figures.item_count, 3);
  EXPECT_EQ(described->index_figures.at("by-x").item_count, 3);
  EXPECT_EQ(described->index_figures.at("by-y").item_count, 3);
  const table::TableDefinition& table = *described->definition;
  const table::TableDefinition& source = *Find("things");
  EXPECT_EQ(table.key, source.key);
  EXPECT_EQ(table.attributes, source.attributes);
  EXPECT_EQ(table.indexes, source.indexes);
  EXPECT_EQ(table.billing_mode, table::BillingMode::kPayPerRequest);
  EXPECT_EQ(table.sse, source.sse);
  EXPECT_NE(table.uuid, source.uuid);
  EXPECT_EQ(table.created_at_ms, clock_.now_ms);
  EXPECT_TRUE(table.tags.empty());
  EXPECT_FALSE(table.stream.enabled);
  EXPECT_FALSE(table.point_in_time_recovery.enabled);
  ASSERT_TRUE(table.restored_from);
  EXPECT_EQ(table.restored_from->source_backup_arn, backup.arn);
  EXPECT_EQ(table.restored_from->moment_ms, backup.backup.created_at_ms);
}

TEST_F(RecoveryTest, IndexesCanBeLeftOutButNotChanged) {
  const BackupDescription backup = BackUp();
  RestoreOverrides overrides;
  overrides.global_indexes.emplace();
  ASSERT_TRUE(Restore(backup.arn, "without-x", overrides));
  EXPECT_EQ(Find("without-x")->indexes.size(), 1U);
  EXPECT_EQ(Find("without-x")->FindAttribute("x"), nullptr);
  EXPECT_NE(Find("without-x")->FindAttribute("y"), nullptr);

  overrides = {};
  overrides.local_indexes.emplace();
  overrides.global_indexes = {{Index("by-x", {Hash("x")})}};
  ASSERT_TRUE(Restore(backup.arn, "without-y", overrides));
  EXPECT_EQ(Find("without-y")->indexes.size(), 1U);

  const std::string refusal =
      "Index override must match an index of the source table. Index name: ";
  overrides.global_indexes = {{Index("by-z", {Hash("x")})}};
  EXPECT_EQ(Invalid(Restore(backup.arn, "no", overrides)), refusal + "by-z");
  overrides.global_indexes = {{Index("by-x", {Hash("y")})}};
  EXPECT_EQ(Invalid(Restore(backup.arn, "no", overrides)), refusal + "by-x");
  overrides.global_indexes = {{Index("by-x", {Hash("x")})}};
  overrides.global_indexes->front().projection.type = table::ProjectionType::kKeysOnly;
  EXPECT_EQ(Invalid(Restore(backup.arn, "no", overrides)), refusal + "by-x");
  EXPECT_EQ(Find("no"), nullptr);
}

TEST_F(RecoveryTest, BillingCanBeChosen) {
  const BackupDescription backup = BackUp();
  RestoreOverrides overrides;
  overrides.billing_mode = table::BillingMode::kProvisioned;
  EXPECT_EQ(Invalid(Restore(backup.arn, "no", overrides)),
            "ReadCapacityUnits and WriteCapacityUnits must both be specified when BillingMode is "
            "PROVISIONED");
  overrides.throughput = {5, 6};
  overrides.global_indexes = {{Index("by-x", {Hash("x")})}};
  overrides.global_indexes->front().throughput = {7, 8};
  ASSERT_TRUE(Restore(backup.arn, "provisioned", overrides));
  EXPECT_EQ(Find("provisioned")->throughput, (table::Throughput{5, 6}));
  EXPECT_EQ(Find("provisioned")->FindIndex("by-x")->throughput, (table::Throughput{7, 8}));
  EXPECT_FALSE(Find("provisioned")->pay_per_request_since_ms);
  overrides = {};
  overrides.throughput = {5, 6};
  EXPECT_EQ(Invalid(Restore(backup.arn, "no", overrides)),
            "Neither ReadCapacityUnits nor WriteCapacityUnits can be specified when BillingMode is "
            "PAY_PER_REQUEST");
}

TEST_F(RecoveryTest, ARestoreNeedsAFreeName) {
  const BackupDescription backup = BackUp();
  EXPECT_EQ(Refusal(Restore(backup.arn, "things"), ErrorCode::kTableAlreadyExists),
            "Table already exists: things");
}

TEST_F(RecoveryTest, ContinuousBackupsSayHowFarTheyReach) {
  const auto off = DescribeContinuousBackups(engine(), "things");
  ASSERT_TRUE(off);
  EXPECT_FALSE(off->enabled);
  const int64_t start = clock_.now_ms;
  EnableRecovery();
  clock_.now_ms = start + kDayMs;
  auto on = DescribeContinuousBackups(engine(), "things");
  ASSERT_TRUE(on && on->enabled);
  EXPECT_EQ(on->recovery_period_days, 35);
  EXPECT_EQ(on->earliest_ms, start);
  EXPECT_EQ(on->latest_ms, start + kDayMs);
  clock_.now_ms = start + 40 * kDayMs;
  EXPECT_EQ(DescribeContinuousBackups(engine(), "things")->earliest_ms, start + 5 * kDayMs);
  // Less is kept from now on, and more only of what is still there.
  EnableRecovery(2);
  EXPECT_EQ(DescribeContinuousBackups(engine(), "things")->earliest_ms, start + 38 * kDayMs);
  EnableRecovery(10);
  EXPECT_EQ(DescribeContinuousBackups(engine(), "things")->earliest_ms,
            start + 38 * kDayMs + 60'000);
  // Switching it off forgets everything.
  ASSERT_TRUE(UpdateContinuousBackups(engine(), {"things", false, std::nullopt}));
  EXPECT_FALSE(DescribeContinuousBackups(engine(), "things")->enabled);
  EnableRecovery();
  EXPECT_EQ(DescribeContinuousBackups(engine(), "things")->earliest_ms, start + 40 * kDayMs);
  EXPECT_EQ(Refusal(DescribeContinuousBackups(engine(), "nothing"), ErrorCode::kTableNotFound),
            "Table not found: nothing");
  EXPECT_EQ(Refusal(UpdateContinuousBackups(engine(), {"nothing", true, std::nullopt}),
                    ErrorCode::kTableNotFound),
            "Table not found: nothing");
}

TEST_F(RecoveryTest, ATableGoesBackToItsPast) {
  EnableRecovery();
  const int64_t moment = clock_.now_ms;
  clock_.now_ms += 1;
  Put("things", "4");
  const auto restored = RestoreTo(moment);
  ASSERT_TRUE(restored) << restored.error().message();
  EXPECT_EQ(ItemCount("restored"), 3);
  EXPECT_EQ(Find("restored")->restored_from->moment_ms, moment);
  EXPECT_EQ(Find("restored")->restored_from->source_backup_arn, "");
  ASSERT_TRUE(DeleteTable(engine(), "restored"));
  ASSERT_TRUE(RestoreTo(std::nullopt));
  EXPECT_EQ(ItemCount("restored"), 4);
  EXPECT_EQ(Refusal(RestoreTo(std::nullopt), ErrorCode::kTableAlreadyExists),
            "Table already exists: restored");
}

TEST_F(RecoveryTest, TheTimeOfARestoreMustBeWithinReach) {
  EXPECT_EQ(Refusal(RestoreTo(std::nullopt), ErrorCode::kPointInTimeRecoveryUnavailable),
            "Point in time recovery is not enabled for table 'things'");
  EXPECT_EQ(Refusal(RestoreTo(std::nullopt, "nothing"), ErrorCode::kTableNotFound),
            "Table not found: nothing");
  EnableRecovery();
  const int64_t earliest = clock_.now_ms;
  clock_.now_ms += 2000;
  const std::string text =
      "An invalid restore time was specified. RestoreDateTime must be between "
      "EarliestRestorableDateTime (2025-11-14T10:30:00.123Z) and LatestRestorableDateTime "
      "(2025-11-14T10:30:02.123Z).";
  EXPECT_EQ(Refusal(RestoreTo(earliest - 1), ErrorCode::kInvalidRestoreTime), text);
  EXPECT_EQ(Refusal(RestoreTo(clock_.now_ms + 1), ErrorCode::kInvalidRestoreTime), text);
  EXPECT_TRUE(RestoreTo(earliest));
}

TEST_F(RecoveryTest, ARestoreNamesOneSourceAndOneTime) {
  RestoreTableToPointInTimeRequest request;
  request.target_table_name = "restored";
  request.use_latest_restorable_time = true;
  EXPECT_EQ(Invalid(RestoreTableToPointInTime(engine(), request)),
            "Exactly one of SourceTableName and SourceTableArn must be specified");
  request.source_table_arn = engine().TableArn("things");
  request.restore_time_ms = clock_.now_ms;
  EXPECT_EQ(Invalid(RestoreTableToPointInTime(engine(), request)),
            "Exactly one of RestoreDateTime and UseLatestRestorableTime must be specified");
}

TEST_F(RecoveryTest, ADeletedTableWithRecoveryLeavesABackup) {
  EnableRecovery();
  ASSERT_TRUE(DeleteTable(engine(), "things"));
  ListBackupsRequest request;
  EXPECT_TRUE(Listed(request).empty());
  request.type = BackupTypeFilter::kSystem;
  const auto listed = ListBackups(engine(), request);
  ASSERT_TRUE(listed);
  ASSERT_EQ(listed->backups.size(), 1U);
  const engine::Backup& backup = listed->backups[0].backup;
  EXPECT_EQ(backup.name, "things$DeletedTableBackup");
  EXPECT_EQ(backup.item_count, 3);
  EXPECT_EQ(backup.expires_at_ms, clock_.now_ms + 35 * kDayMs);
  ASSERT_TRUE(Restore(listed->backups[0].arn, "things"));
  EXPECT_EQ(ItemCount("things"), 3);
  // A table without recovery leaves none.
  ASSERT_TRUE(DeleteTable(engine(), "things"));
  EXPECT_EQ(Listed(request).size(), 1U);
}

TEST_F(RecoveryTest, ATableThatIsBeingRestoredIsLeftAlone) {
  engine::TablePtr created =
      *engine().catalog().Change("made", [](const auto*, uint32_t id) -> engine::Catalog::Decision {
        table::TableDefinition definition;
        definition.id = id;
        definition.name = "made";
        definition.key.hash = {S("PK")};
        definition.status = table::TableStatus::kCreating;
        return std::optional(definition);
      });
  EXPECT_EQ(DescribeTable(engine(), "made")->status, "CREATING");
  const std::string in_use =
      "Attempt to change a resource which is still in use: Table is being created: made";
  EXPECT_EQ(Refusal(DeleteTable(engine(), "made"), ErrorCode::kResourceInUse), in_use);
  UpdateTableRequest update;
  update.table_name = "made";
  update.deletion_protection = true;
  EXPECT_EQ(Refusal(UpdateTable(engine(), update), ErrorCode::kResourceInUse), in_use);
  const std::string retry = "Backups are being enabled for the table: made. Please retry later";
  EXPECT_EQ(
      Refusal(CreateBackup(engine(), {"made", "backup"}), ErrorCode::kContinuousBackupsUnavailable),
      retry);
  EXPECT_EQ(Refusal(UpdateContinuousBackups(engine(), {"made", true, std::nullopt}),
                    ErrorCode::kContinuousBackupsUnavailable),
            retry);
}

}  // namespace
}  // namespace monotable::operations
