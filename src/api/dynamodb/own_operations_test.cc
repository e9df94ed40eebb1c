#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/dynamodb/in_process.h"
#include "api/dynamodb/operation_table.h"
#include "storage/memory/memory_store.h"
#include "wire/constraint_check.h"
#include "wire/type_check.h"

namespace monotable::api::dynamodb {
namespace {

using testing::HasSubstr;

class FakeAdministration final : public Administration {
 public:
  Result<int64_t> AdvanceClock(int64_t by_ms) override {
    if (!has_clock) return Error(ErrorCode::kUnknownOperation, "");
    return now_ms += by_ms;
  }
  Result<ServerBackup> CreateBackup(bool with_digests) override {
    ServerBackup backup{
        .id = 3, .time_ms = 1'763'116'200'025, .bytes = 12, .files = 2, .folder = "/backups"};
    backup.tables.push_back({"notes", 7, with_digests ? "abc" : ""});
    return backup;
  }
  Result<std::vector<ServerBackup>> ListBackups() override {
    ServerBackup damaged;
    damaged.id = 2;
    damaged.folder = "/backups";
    damaged.damaged = true;
    return std::vector{damaged, *CreateBackup(false)};
  }

  Result<ServerScrub> Scrub() override { return ServerScrub{3, 4096, {"a file is damaged"}}; }

  Result<ModelAuditPage> AuditModel(const ModelAuditRequest& request) override {
    asked = request;
    ModelAuditPage page{.items = 2, .total = 5, .breaches = {}, .next = std::string("t\0k", 3)};
    item::Item key;
    key.Set("PK", item::Value("SALE#é"));
    page.breaches.push_back(
        {"derived", "repairable", "sales", "Sale", key, "Total", "It is 5.", "It becomes 7."});
    return page;
  }

  bool has_clock = true;
  ModelAuditRequest asked;
  int64_t now_ms = 1'000;
};

class OwnOperationsTest : public testing::Test {
 protected:
  void SetUp() override {
    auto engine = engine::Engine::Open(*store_, clock_, {});
    ASSERT_TRUE(engine) << engine.error().message();
    engine_ = std::move(*engine);
  }

  // The body of the answer, as a client gets it.
  std::string Run(std::string_view name, std::string body) {
    const Operation* operation = FindOperation(std::string(kOwnTarget).append(name));
    if (operation == nullptr) return "no such operation";
    body.reserve(body.size() + json::kPadding);
    json::Parser parser;
    const auto root = parser.Parse(body);
    if (!root) return "no JSON";
    json::Object object;
    if (!root->Get(&object)) return "no object";
    for (const Status& checked : {wire::CheckTypes(operation->input, *root),
                                  wire::CheckConstraints(operation->input, object)}) {
      if (!checked) return checked.error().message();
    }
    const Answer answer = operation->returns({*engine_, object, "", administration_});
    if (answer) return *answer;
    std::string error;
    EncodeError(answer.error(), &error);
    return error;
  }

  engine::SystemClock clock_;
  std::unique_ptr<storage::Store> store_ = storage::NewMemoryStore();
  std::unique_ptr<engine::Engine> engine_;
  FakeAdministration fake_;
  Administration* administration_ = &fake_;
};

TEST_F(OwnOperationsTest, ClocksMoveByFractionsAndNeverBack) {
  EXPECT_EQ(Run("AdvanceClock", R"({"Seconds":2})"), R"({"Now":3.000})");
  EXPECT_EQ(Run("AdvanceClock", R"({"Seconds":0.25})"), R"({"Now":3.250})");
  EXPECT_THAT(Run("AdvanceClock", R"({"Seconds":-1})"), HasSubstr("greater than or equal to 0"));
  EXPECT_THAT(Run("AdvanceClock", R"({"Seconds":-0.5})"), HasSubstr("time does not go back"));
  EXPECT_THAT(Run("AdvanceClock", R"({"Seconds":1e18})"), HasSubstr("less than or equal to"));
  EXPECT_THAT(Run("AdvanceClock", "{}"), HasSubstr("must not be null"));
  EXPECT_EQ(fake_.now_ms, 3'250);
  fake_.has_clock = false;
  EXPECT_THAT(Run("AdvanceClock", R"({"Seconds":1})"), HasSubstr("UnknownOperationException"));
}

TEST_F(OwnOperationsTest, BackupsSayWhatIsInThem) {
  const std::string made =
      R"({"Id":3,"Time":1763116200.025,"Bytes":12,"Files":2,"Folder":"/backups",)"
      R"("Tables":[{"TableName":"notes","ItemCount":7)";
  EXPECT_EQ(Run("CreateServerBackup", "{}"), R"({"Backup":)" + made + "}]}}");
  EXPECT_EQ(Run("CreateServerBackup", R"({"Digest":true})"),
            R"({"Backup":)" + made + R"(,"Digest":"abc"}]}})");
  EXPECT_EQ(Run("ListServerBackups", "{}"),
            R"({"Backups":[{"Id":2,"Damaged":true,"Folder":"/backups"},)" + made + "}]}]}");
}

TEST_F(OwnOperationsTest, AScrubSaysWhatIsDamaged) {
  EXPECT_EQ(Run("ScrubServer", "{}"), R"({"Files":3,"Bytes":4096,"Damage":["a file is damaged"]})");
}

TEST_F(OwnOperationsTest, AModelIsVerifiedInPages) {
  EXPECT_EQ(
      Run("VerifyModel", R"({"Model":"sales"})"),
      R"({"Items":2,"TotalItems":5,"Findings":[{"Kind":"derived","State":"repairable",)"
      R"("TableName":"sales","Entity":"Sale","Key":{"PK":{"S":"SALE#é"}},"Attribute":"Total",)"
      R"("Message":"It is 5.","Remedy":"It becomes 7."}],"NextPosition":"dABr"})");
  EXPECT_EQ(fake_.asked.limit, 1000u);
  EXPECT_FALSE(fake_.asked.repair);
  Run("VerifyModel", R"({"Model":"sales","Repair":true,"Position":"dABr","Limit":7})");
  EXPECT_EQ(fake_.asked.position, std::string("t\0k", 3));
  EXPECT_EQ(fake_.asked.limit, 7u);
  EXPECT_TRUE(fake_.asked.repair);
  EXPECT_THAT(Run("VerifyModel", "{}"), HasSubstr("must not be null"));
  EXPECT_THAT(Run("VerifyModel", R"({"Model":"sales","Position":"!"})"),
              HasSubstr("an earlier answer"));
  EXPECT_THAT(Run("VerifyModel", R"({"Model":"sales","Limit":0})"), HasSubstr("greater than"));
}

TEST_F(OwnOperationsTest, WithoutAServerThereIsNoneToAsk) {
  administration_ = nullptr;
  for (const char* name : {"CreateServerBackup", "ListServerBackups", "ScrubServer"}) {
    EXPECT_THAT(Run(name, "{}"), HasSubstr("UnknownOperationException")) << name;
  }
  EXPECT_THAT(Run("AdvanceClock", R"({"Seconds":1})"), HasSubstr("UnknownOperationException"));
  EXPECT_THAT(Run("VerifyModel", R"({"Model":"m"})"), HasSubstr("UnknownOperationException"));
  EXPECT_EQ(FindOperation("Monotable_20261101.GetItem"), nullptr);
  EXPECT_EQ(FindOperation("DynamoDB_20120810.AdvanceClock"), nullptr);
}

TEST_F(OwnOperationsTest, ExpiryIsReportedForTablesThatHaveIt) {
  const auto call = [&](std::string_view operation, std::string_view body) {
    const auto answer = CallInProcess(*engine_, operation, body);
    ASSERT_TRUE(answer) << answer.error().message();
  };
  for (const char* name : {"notes", "others"}) {
    call("CreateTable", std::string(R"({"TableName":")") + name +
                            R"(","BillingMode":"PAY_PER_REQUEST",
        "AttributeDefinitions":[{"AttributeName":"id","AttributeType":"S"}],
        "KeySchema":[{"AttributeName":"id","KeyType":"HASH"}]})");
  }
  EXPECT_EQ(Run("DescribeExpiry", "{}"), R"({"Tables":[]})");
  call("UpdateTimeToLive",
       R"({"TableName":"notes","TimeToLiveSpecification":{"Enabled":true,"AttributeName":"t"}})");
  call("PutItem", R"({"TableName":"notes","Item":{"id":{"S":"a"},"t":{"N":"4000000000"}}})");
  const std::string report =
      R"({"Tables":[{"TableName":"notes","AttributeName":"t","PendingCount":1,"ExpiredCount":0,)"
      R"("IgnoredCount":0,"DeletedCount":0}]})";
  EXPECT_EQ(Run("DescribeExpiry", "{}"), report);
  EXPECT_EQ(Run("DescribeExpiry", R"({"TableName":"notes"})"), report);
  EXPECT_EQ(Run("DescribeExpiry", R"({"TableName":"others"})"), R"({"Tables":[]})");
  EXPECT_THAT(Run("DescribeExpiry", R"({"TableName":"nothing"})"),
              HasSubstr("Requested resource not found"));
}

}  // namespace
}  // namespace monotable::api::dynamodb
