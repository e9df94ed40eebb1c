#include "cli/commands.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/captured_run_for_tests.h"
#include "cli/command_line.h"
#include "cli/command_table.h"
#include "cli/help.h"
#include "server/settings.h"

namespace monotable::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

Outcome RunMonotable(const std::vector<std::string_view>& arguments) {
  return CapturedRun(RunCommand, arguments);
}

TEST(CommandsTest, PrintsTheVersion) {
  for (const std::string_view command : {"version", "--version"}) {
    const Outcome outcome = RunMonotable({command});
    EXPECT_EQ(outcome.code, 0);
    EXPECT_THAT(outcome.output, testing::MatchesRegex("monotable [0-9]+\\.[0-9]+\\.[0-9]+\n"));
  }
}

TEST(CommandsTest, PrintsHelp) {
  for (const auto& arguments : std::vector<std::vector<std::string_view>>{{}, {"--help"}, {"-h"}}) {
    const Outcome outcome = RunMonotable(arguments);
    EXPECT_EQ(outcome.code, 0);
    EXPECT_THAT(outcome.output, HasSubstr("monotable serve [options]"));
  }
  EXPECT_THAT(RunMonotable({"serve", "--help"}).output, HasSubstr("--durability MODE"));
}

TEST(CommandsTest, SuggestsCommands) {
  const Outcome near = RunMonotable({"sevre"});
  EXPECT_EQ(near.code, 1);
  EXPECT_EQ(near.errors, "monotable: There is no command 'sevre'. Did you mean monotable serve?\n");
  EXPECT_EQ(RunMonotable({"dance"}).errors,
            "monotable: There is no command 'dance'. See monotable --help.\n");
}

TEST(CommandsTest, RefusesBadOptionsInOneLine) {
  const Outcome value = RunMonotable({"serve", "--port", "x"});
  EXPECT_EQ(value.code, 1);
  EXPECT_EQ(value.errors,
            "monotable: Option --port: 'x' is not accepted. Give a number from 0 to 65535.\n");
  EXPECT_EQ(value.output, "");
  EXPECT_EQ(RunMonotable({"serve", "--prot", "1"}).errors,
            "monotable: There is no option --prot. Did you mean --port?\n");
  EXPECT_EQ(RunMonotable({"serve", "--port"}).errors, "monotable: Option --port needs a value.\n");
  EXPECT_EQ(RunMonotable({"serve", "8000"}).errors,
            "monotable: '8000' is no option. Options begin with two dashes; see monotable serve "
            "--help.\n");
  EXPECT_THAT(RunMonotable({"serve", "--host", "0.0.0.0"}).errors,
              HasSubstr("access keys are needed"));
}

TEST(CommandLineTest, ReadsEveryFormOfOptions) {
  const std::vector<std::string_view> arguments = {"--port",      "1",        "--data=a=b",
                                                   "--in-memory", "--config", "file",
                                                   "--region",    "--odd",    "--in-memory=false"};
  const auto parsed = ParseServeArguments(arguments);
  ASSERT_TRUE(parsed) << parsed.error().message();
  EXPECT_EQ(parsed->sources.file, "file");
  EXPECT_THAT(parsed->sources.arguments,
              ElementsAre(Pair("port", "1"), Pair("data", "a=b"), Pair("in-memory", "true"),
                          Pair("region", "--odd"), Pair("in-memory", "false")));
}

TEST(CommandLineTest, TellsWordsFromOptions) {
  const Command& command = *FindCommand("model check");
  const std::vector<std::string_view> arguments = {"a", "--strict", "-", "--", "--strict", "-x"};
  const auto given = ReadArguments(command, arguments);
  ASSERT_TRUE(given) << given.error().message();
  EXPECT_THAT(given->words, ElementsAre("a", "-", "--strict", "-x"));
  EXPECT_THAT(given->options, ElementsAre(Pair("strict", "true")));
  const auto error = [&](std::vector<std::string_view> wrong) {
    const auto refused = ReadArguments(command, wrong);
    return refused ? std::string() : refused.error().message();
  };
  EXPECT_EQ(error({"-x"}), "There is no option -x. See monotable model --help.");
  EXPECT_EQ(error({"--formt=json"}), "There is no option --formt. Did you mean --format?");
  EXPECT_EQ(error({"--format=", "a"}), "Option --format needs a value.");
  EXPECT_EQ(error({"--strict", "--strict", "--format=json", "--format=text"}), "");
}

TEST(CommandsTest, PrintsTheHelpOfOneCommand) {
  const Outcome outcome = RunMonotable({"model", "check", "--help"});
  EXPECT_EQ(outcome.code, 0);
  EXPECT_THAT(outcome.output, HasSubstr("Usage: monotable model check FILE... [options]\n"));
  EXPECT_THAT(outcome.output, HasSubstr("  --format text|json "));
  EXPECT_EQ(RunMonotable({"help", "model", "check"}).output, outcome.output);
  EXPECT_EQ(RunMonotable({"help", "serve"}).output, ServeHelp());
  EXPECT_EQ(RunMonotable({"help", "sevre"}).errors, RunMonotable({"sevre"}).errors);
  EXPECT_EQ(RunMonotable({"help", "model", "chekc"}).errors,
            RunMonotable({"model", "chekc"}).errors);
}

TEST(CommandsTest, PrintsManualAndCompletionOfEveryCommand) {
  const Outcome manual = RunMonotable({"man"});
  const Outcome script = RunMonotable({"completion", "bash"});
  EXPECT_EQ(manual.code, 0);
  EXPECT_EQ(script.code, 0);
  EXPECT_THAT(manual.output, testing::StartsWith(".TH MONOTABLE 1 "));
  for (const Command& command : Commands()) {
    if (FindGroup(command.group())->is_hidden) continue;
    EXPECT_THAT(script.output, HasSubstr("'" + std::string(command.name) + "')"));
    EXPECT_THAT(manual.output, HasSubstr(".SS \"monotable " + std::string(command.name)));
    for (const Option& option : command.options) {
      EXPECT_THAT(script.output, HasSubstr(" --" + std::string(option.name)));
    }
  }
  EXPECT_EQ(RunMonotable({"completion", "fish"}).code, 2);
  EXPECT_EQ(RunMonotable({"version", "9"}).code, 2);
}

TEST(HelpTest, NamesEverySettingWithinTheWidthOfATerminal) {
  const std::string help = ServeHelp();
  for (const server::Setting& setting : server::Settings()) {
    EXPECT_THAT(help, HasSubstr("\n  --" + std::string(setting.name)));
  }
  for (size_t begin = 0; begin < help.size();) {
    const size_t end = help.find('\n', begin);
    EXPECT_LE(end - begin, 82u) << help.substr(begin, end - begin);
    begin = end + 1;
  }
}

}  // namespace
}  // namespace monotable::cli
