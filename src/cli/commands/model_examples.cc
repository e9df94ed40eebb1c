#include "cli/model_examples.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "cli/checked_model.h"
#include "cli/commands/model_verbs.h"
#include "cli/model_files.h"
#include "model/instant.h"
#include "telemetry/log.h"

namespace monotable::cli {
namespace {

std::optional<int64_t> MomentOf(const std::string& text) {
  if (text.empty()) {
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    return std::chrono::duration_cast<std::chrono::milliseconds>(now).count();
  }
  auto moment = model::ParseIso(text);
  if (!moment) moment = model::ParseDate(text);
  return moment ? std::optional(moment->millis) : std::nullopt;
}

void Print(const ExampleOutcome& outcome) {
  const std::string what = outcome.given.empty()
                               ? outcome.pattern
                               : fmt::format("{} ({})", outcome.pattern, outcome.given);
  if (!outcome.mistake.empty()) {
    fmt::print("FAILED  {}: {}\n", what, outcome.mistake);
    return;
  }
  fmt::print(
      "ok      {}: {}; {} RU\n", what,
      outcome.returned.empty() ? "nothing" : fmt::format("{}", fmt::join(outcome.returned, ", ")),
      outcome.units);
}

// Whether all examples of a file hold.
Result<bool> TestFile(const std::string& path, int64_t now_ms) {
  TRY_ASSIGN(CheckedFile checked, CheckFile(path));
  if (checked.text.has_errors() || !checked.text.model) {
    PrintFindings(checked, stderr);
    return false;
  }
  TRY_ASSIGN(const auto outcomes, RunExamples({path, "", *std::move(checked.text.model)}, now_ms));
  for (const ExampleOutcome& outcome : outcomes) Print(outcome);
  const auto failed = std::count_if(outcomes.begin(), outcomes.end(),
                                    [](const auto& outcome) { return !outcome.mistake.empty(); });
  fmt::print("{}: {} {}, {} failed\n", path, outcomes.size(),
             outcomes.size() == 1 ? "example" : "examples", failed);
  return failed == 0;
}

}  // namespace

int RunTest(const ModelArguments& arguments) {
  if (arguments.files.empty()) return Fail("Give the model files to test.");
  const auto now_ms = MomentOf(arguments.now);
  if (!now_ms) {
    return Fail(fmt::format(
        "Option --now: '{}' is not accepted. Give a moment such as 2026-01-30T14:30:00Z, or a day.",
        arguments.now));
  }
  // Deploying into memory is nothing to tell of.
  telemetry::SetLogLevel(telemetry::LogLevel::kWarning);
  bool fine = true;
  for (const std::string& path : arguments.files) {
    const auto tested = TestFile(path, *now_ms);
    if (!tested) return Fail(fmt::format("{}: {}", path, tested.error().message()));
    fine = fine && *tested;
  }
  return fine ? kFine : kHasErrors;
}

}  // namespace monotable::cli
