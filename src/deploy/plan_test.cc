#include "deploy/plan.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "deploy/server_for_tests.h"
#include "model/load/load.h"

namespace monotable::deploy {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

model::Model Load(std::string_view settings, std::string_view indexes) {
  const std::string text = fmt::format(R"(format: stm/1
model: shop
tables:
  main:
    name: "shop-{{environment}}"
    keys: {{hash: "PK S", range: "SK S"}}
    {}
    indexes: {{{}}}
environments:
  dev: {{}}
  prod: {{pitr: {{days: 7}}, deletion_protection: true}}
entities:
  Buyer:
    path: buyers
    id: {{attribute: BuyerId}}
    keys: {{primary: {{PK: "BUYER#{{BuyerId}}", SK: "META"}}}}
    attributes: {{BuyerId: string!, Name: string, Age: integer, x: string, y: string}}
)",
                                       settings, indexes);
  model::Findings findings;
  auto model = model::LoadModel(text, &findings);
  for (const model::Finding& finding : findings.all()) {
    EXPECT_NE(finding.severity, model::Severity::kError) << FormatFinding("shop", finding);
  }
  return model ? *std::move(model) : model::Model();
}

constexpr std::string_view kFirst = R"(GSI1: {hash: "A S", range: "B N", project: all})";
constexpr std::string_view kSecond = R"(GSI2: {hash: "C S", project: [Name, Age]})";

// The description of a table that is what Load("", kFirst) wants, with some text replaced.
std::string Described(std::string_view from = "", std::string_view to = "") {
  std::string text = R"({"Table":{"TableName":"shop-dev","TableStatus":"ACTIVE",
    "AttributeDefinitions":[{"AttributeName":"PK","AttributeType":"S"},
      {"AttributeName":"SK","AttributeType":"S"},{"AttributeName":"A","AttributeType":"S"},
      {"AttributeName":"B","AttributeType":"N"}],
    "KeySchema":[{"AttributeName":"PK","KeyType":"HASH"},
      {"AttributeName":"SK","KeyType":"RANGE"}],
    "BillingModeSummary":{"BillingMode":"PAY_PER_REQUEST"},
    "GlobalSecondaryIndexes":[{"IndexName":"GSI1","IndexStatus":"ACTIVE",
      "KeySchema":[{"AttributeName":"A","KeyType":"HASH"},{"AttributeName":"B","KeyType":"RANGE"}],
      "Projection":{"ProjectionType":"ALL"}}],
    "DeletionProtectionEnabled":false}})";
  if (!from.empty()) {
    const size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    if (at != std::string::npos) text.replace(at, from.size(), to);
  }
  return text;
}

class PlanTest : public testing::Test {
 protected:
  PlanTest() {
    server_.Answer("DescribeTimeToLive",
                   R"({"TimeToLiveDescription":{"TimeToLiveStatus":"DISABLED"}})");
  }

  Plan MustPlan(const model::Model& model, const PlanOptions& options = {}) {
    auto plan = PlanDeployment(model, options, server_.call());
    EXPECT_TRUE(plan) << plan.error().message();
    return plan ? *std::move(plan) : Plan();
  }
  static std::vector<std::string> Lines(const Plan& plan) {
    std::vector<std::string> lines;
    for (const Step& step : plan.steps) {
      lines.push_back(
          fmt::format("{}{}: {}", step.destructive ? "! " : "", step.operation, step.line));
    }
    return lines;
  }

  FakeServer server_;
};

TEST_F(PlanTest, NothingIsToBeDoneIfAllIsAsItShouldBe) {
  server_.Answer("DescribeTable", Described());
  const Plan plan = MustPlan(Load("", kFirst));
  EXPECT_TRUE(plan.empty()) << Lines(plan)[0];
  EXPECT_THAT(plan.notes, IsEmpty());
}

TEST_F(PlanTest, CreatesATableWithEverythingInOneRequest) {
  server_.Answer("DescribeTable", NoTable());
  const Plan plan =
      MustPlan(Load("stream: new_and_old\n    encryption: alias/shop",
                    fmt::format("{}, {}, LSI1: {{local: true, range: \"D S\"}}", kFirst, kSecond)));
  ASSERT_THAT(Lines(plan),
              ElementsAre("CreateTable: create table (PK S, SK S; indexes GSI1, GSI2, LSI1)"));
  EXPECT_EQ(plan.steps[0].table, "shop-dev");
  EXPECT_EQ(
      plan.steps[0].request,
      R"({"TableName":"shop-dev","BillingMode":"PAY_PER_REQUEST","AttributeDefinitions":[)"
      R"({"AttributeName":"PK","AttributeType":"S"},{"AttributeName":"SK","AttributeType":"S"},)"
      R"({"AttributeName":"A","AttributeType":"S"},{"AttributeName":"B","AttributeType":"N"},)"
      R"({"AttributeName":"C","AttributeType":"S"},{"AttributeName":"D","AttributeType":"S"}],)"
      R"("KeySchema":[{"AttributeName":"PK","KeyType":"HASH"},)"
      R"({"AttributeName":"SK","KeyType":"RANGE"}],"LocalSecondaryIndexes":[{"IndexName":"LSI1",)"
      R"("KeySchema":[{"AttributeName":"PK","KeyType":"HASH"},)"
      R"({"AttributeName":"D","KeyType":"RANGE"}],"Projection":{"ProjectionType":"ALL"}}],)"
      R"("GlobalSecondaryIndexes":[{"IndexName":"GSI1","KeySchema":[)"
      R"({"AttributeName":"A","KeyType":"HASH"},{"AttributeName":"B","KeyType":"RANGE"}],)"
      R"("Projection":{"ProjectionType":"ALL"}},{"IndexName":"GSI2","KeySchema":[)"
      R"({"AttributeName":"C","KeyType":"HASH"}],"Projection":{"ProjectionType":"INCLUDE",)"
      R"("NonKeyAttributes":["Age","Name"]}}],"StreamSpecification":{"StreamEnabled":true,)"
      R"("StreamViewType":"NEW_AND_OLD_IMAGES"},"SSESpecification":{"Enabled":true,)"
      R"("SSEType":"KMS","KMSMasterKeyId":"alias/shop"}})");
}

TEST_F(PlanTest, SettingsOfTheEnvironmentFollowTheTable) {
  server_.Answer("DescribeTable", NoTable());
  server_.Answer("DescribeContinuousBackups", NoTable());
  const Plan plan =
      MustPlan(Load("ttl_attribute: ttl", kFirst), {.target = {.environment = "prod"}});
  EXPECT_THAT(Lines(plan),
              ElementsAre("CreateTable: create table (PK S, SK S; index GSI1)",
                          "UpdateTimeToLive: expire items by ttl",
                          "UpdateContinuousBackups: keep 7 days for point-in-time recovery"));
  EXPECT_THAT(plan.steps[0].request, HasSubstr(R"("DeletionProtectionEnabled":true)"));
  EXPECT_EQ(plan.steps[1].request, R"({"TableName":"shop-prod","TimeToLiveSpecification":)"
                                   R"({"AttributeName":"ttl","Enabled":true}})");
  EXPECT_EQ(plan.steps[2].request,
            R"({"TableName":"shop-prod","PointInTimeRecoverySpecification":)"
            R"({"PointInTimeRecoveryEnabled":true,"RecoveryPeriodInDays":7}})");
}

TEST_F(PlanTest, AServerWithoutRecoveryIsNotedOnly) {
  server_.Answer("DescribeTable", NoTable());
  const Plan plan = MustPlan(Load("", kFirst), {.target = {.environment = "prod"}});
  EXPECT_EQ(plan.steps.size(), 1u);
  EXPECT_THAT(plan.notes, ElementsAre("Table shop-prod: point-in-time recovery is wanted, but this "
                                      "server does not know it."));
}

TEST_F(PlanTest, IndexesAreCreatedAndDeletedOneByOne) {
  server_.Answer("DescribeTable", Described());
  const Plan plan = MustPlan(Load("", kSecond));
  ASSERT_THAT(Lines(plan),
              ElementsAre("! UpdateTable: delete index GSI1",
                          "UpdateTable: create index GSI2 (C S; Age, Name and the keys)"));
  EXPECT_EQ(plan.steps[0].request, R"({"TableName":"shop-dev","GlobalSecondaryIndexUpdates":[)"
                                   R"({"Delete":{"IndexName":"GSI1"}}]})");
  EXPECT_EQ(plan.steps[1].request,
            R"({"TableName":"shop-dev","AttributeDefinitions":[)"
            R"({"AttributeName":"C","AttributeType":"S"}],"GlobalSecondaryIndexUpdates":[)"
            R"({"Create":{"IndexName":"GSI2","KeySchema":[{"AttributeName":"C",)"
            R"("KeyType":"HASH"}],"Projection":{"ProjectionType":"INCLUDE",)"
            R"("NonKeyAttributes":["Age","Name"]}}}]})");
}

TEST_F(PlanTest, AChangedIndexIsMadeAnew) {
  server_.Answer("DescribeTable",
                 Described(R"("B","AttributeType":"N")", R"("B","AttributeType":"S")"));
  EXPECT_THAT(Lines(MustPlan(Load("", kFirst))),
              ElementsAre("! UpdateTable: delete index GSI1 to create it anew: its key is A S, B S "
                          "and should be A S, B N",
                          "UpdateTable: create index GSI1 (A S, B N; all attributes)"));
  server_.Replace("DescribeTable", Described(R"("ALL")", R"("KEYS_ONLY")"));
  EXPECT_THAT(Lines(MustPlan(Load("", kFirst)))[0],
              HasSubstr("its projection is keys only and should be all attributes"));
}

TEST_F(PlanTest, TheOrderOfProjectedAttributesDoesNotMatter) {
  server_.Answer("DescribeTable",
                 Described(R"({"ProjectionType":"ALL"})",
                           R"({"ProjectionType":"INCLUDE","NonKeyAttributes":["y","x"]})"));
  EXPECT_TRUE(MustPlan(Load("", R"(GSI1: {hash: "A S", range: "B N", project: [x, y]})")).empty());
}

TEST_F(PlanTest, AnIndexThatIsBeingDeletedIsNotThere) {
  server_.Answer("DescribeTable",
                 Described(R"("IndexStatus":"ACTIVE")", R"("IndexStatus":"DELETING")"));
  EXPECT_THAT(Lines(MustPlan(Load("", kFirst))),
              ElementsAre("UpdateTable: create index GSI1 (A S, B N; all attributes)"));
}

TEST_F(PlanTest, KeysAndLocalIndexesCannotChange) {
  server_.Answer("DescribeTable",
                 Described(R"("SK","AttributeType":"S")", R"("SK","AttributeType":"N")"));
  EXPECT_THAT(MustPlan(Load("", kFirst)).problems,
              ElementsAre("Table shop-dev: its key is PK S, SK N and should be PK S, SK S; a table "
                          "cannot change its key."));
  server_.Replace("DescribeTable", Described());
  EXPECT_THAT(
      MustPlan(Load("", R"(GSI1: {local: true, range: "B N"}, LSI2: {local: true,
                                    range: "E S"})"))
          .problems,
      ElementsAre(HasSubstr("index GSI1 differs"), HasSubstr("lacks the local index LSI2")));
  server_.Replace("DescribeTable", Described("GlobalSecondaryIndexes", "LocalSecondaryIndexes"));
  EXPECT_THAT(MustPlan(Load("", kSecond)).problems,
              ElementsAre(HasSubstr("the local index GSI1, which cannot be deleted")));
}

TEST_F(PlanTest, SettingsAreChangedOneRequestEach) {
  server_.Answer("DescribeTable", Described(R"("DeletionProtectionEnabled":false)",
                                            R"("DeletionProtectionEnabled":true,
       "StreamSpecification":{"StreamEnabled":true,"StreamViewType":"KEYS_ONLY"})"));
  server_.Replace(
      "DescribeTimeToLive",
      R"({"TimeToLiveDescription":{"TimeToLiveStatus":"ENABLED","AttributeName":"old"}})");
  server_.Answer("DescribeContinuousBackups",
                 R"({"ContinuousBackupsDescription":{"ContinuousBackupsStatus":"ENABLED",
       "PointInTimeRecoveryDescription":{"PointInTimeRecoveryStatus":"ENABLED"}}})");
  const Plan plan = MustPlan(
      Load("billing: provisioned\n    stream: new\n    ttl_attribute: ttl\n    encryption: alias/x",
           kFirst));
  EXPECT_THAT(Lines(plan), ElementsAre("UpdateTable: encrypt with alias/x",
                                       "UpdateTable: provision 5 read and 5 write units",
                                       "! UpdateTable: stop the stream of KEYS_ONLY",
                                       "UpdateTable: start a stream of NEW_IMAGE",
                                       "UpdateTimeToLive: stop expiring items by old",
                                       "UpdateContinuousBackups: switch point-in-time recovery off",
                                       "UpdateTable: switch deletion protection off"));
  EXPECT_THAT(plan.notes, Contains(HasSubstr("deploy again in an hour to expire items by ttl")));
  EXPECT_EQ(plan.steps[1].request,
            R"({"TableName":"shop-dev","BillingMode":"PROVISIONED","ProvisionedThroughput":)"
            R"({"ReadCapacityUnits":5,"WriteCapacityUnits":5},"GlobalSecondaryIndexUpdates":[)"
            R"({"Update":{"IndexName":"GSI1","ProvisionedThroughput":{"ReadCapacityUnits":5,)"
            R"("WriteCapacityUnits":5}}}]})");
}

TEST_F(PlanTest, AdoptedTablesAreCheckedAndNotTouched) {
  const model::Model model = Load("adopt: true\n    ttl_attribute: ttl", kFirst);
  server_.Answer("DescribeTable", NoTable());
  EXPECT_THAT(MustPlan(model).problems,
              ElementsAre("Table shop-dev is adopted, so it is not created, but there is none."));
  EXPECT_THAT(Lines(MustPlan(model, {.target = {}, .create_adopted = true})),
              ElementsAre(HasSubstr("create table"), HasSubstr("expire items by ttl")));
  server_.Replace("DescribeTable", Described(R"("ALL")", R"("KEYS_ONLY")"));
  const Plan plan = MustPlan(model, {.target = {}, .create_adopted = true});
  EXPECT_THAT(plan.steps, IsEmpty());
  EXPECT_THAT(plan.problems,
              ElementsAre("Table shop-dev is adopted, so it is not changed, but its index GSI1 is "
                          "GSI1 (A S, B N; keys only) and should be GSI1 (A S, B N; all "
                          "attributes).",
                          HasSubstr("its items do not expire by ttl")));
  // More than the model uses is nobody's fault.
  server_.Replace("DescribeTable", Described());
  EXPECT_TRUE(MustPlan(Load("adopt: true", "")).empty());
}

TEST_F(PlanTest, ErrorsOfTheServerAreThoseOfThePlan) {
  server_.Answer("DescribeTable", Error(ErrorCode::kAccessDenied, "no"));
  const auto plan = PlanDeployment(Load("", kFirst), {}, server_.call());
  ASSERT_FALSE(plan);
  EXPECT_EQ(plan.error().message(), "no");
  server_.Replace("DescribeTable", "{}");
  EXPECT_FALSE(PlanDeployment(Load("", kFirst), {}, server_.call()));
  server_.Replace("DescribeTable", "{");
  EXPECT_FALSE(PlanDeployment(Load("", kFirst), {}, server_.call()));
}

class ApplyTest : public PlanTest {
 protected:
  ApplyTest() {
    options_.pause = [this](std::chrono::milliseconds pause) { paused_ += pause; };
    options_.progress = [this](const Step& step) { progress_.push_back(step.line); };
  }
  std::vector<std::string> Asked() const {
    std::vector<std::string> operations;
    for (const auto& asked : server_.asked) operations.push_back(asked.operation);
    return operations;
  }

  const Plan plan_ = {
      .steps = {{.table = "t", .line = "make it", .operation = "CreateTable"},
                {.table = "t", .line = "drop", .operation = "UpdateTable", .destructive = true}},
      .problems = {},
      .notes = {}};
  ApplyOptions options_;
  std::chrono::milliseconds paused_{0};
  std::vector<std::string> progress_;
};

TEST_F(ApplyTest, WaitsUntilEveryChangeIsDone) {
  options_.allow_destructive = true;
  server_.Answer("CreateTable", "{}");
  server_.Answer("UpdateTable", "{}");
  server_.Answer("DescribeTable",
                 Described(R"("TableStatus":"ACTIVE")", R"("TableStatus":"CREATING")"));
  server_.Answer("DescribeTable", Described());
  server_.Answer("DescribeTable", Described());
  server_.Answer("DescribeTable",
                 Described(R"("IndexStatus":"ACTIVE")", R"("IndexStatus":"DELETING")"));
  server_.Answer("DescribeTable", Described());
  const Status applied = ApplyPlan(plan_, server_.call(), options_);
  ASSERT_TRUE(applied) << applied.error().message();
  EXPECT_THAT(Asked(), ElementsAre("CreateTable", "DescribeTable", "DescribeTable", "DescribeTable",
                                   "UpdateTable", "DescribeTable", "DescribeTable"));
  EXPECT_THAT(progress_, ElementsAre("make it", "drop"));
  EXPECT_GT(paused_.count(), 0);
}

TEST_F(ApplyTest, RefusesWhatIsNotAllowedBeforeItBegins) {
  const Status applied = ApplyPlan(plan_, server_.call(), options_);
  ASSERT_FALSE(applied);
  EXPECT_EQ(applied.error().message(),
            "Table t: 'drop' takes something away from clients. To allow that, use monotable model "
            "deploy --allow-destructive.");
  Plan impossible = plan_;
  impossible.problems = {"It cannot be."};
  options_.allow_destructive = true;
  EXPECT_EQ(ApplyPlan(impossible, server_.call(), options_).error().message(), "It cannot be.");
  EXPECT_THAT(server_.asked, IsEmpty());
}

TEST_F(ApplyTest, StopsAtTheFirstFailure) {
  options_.allow_destructive = true;
  server_.Answer("CreateTable", Error(ErrorCode::kLimitExceeded, "too many"));
  const Status applied = ApplyPlan(plan_, server_.call(), options_);
  ASSERT_FALSE(applied);
  EXPECT_EQ(applied.error().code(), ErrorCode::kLimitExceeded);
  EXPECT_EQ(applied.error().message(), "Table t: could not make it: too many");
  EXPECT_THAT(Asked(), ElementsAre("CreateTable"));
}

TEST_F(ApplyTest, PatienceEnds) {
  options_.allow_destructive = true;
  options_.patience = std::chrono::seconds(30);
  server_.Answer("CreateTable", "{}");
  server_.Answer("DescribeTable",
                 Described(R"("TableStatus":"ACTIVE")", R"("TableStatus":"CREATING")"));
  EXPECT_EQ(ApplyPlan(plan_, server_.call(), options_).error().message(),
            "Table t is not active after 30 seconds.");
  EXPECT_GE(paused_, options_.patience);
}

}  // namespace
}  // namespace monotable::deploy
