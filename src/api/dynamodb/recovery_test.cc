#include <memory>
#include <string>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/dynamodb/codecs_for_tests.h"
#include "api/dynamodb/in_process.h"
#include "engine/jobs.h"
#include "storage/memory/memory_store.h"

// Backups and point-in-time recovery as a client sees them.
namespace monotable::api::dynamodb {
namespace {

using testing::HasSubstr;
using testing::Not;

class StandingClock : public engine::Clock {
 public:
  int64_t NowMs() const override { return 1'763'116'200'123; }
};

class RecoveryApiTest : public testing::Test {
 protected:
  void SetUp() override {
    auto engine = engine::Engine::Open(*store_, clock_, {});
    ASSERT_TRUE(engine) << engine.error().message();
    engine_ = std::move(*engine);
    Call("CreateTable", R"({"TableName":"orders","BillingMode":"PAY_PER_REQUEST",
         "AttributeDefinitions":[{"AttributeName":"pk","AttributeType":"S"},
         {"AttributeName":"g","AttributeType":"S"}],
         "KeySchema":[{"AttributeName":"pk","KeyType":"HASH"}],
         "GlobalSecondaryIndexes":[{"IndexName":"by-g","KeySchema":[{"AttributeName":"g",
         "KeyType":"HASH"}],"Projection":{"ProjectionType":"ALL"}}]})");
    Call("PutItem", R"({"TableName":"orders","Item":{"pk":{"S":"a"},"g":{"S":"b"}}})");
  }

  std::string Call(std::string_view operation, std::string_view body) {
    auto answer = CallInProcess(*engine_, operation, body);
    EXPECT_TRUE(answer) << operation << ": " << answer.error().message();
    engine_->jobs().WaitUntilIdle();
    return answer ? *std::move(answer) : std::string();
  }

  Error Fail(std::string_view operation, std::string_view body) {
    const auto answer = CallInProcess(*engine_, operation, body);
    EXPECT_FALSE(answer) << operation << ": " << *answer;
    return answer ? Error::Internal("it worked") : answer.error();
  }

  std::string BackUp() {
    const Document created(Call("CreateBackup", R"({"TableName":"orders","BackupName":"daily"})"));
    const auto details = json::Find(created.object(), "BackupDetails");
    return std::string(json::StringOf(*json::Find(json::ObjectOf(*details), "BackupArn")));
  }

  const StandingClock clock_{};
  const std::unique_ptr<storage::Store> store_ =
      storage::NewMemoryStore({.now = [this] { return clock_.NowMs(); }});
  std::unique_ptr<engine::Engine> engine_;
};

TEST_F(RecoveryApiTest, ABackupIsMadeDescribedListedAndDeleted) {
  const std::string arn = BackUp();
  const std::string name = R"({"BackupArn":")" + arn + R"("})";
  const std::string details =
      R"("BackupName":"daily","BackupSizeBytes":5,"BackupStatus":"AVAILABLE",)"
      R"("BackupType":"USER","BackupCreationDateTime":1763116200.123)";
  const std::string described = Call("DescribeBackup", name);
  EXPECT_THAT(described,
              HasSubstr(R"({"BackupDescription":{"BackupDetails":{"BackupArn":")" + arn));
  EXPECT_THAT(described, HasSubstr(details));
  EXPECT_THAT(described, HasSubstr(R"("ItemCount":1,"BillingMode":"PAY_PER_REQUEST"})"));
  EXPECT_THAT(described, HasSubstr(R"("SourceTableFeatureDetails":{"GlobalSecondaryIndexes":[)"
                                   R"({"IndexName":"by-g","KeySchema":)"));
  const std::string listed = Call("ListBackups", R"({"TableName":"orders","BackupType":"ALL"})");
  EXPECT_THAT(listed, HasSubstr(R"({"BackupSummaries":[{"TableName":"orders",)"));
  EXPECT_THAT(listed, HasSubstr(details));
  EXPECT_THAT(Call("DeleteBackup", name), HasSubstr(R"("BackupStatus":"DELETED")"));
  EXPECT_EQ(Call("ListBackups", "{}"), R"({"BackupSummaries":[]})");
}

TEST_F(RecoveryApiTest, ARestoredTableTellsItsOrigin) {
  const std::string arn = BackUp();
  const std::string body =
      R"({"TargetTableName":"copy","GlobalSecondaryIndexOverride":[],"BackupArn":")" + arn +
      R"("})";
  const std::string summary = R"("RestoreSummary":{"SourceBackupArn":")" + arn +
                              R"(","SourceTableArn":"arn:aws:dynamodb:us-east-1:000000000000:)"
                              R"(table/orders","RestoreDateTime":1763116200.123,)"
                              R"("RestoreInProgress":)";
  const std::string restored = Call("RestoreTableFromBackup", body);
  EXPECT_THAT(restored, HasSubstr(R"("TableStatus":"CREATING")"));
  EXPECT_THAT(restored, HasSubstr(summary + "true}"));
  const std::string described = Call("DescribeTable", R"({"TableName":"copy"})");
  EXPECT_THAT(described, HasSubstr(summary + "false}"));
  EXPECT_THAT(described, Not(HasSubstr("by-g")));
  EXPECT_THAT(Call("Scan", R"({"TableName":"copy"})"), HasSubstr(R"("Count":1)"));
}

TEST_F(RecoveryApiTest, ATableGoesBackToAMomentInMilliseconds) {
  EXPECT_EQ(Call("DescribeContinuousBackups", R"({"TableName":"orders"})"),
            R"({"ContinuousBackupsDescription":{"ContinuousBackupsStatus":"ENABLED",)"
            R"("PointInTimeRecoveryDescription":{"PointInTimeRecoveryStatus":"DISABLED"}}})");
  EXPECT_EQ(Call("UpdateContinuousBackups",
                 R"({"TableName":"orders","PointInTimeRecoverySpecification":
                 {"PointInTimeRecoveryEnabled":true,"RecoveryPeriodInDays":7}})"),
            R"({"ContinuousBackupsDescription":{"ContinuousBackupsStatus":"ENABLED",)"
            R"("PointInTimeRecoveryDescription":{"PointInTimeRecoveryStatus":"ENABLED",)"
            R"("RecoveryPeriodInDays":7,"EarliestRestorableDateTime":1763116200.123,)"
            R"("LatestRestorableDateTime":1763116200.123}}})");
  const std::string source = R"({"SourceTableName":"orders","TargetTableName":"copy",)";
  EXPECT_EQ(Fail("RestoreTableToPointInTime", source + R"("RestoreDateTime":1763116200})").code(),
            ErrorCode::kInvalidRestoreTime);
  EXPECT_EQ(
      Fail("RestoreTableToPointInTime", source + R"("RestoreDateTime":1763116200.124})").code(),
      ErrorCode::kInvalidRestoreTime);
  EXPECT_THAT(Call("RestoreTableToPointInTime", source + R"("RestoreDateTime":1763116200.123})"),
              HasSubstr(R"("RestoreDateTime":1763116200.123,"RestoreInProgress":true})"));
  EXPECT_THAT(Call("Scan", R"({"TableName":"copy","IndexName":"by-g"})"),
              HasSubstr(R"("Count":1)"));
}

TEST_F(RecoveryApiTest, RequestsAreCheckedAgainstTheModel) {
  EXPECT_EQ(Fail("RestoreTableToPointInTime",
                 R"({"SourceTableName":"orders","TargetTableName":"copy","RestoreDateTime":"now"})")
                .message(),
            "STRING_VALUE cannot be converted to Date");
  EXPECT_THAT(Fail("DescribeBackup", R"({"BackupArn":"short"})").message(),
              HasSubstr("Member must have length greater than or equal to 37"));
  EXPECT_THAT(Fail("ListBackups", R"({"BackupType":"OTHER"})").message(),
              HasSubstr("Member must satisfy enum value set: [USER, SYSTEM, AWS_BACKUP, ALL]"));
  EXPECT_THAT(Fail("UpdateContinuousBackups",
                   R"({"TableName":"orders","PointInTimeRecoverySpecification":
                   {"PointInTimeRecoveryEnabled":true,"RecoveryPeriodInDays":0}})")
                  .message(),
              HasSubstr("Member must have value greater than or equal to 1"));
  EXPECT_THAT(Fail("CreateBackup", R"({"TableName":"orders"})").message(),
              HasSubstr("Value null at 'backupName'"));
}

}  // namespace
}  // namespace monotable::api::dynamodb
