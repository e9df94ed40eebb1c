#include "server/models.h"

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/dynamodb/in_process.h"
#include "deploy/plan.h"
#include "storage/memory/memory_store.h"

namespace monotable::server {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

constexpr std::string_view kNotes = R"(format: stm/1
model: notes
tables:
  main:
    name: notes-{environment}
    keys: {hash: "PK S", range: "SK S"}
    type_attribute: kind
    ttl_attribute: ttl
    stream: new
    indexes:
      GSI1: {hash: "Author S", range: "SK S", project: all}
environments: {dev: {}, prod: {deletion_protection: true}}
entities:
  Note:
    path: notes
    id: {attribute: id}
    keys: {primary: {PK: "NOTE#{id}", SK: META}}
    attributes: {id: string!, text: string}
patterns:
  - {id: AP1, name: getNote, get: Note, by: [id]}
samples: notes.json
)";

constexpr std::string_view kSamples =
    R"([{"table": "main", "item": {"PK": {"S": "NOTE#1"}, "SK": {"S": "META"},
         "kind": {"S": "Note"}, "id": {"S": "1"}, "Author": {"S": "ann"}}}])";

class ModelsTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (std::filesystem::temp_directory_path() / "monotable-XXXXXX").string();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
    auto engine = engine::Engine::Open(*store_, clock_, {});
    ASSERT_TRUE(engine) << engine.error().message();
    engine_ = std::move(*engine);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string Write(const std::string& name, std::string_view text) const {
    std::ofstream(folder_ / name) << text;
    return (folder_ / name).string();
  }
  static std::string Replaced(std::string_view from, std::string_view to) {
    std::string text(kNotes);
    const size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return text.replace(at, from.size(), to);
  }
  // Empty if all went well.
  std::string Deploy(const Config& config) {
    const auto models = LoadModels(config);
    if (!models) return models.error().message();
    Status deployed = DeployModels(*models, config, *engine_);
    if (deployed) deployed = PutSamples(*models, config, *engine_);
    return deployed ? "" : deployed.error().message();
  }
  std::string Ask(std::string_view operation, std::string_view body) {
    const auto answer = api::dynamodb::CallInProcess(*engine_, operation, body);
    return answer ? *answer : answer.error().message();
  }

  std::filesystem::path folder_;
  std::unique_ptr<storage::Store> store_ = storage::NewMemoryStore();
  engine::SystemClock clock_;
  std::unique_ptr<engine::Engine> engine_;
};

TEST_F(ModelsTest, NoModelsAreNothingToDo) {
  EXPECT_EQ(Deploy({}), "");
  EXPECT_EQ(Ask("ListTables", "{}"), R"({"TableNames":[]})");
}

TEST_F(ModelsTest, TablesAndSamplesAreThereAndStay) {
  Config config;
  config.models = {Write("notes.yaml", kNotes)};
  Write("notes.json", kSamples);
  config.samples = true;
  config.environments = {"prod"};
  EXPECT_EQ(Deploy(config), "");
  const std::string described = Ask("DescribeTable", R"({"TableName":"notes-prod"})");
  EXPECT_THAT(described, HasSubstr(R"("DeletionProtectionEnabled":true)"));
  EXPECT_THAT(described, HasSubstr(R"("StreamViewType":"NEW_IMAGE")"));
  EXPECT_THAT(Ask("DescribeTimeToLive", R"({"TableName":"notes-prod"})"), HasSubstr("ENABLED"));
  constexpr std::string_view kQuery = R"({"TableName":"notes-prod","IndexName":"GSI1",
      "KeyConditionExpression":"Author = :a","ExpressionAttributeValues":{":a":{"S":"ann"}}})";
  EXPECT_THAT(Ask("Query", kQuery), HasSubstr(R"("Count":1)"));

  // A second start changes nothing, not even samples that were edited meanwhile.
  EXPECT_THAT(Ask("UpdateItem", R"({"TableName":"notes-prod",
      "Key":{"PK":{"S":"NOTE#1"},"SK":{"S":"META"}},"UpdateExpression":"SET Author = :b",
      "ExpressionAttributeValues":{":b":{"S":"bob"}}})"),
              "{}");
  const auto models = LoadModels(config);
  ASSERT_TRUE(models);
  const auto plan = deploy::PlanDeployment(models->front().model,
                                           {.target = {.environment = "prod"}}, CallOf(*engine_));
  ASSERT_TRUE(plan) << plan.error().message();
  EXPECT_TRUE(plan->empty());
  EXPECT_EQ(Deploy(config), "");
  EXPECT_THAT(Ask("Query", kQuery), HasSubstr(R"("Count":0)"));
}

TEST_F(ModelsTest, AChangedModelChangesItsTables) {
  Config config;
  config.models = {Write("notes.yaml", kNotes)};
  EXPECT_EQ(Deploy(config), "");
  Write("notes.yaml",
        Replaced("    indexes:\n", "    indexes:\n      GSI2: {hash: \"id S\", project: keys}\n"));
  EXPECT_EQ(Deploy(config), "");
  EXPECT_THAT(Ask("DescribeTable", R"({"TableName":"notes-dev"})"), HasSubstr("GSI2"));
  // Nothing is taken away at a start.
  Write("notes.yaml", kNotes);
  EXPECT_THAT(Deploy(config), HasSubstr("Table notes-dev: 'delete index GSI2' takes something"));
}

TEST_F(ModelsTest, AStartLeavesTheProtectionThatSomebodyDeployed) {
  Config config;
  config.models = {Write("notes.yaml", kNotes)};
  EXPECT_EQ(Deploy(config), "");
  Ask("UpdateContinuousBackups", R"({"TableName":"notes-dev",
      "PointInTimeRecoverySpecification":{"PointInTimeRecoveryEnabled":true}})");
  Ask("UpdateTable", R"({"TableName":"notes-dev","DeletionProtectionEnabled":true})");
  EXPECT_EQ(Deploy(config), "");
  EXPECT_THAT(Ask("DescribeContinuousBackups", R"({"TableName":"notes-dev"})"),
              HasSubstr(R"("PointInTimeRecoveryStatus":"ENABLED")"));
  EXPECT_THAT(Ask("DescribeTable", R"({"TableName":"notes-dev"})"),
              HasSubstr(R"("DeletionProtectionEnabled":true)"));
}

TEST_F(ModelsTest, EachModelTakesTheFirstEnvironmentThatItHas) {
  Config config;
  std::string other = Replaced("prod: {", "production: {");
  other.replace(other.find("model: notes"), 12, "model: other");
  other.replace(other.find("name: notes-"), 12, "name: other-");
  config.models = {Write("other.yaml", other), Write("notes.yaml", kNotes)};
  config.environments = {"production", "prod"};
  EXPECT_EQ(Deploy(config), "");
  EXPECT_EQ(Ask("ListTables", "{}"), R"({"TableNames":["notes-prod","other-production"]})");
  config.environments = {"prod"};
  EXPECT_THAT(Deploy(config), HasSubstr("The model other has no environment 'prod'"));
}

TEST_F(ModelsTest, TheServedEnvironmentSaysWhichBackupsAreMade) {
  Config config;
  config.models = {
      Write("notes.yaml", Replaced("prod: {", "prod: {backups: {daily: \"03:15Z\", keep: 9}, "))};
  const auto models = LoadModels(config);
  ASSERT_TRUE(models) << models.error().message();
  EXPECT_TRUE(DailyBackupsOf(*models, config)->empty());
  config.environments = {"prod"};
  const auto daily = DailyBackupsOf(*models, config);
  ASSERT_TRUE(daily) << daily.error().message();
  ASSERT_EQ(daily->size(), 1u);
  EXPECT_EQ(daily->front().table_name, "notes-prod");
  EXPECT_EQ(daily->front().time_of_day_ms, (3 * 60 + 15) * 60'000);
  EXPECT_EQ(daily->front().keep_days, 9);
}

TEST_F(ModelsTest, ParametersNameTables) {
  Config config;
  config.models = {
      Write("notes.yaml", Replaced("name: notes-{environment}", "name: \"{Prefix}-n\"") +
                              "parameters: {Prefix: {default: first}}\n")};
  EXPECT_EQ(Deploy(config), "");
  config.parameters = {"Prefix=second"};
  EXPECT_EQ(Deploy(config), "");
  // What names the model counts more, and what names another model does not count.
  config.parameters = {"notes.Prefix=third", "Prefix=fourth"};
  EXPECT_EQ(Deploy(config), "");
  EXPECT_EQ(Ask("ListTables", "{}"), R"({"TableNames":["first-n","second-n","third-n"]})");
  config.parameters = {"Prefx=fifth"};
  EXPECT_EQ(Deploy(config), "No model has the parameter 'Prefx'. Correct --set, or leave it out.");
  config.parameters = {"notes.Prefx=fifth"};
  EXPECT_THAT(Deploy(config), HasSubstr("Prefx"));
}

TEST_F(ModelsTest, AdoptedTablesAreCreatedOnlyIfTheConfigSaysSo) {
  Config config;
  config.models = {Write("notes.yaml", Replaced("    type_attribute",
                                                "    adopt: true\n"
                                                "    type_attribute"))};
  EXPECT_THAT(Deploy(config), HasSubstr("is adopted"));
  config.create_adopted = true;
  EXPECT_EQ(Deploy(config), "");
  config.create_adopted = false;
  EXPECT_EQ(Deploy(config), "");
}

TEST_F(ModelsTest, OneModelMayAdoptTheTableOfAnother) {
  Config config;
  std::string other = Replaced("    type_attribute", "    adopt: true\n    type_attribute");
  other.replace(other.find("model: notes"), 12, "model: other");
  config.models = {Write("other.yaml", other), Write("notes.yaml", kNotes)};
  EXPECT_EQ(Deploy(config), "");
  other = std::string(kNotes).replace(std::string(kNotes).find("model: notes"), 12, "model: other");
  Write("other.yaml", other);
  EXPECT_EQ(Deploy(config),
            "The models other and notes both declare table notes-dev. Let one of them adopt it.");
  config.models = {config.models[1], config.models[1]};
  EXPECT_THAT(Deploy(config), HasSubstr("are both called notes"));
}

TEST_F(ModelsTest, MistakesAreToldWithTheirPlace) {
  Config config;
  config.models = {Write("notes.yaml", Replaced("\"NOTE#{id}\"", "\"NOTE#{idd}\""))};
  const std::string message = Deploy(config);
  EXPECT_THAT(message, HasSubstr("is not served because of its errors"));
  EXPECT_THAT(message, testing::ContainsRegex("notes.yaml:[0-9]+:[0-9]+: error: "));
  config.models = {(folder_ / "none.yaml").string()};
  EXPECT_THAT(Deploy(config), HasSubstr("none.yaml cannot be read"));
}

TEST_F(ModelsTest, BadSamplesAndEnvironmentsAreRefused) {
  Config config;
  config.models = {Write("notes.yaml", kNotes)};
  config.samples = true;
  EXPECT_THAT(Deploy(config), HasSubstr("notes.json cannot be read"));
  Write("notes.json", "{}");
  EXPECT_THAT(Deploy(config), HasSubstr("notes.json: The samples are not a JSON list"));
  config.environments = {"prd"};
  EXPECT_THAT(Deploy(config), HasSubstr("Did you mean prod?"));
}

}  // namespace
}  // namespace monotable::server
