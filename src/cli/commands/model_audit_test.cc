#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/captured_run_for_tests.h"
#include "cli/commands.h"
#include "cli/commands/audit_report.h"
#include "cli/dynamodb_client.h"
#include "server/server.h"
#include "server/text_file.h"
#include "storage/temporary_folder_for_tests.h"

namespace monotable::cli {
namespace {

using server::ReadTextFile;
using server::WriteTextFile;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

constexpr std::string_view kNotes = R"(format: stm/1
model: notes
tables:
  main:
    name: notes
    keys: {hash: "PK S", range: "SK S"}
    type_attribute: kind
    rules: off
entities:
  Note:
    path: notes
    id: {attribute: id}
    keys: {primary: {PK: "NOTE#{id}", SK: META}}
    attributes:
      id: string!
      words: integer
      size: {type: integer, derive: "words * 2"}
)";

// A server with six notes, the first of which is right. Each of the others has a wrong size.
class ModelAuditTest : public testing::Test {
 protected:
  void SetUp() override {
    model_ = folder_.path() + "/notes.model.yaml";
    report_ = folder_.path() + "/report.json";
    ASSERT_TRUE(WriteTextFile(model_, kNotes));
    server::Config config;
    config.http.port = 0;
    config.http.threads = 1;
    config.in_memory = true;
    config.models = {model_};
    auto started = server::Server::Start(config);
    ASSERT_TRUE(started) << started.error().message();
    server_ = std::move(*started);
    for (int i = 0; i < 6; ++i) Put(i, i == 0 ? 2 : 7);
  }

  void Put(int id, int size) {
    const auto call = CallOf(server_->url(), {});
    ASSERT_TRUE(call);
    const auto put = (*call)(
        "PutItem",
        fmt::format(
            R"({{"TableName":"notes","Item":{{"PK":{{"S":"NOTE#ç{0}"}},"SK":{{"S":"META"}},)"
            R"("kind":{{"S":"Note"}},"id":{{"S":"ç{0}"}},"words":{{"N":"1"}},)"
            R"("size":{{"N":"{1}"}}}}}})",
            id, size));
    ASSERT_TRUE(put) << put.error().message();
  }
  void PutUnknown() {
    const auto call = CallOf(server_->url(), {});
    ASSERT_TRUE((*call)(
        "PutItem", R"({"TableName":"notes","Item":{"PK":{"S":"outra coisa"},"SK":{"S":"é"}}})"));
  }

  Outcome Run(std::vector<std::string_view> arguments) {
    const std::string url = server_->url();
    arguments.insert(arguments.end(), {"--endpoint", url});
    return CapturedRun(RunModel, arguments);
  }

  storage::TemporaryFolder folder_;
  std::string model_;
  std::string report_;
  std::unique_ptr<server::Server> server_;
};

TEST_F(ModelAuditTest, VerifiesWithoutChangingAnything) {
  for (int i = 0; i < 2; ++i) {
    const Outcome found = Run({"verify", "notes", "--page", "2"});
    EXPECT_EQ(found.code, 1) << found.errors;
    EXPECT_THAT(found.output,
                AllOf(HasSubstr("notes Note PK=NOTE#ç1 SK=META: size is 7, and words * 2 is 2. "
                                "[derived]\n  repair: It becomes 2.\n"),
                      Not(HasSubstr("ç0")),
                      HasSubstr("notes: 6 items: 5 findings, 5 of them repairable\n")));
  }
}

TEST_F(ModelAuditTest, RepairsOnlyWhenItIsToldTo) {
  const Outcome dry = Run({"repair", "notes"});
  EXPECT_EQ(dry.code, 1);
  EXPECT_THAT(dry.output, HasSubstr("Nothing was changed. To repair:\n"
                                    "  monotable model repair notes --apply\n"));
  EXPECT_EQ(Run({"verify", "notes"}).code, 1);
  const Outcome done = Run({"repair", model_, "--apply", "--page", "1"});
  EXPECT_EQ(done.code, 0) << done.errors;
  EXPECT_THAT(done.output, HasSubstr("notes: 6 items: 5 repaired, nothing is left\n"));
  const Outcome again = Run({"repair", "notes", "--apply"});
  EXPECT_EQ(again.code, 0);
  EXPECT_EQ(again.output, "notes: 6 items: nothing is wrong\n");
}

TEST_F(ModelAuditTest, ListsWhatAPersonHasToDecide) {
  PutUnknown();
  const Outcome done = Run({"repair", "notes", "--apply", "--report", report_});
  EXPECT_EQ(done.code, 1);
  EXPECT_THAT(done.output,
              AllOf(HasSubstr("PK=outra coisa SK=é: No entity"), HasSubstr("  to do: Delete"),
                    HasSubstr("notes: 7 items: 5 repaired, 1 left to decide\n")));
  const auto text = ReadTextFile(report_);
  ASSERT_TRUE(text);
  const auto report = AuditReport::Parse(*text);
  ASSERT_TRUE(report) << report.error().message();
  EXPECT_TRUE(report->complete);
  EXPECT_EQ(report->pass, 2);
  EXPECT_EQ(report->repaired.size(), 5u);
  ASSERT_EQ(report->findings.size(), 1u);
  EXPECT_EQ(report->findings[0].kind, "unknown_item");
  EXPECT_EQ(report->findings[0].Where(), "notes PK=outra coisa SK=é");
  EXPECT_EQ(report->ToJson(), *text);
}

// The report of a command that was stopped after its first page.
TEST_F(ModelAuditTest, GoesOnWhereItWasStopped) {
  const auto call = OwnCallOf(server_->url(), "");
  ASSERT_TRUE(call);
  const auto answer = (*call)("VerifyModel", R"({"Model":"notes","Limit":4})");
  ASSERT_TRUE(answer) << answer.error().message();
  const auto tree = json::Tree::Parse(*answer);
  AuditReport stopped;
  stopped.command = "verify";
  stopped.model = "notes";
  stopped.items = NumberIn(tree->root(), "Items");
  stopped.position = TextIn(tree->root(), "NextPosition");
  for (const json::Node& node : tree->root().Find("Findings")->items) {
    stopped.Add(AuditFinding::Read(node));
  }
  ASSERT_EQ(stopped.items, 4);
  ASSERT_TRUE(WriteTextFile(report_, stopped.ToJson()));
  const Outcome rest = Run({"verify", "notes", "--resume", report_});
  EXPECT_EQ(rest.code, 1) << rest.errors;
  EXPECT_THAT(rest.output, HasSubstr("notes: 6 items: 5 findings, 5 of them repairable\n"));
  const auto report = AuditReport::Parse(*ReadTextFile(report_));
  ASSERT_TRUE(report);
  EXPECT_TRUE(report->complete);
  EXPECT_EQ(report->findings.size(), 5u);
  EXPECT_THAT(Run({"repair", "notes", "--resume", report_}).errors,
              HasSubstr("is a report of: monotable model verify notes. Resume that command."));
}

TEST_F(ModelAuditTest, SaysHowToGoOnWhenTheServerIsGone) {
  AuditReport stopped;
  stopped.command = "verify";
  stopped.model = "notes";
  stopped.position = "AAAA";
  ASSERT_TRUE(WriteTextFile(report_, stopped.ToJson()));
  const Outcome lost = CapturedRun(
      RunModel, {"verify", "notes", "--endpoint", "http://127.0.0.1:1", "--resume", report_});
  EXPECT_EQ(lost.code, 2);
  EXPECT_THAT(lost.errors,
              AllOf(HasSubstr("No answer from 127.0.0.1:1"),
                    HasSubstr("To go on: monotable model verify notes --resume " + report_)));
  EXPECT_EQ(AuditReport::Parse(*ReadTextFile(report_))->position, "AAAA");
}

TEST_F(ModelAuditTest, RefusesWhatItCannotDo) {
  const std::string missing = folder_.path() + "/none.yaml";
  for (const auto& [arguments, why] :
       std::vector<std::pair<std::vector<std::string_view>, std::string>>{
           {{"verify"}, "Give the name of one model, or its file."},
           {{"verify", "lost"}, "The server serves no model lost. Its models: notes."},
           {{"verify", "notes", "--page", "0"}, "--page is a number from 1 to 10000."},
           {{"verify", "notes", "--resume", model_}, model_ + ": "},
           {{"verify", "notes", "--report", "/no/such/folder/x.json"}, "/no/such/folder/x.json"},
           {{"verify", missing}, "none.yaml"},
           {{"verify", "notes", "--apply"}, "--apply"}}) {
    const Outcome refused = Run(arguments);
    EXPECT_EQ(refused.code, 2) << why;
    EXPECT_THAT(refused.errors, HasSubstr(why));
  }
}

}  // namespace
}  // namespace monotable::cli
