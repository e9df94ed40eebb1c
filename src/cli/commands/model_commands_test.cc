#include "cli/commands/model_commands.h"

#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/captured_run_for_tests.h"
#include "cli/commands.h"
#include "cli/help.h"

namespace monotable::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

constexpr std::string_view kModel = R"(format: stm/1
model: notes
tables:
  main:
    name: notes
    keys: {hash: "PK S", range: "SK S"}
    type_attribute: kind
entities:
  Note:
    path: notes
    id: {attribute: id}
    keys: {primary: {PK: "NOTE#{id}", SK: META}}
    attributes: {id: string!, text: string}
patterns:
  - {id: AP1, name: getNote, get: Note, by: [id]}
)";

class ModelCommandTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (std::filesystem::temp_directory_path() / "monotable-XXXXXX").string();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string Path(const std::string& name) const { return (folder_ / name).string(); }
  std::string Write(const std::string& name, std::string_view text) const {
    EXPECT_TRUE(WriteTextFile(Path(name), text));
    return Path(name);
  }
  static Outcome Run(const std::vector<std::string_view>& arguments) {
    return CapturedRun(RunModel, arguments);
  }

  std::filesystem::path folder_;
};

TEST_F(ModelCommandTest, ChecksFiles) {
  const std::string file = Write("notes.model.yaml", kModel);
  const Outcome outcome = Run({"check", file});
  EXPECT_EQ(outcome.code, 0) << outcome.output;
  EXPECT_THAT(outcome.output, HasSubstr(file + ": 1 entity, 1 pattern (1 served); 0 errors"));
}

TEST_F(ModelCommandTest, SamplesMustBeThere) {
  const std::string file = Write("notes.model.yaml", std::string(kModel) + "samples: notes.json\n");
  const Outcome missing = Run({"check", file});
  EXPECT_EQ(missing.code, 1);
  EXPECT_THAT(missing.output, HasSubstr("There is no file " + Path("notes.json") + "."));
  Write("notes.json", "[]");
  EXPECT_EQ(Run({"check", file}).code, 0);
}

TEST_F(ModelCommandTest, MistakesHaveTheirPlaceAndEndWithOne) {
  std::string text(kModel);
  text.replace(text.find("NOTE#{id}"), 9, "NOTE#{ix}");
  const std::string file = Write("notes.model.yaml", text);
  const Outcome plain = Run({"check", file});
  EXPECT_EQ(plain.code, 1);
  EXPECT_THAT(plain.output, StartsWith(file + ":12:"));
  const Outcome json = Run({"check", "--format=json", file});
  EXPECT_EQ(json.code, 1);
  EXPECT_THAT(json.output, HasSubstr(R"("severity":"error")"));
  EXPECT_THAT(json.output, HasSubstr(R"("line":12)"));
  const Outcome docs = Run({"docs", file});
  EXPECT_EQ(docs.code, 1);
  EXPECT_EQ(docs.output, "");
  EXPECT_THAT(docs.errors, StartsWith(file + ":12:"));
}

TEST_F(ModelCommandTest, WhatCannotStartEndsWithTwoAndOneLine) {
  EXPECT_EQ(Run({"check"}).errors, "monotable: Give the model files to check.\n");
  const Outcome missing = Run({"check", Path("none.yaml")});
  EXPECT_EQ(missing.code, 2);
  EXPECT_EQ(missing.errors,
            "monotable: " + Path("none.yaml") + " cannot be read: No such file or directory.\n");
  EXPECT_THAT(Run({"docs", folder_.string()}).errors, HasSubstr("is a folder, not a file."));
  EXPECT_EQ(Run({"chekc"}).errors,
            "monotable: There is no command 'model chekc'. Did you mean monotable model check?\n");
  EXPECT_EQ(Run({"check", "--stric"}).errors,
            "monotable: There is no option --stric. Did you mean --strict?\n");
  EXPECT_EQ(Run({"docs", "--strict"}).code, 2);
  EXPECT_EQ(Run({"export", "swagger", "x"}).errors,
            "monotable: Say what to export: monotable model export cloudformation FILE, or openapi "
            "FILE.\n");
  const std::string file = Write("notes.model.yaml", kModel);
  EXPECT_EQ(Run({"docs", file, "--out", folder_.string()}).code, 2);
  EXPECT_EQ(Run({"export", "cloudformation", file, "--environment", "qa"}).errors,
            "monotable: There is no environment 'qa'; the model has none.\n");
  EXPECT_EQ(Run({"estimate", file}).errors,
            "monotable: The model declares no workload, so there is no estimate.\n");
}

TEST_F(ModelCommandTest, WritesDocumentsAndTemplates) {
  const std::string file = Write("notes.model.yaml", kModel);
  EXPECT_THAT(Run({"docs", file}).output, StartsWith("# notes\n"));
  EXPECT_EQ(Run({"docs", file, "--out=" + Path("notes.md")}).output, "");
  const auto written = ReadTextFile(Path("notes.md"));
  ASSERT_TRUE(written);
  EXPECT_EQ(*written, Run({"docs", file}).output);
  EXPECT_THAT(Run({"export", "cloudformation", file}).output,
              HasSubstr("\"TableName\": \"notes\""));
}

TEST_F(ModelCommandTest, ComparesTwoFiles) {
  const std::string file = Write("notes.model.yaml", kModel);
  std::string text(kModel);
  text.replace(text.find("NOTE#"), 5, "N#");
  const std::string changed = Write("changed.model.yaml", text);
  EXPECT_EQ(Run({"diff", file, file}).code, 0);
  const Outcome outcome = Run({"diff", file, changed});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.output, HasSubstr("## Needs data rewrite\n\n- `entities.Note.keys.primary`"));
  EXPECT_EQ(Run({"diff", file}).code, 2);
  EXPECT_EQ(Run({"diff", file, file, "--endpoint", "http://127.0.0.1:1"}).code, 2);
  // A file that is no model cannot be compared, which is not the same as a difference.
  EXPECT_EQ(Run({"diff", file, Write("odd.yaml", "a: 1\n")}).code, 2);
}

TEST_F(ModelCommandTest, DeploysToServersThatAnswerOnly) {
  const std::string file = Write("notes.model.yaml", kModel);
  const Outcome outcome = Run({"deploy", file, "--endpoint", "http://127.0.0.1:1"});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_EQ(outcome.errors,
            "monotable: No answer from 127.0.0.1:1: Connection refused. Is the server "
            "running? Start one with monotable serve, or name another with --endpoint URL.\n");
  EXPECT_EQ(Run({"deploy"}).errors, "monotable: Give the model files to deploy.\n");
  EXPECT_EQ(Run({"samples", file, "--set", "=x"}).code, 2);
}

TEST_F(ModelCommandTest, TestsExamplesAgainstTheSamples) {
  const std::string examples = R"(    examples:
      - {given: {id: "1"}, returns: ["1"], units: 0.5}
      - {given: {id: "2"}, returns: []}
samples: notes.json
)";
  Write("notes.json", R"([{"table": "main", "item": {"PK": {"S": "NOTE#1"}, "SK": {"S": "META"},
                           "kind": {"S": "Note"}, "id": {"S": "1"}}}])");
  std::string text(kModel);
  const std::string flow = "  - {id: AP1, name: getNote, get: Note, by: [id]}\n";
  text.replace(text.find(flow), flow.size(),
               "  - id: AP1\n    name: getNote\n    get: Note\n    by: [id]\n" + examples);
  const Outcome fine = Run({"test", Write("notes.model.yaml", text)});
  EXPECT_EQ(fine.code, 0) << fine.errors;
  EXPECT_EQ(fine.output,
            "ok      AP1 getNote (id = 1): 1; 0.5 RU\n"
            "ok      AP1 getNote (id = 2): nothing; 0.5 RU\n" +
                Path("notes.model.yaml") + ": 2 examples, 0 failed\n");

  text.replace(text.find("returns: []"), 11, "returns: [\"2\"]");
  text.replace(text.find("units: 0.5"), 10, "units: 0.25");
  const Outcome wrong = Run({"test", Write("notes.model.yaml", text)});
  EXPECT_EQ(wrong.code, 1);
  EXPECT_THAT(wrong.output, HasSubstr("FAILED  AP1 getNote (id = 1): took 0.5 RU, should take at "
                                      "most 0.25\n"));
  EXPECT_THAT(wrong.output, HasSubstr("FAILED  AP1 getNote (id = 2): returned nothing, should "
                                      "return 2\n"));
  EXPECT_THAT(wrong.output, HasSubstr(": 2 examples, 2 failed\n"));
  EXPECT_EQ(Run({"test", Path("notes.model.yaml"), "--now", "soon"}).code, 2);
}

TEST_F(ModelCommandTest, FindsTheNewestPricesBesideTheModel) {
  EXPECT_EQ(FindPriceTable(Path("x.yaml")), "");
  std::filesystem::create_directory(folder_ / "prices");
  Write("prices/2023-01-a.yaml", "");
  Write("prices/2024-11-a.yaml", "");
  Write("prices/README.md", "");
  EXPECT_EQ(FindPriceTable(Path("x.yaml")), Path("prices/2024-11-a.yaml"));
}

TEST(ModelArgumentsTest, ReadsEveryFormOfOptions) {
  const std::vector<std::string_view> check = {"a", "--format", "json", "--strict", "b"};
  const auto parsed = ParseModelArguments("check", check);
  ASSERT_TRUE(parsed) << parsed.error().message();
  EXPECT_THAT(parsed->files, ElementsAre("a", "b"));
  EXPECT_TRUE(parsed->json && parsed->strict);
  const auto message = [](std::string_view verb, std::vector<std::string_view> arguments) {
    const auto refused = ParseModelArguments(verb, arguments);
    return refused ? std::string() : refused.error().message();
  };
  EXPECT_EQ(message("check", {"--format", "xml"}),
            "Option --format: 'xml' is not accepted. Give text or json.");
  EXPECT_EQ(message("check", {"--format"}), "Option --format needs a value.");
  EXPECT_EQ(message("check", {"--strict=yes"}), "Option --strict takes no value.");
  const std::vector<std::string_view> deploy = {"a", "--set", "A=1", "--dry-run", "--set=B=2"};
  EXPECT_THAT(ParseModelArguments("deploy", deploy)->set, ElementsAre("A=1", "B=2"));
}

TEST(ModelHelpTest, FitsATerminal) {
  const std::string help = ModelHelp();
  EXPECT_THAT(help, HasSubstr("monotable model estimate FILE"));
  for (size_t begin = 0; begin < help.size();) {
    const size_t end = help.find('\n', begin);
    EXPECT_LE(end - begin, 82u) << help.substr(begin, end - begin);
    begin = end + 1;
  }
}

}  // namespace
}  // namespace monotable::cli
