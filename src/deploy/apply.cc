#include <algorithm>
#include <string>
#include <thread>

#include <fmt/format.h>

#include "deploy/plan.h"

namespace monotable::deploy {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kFirstPause{5};
constexpr milliseconds kLongestPause{1000};

// Until the table and its indexes take the next change. Time is counted by the pauses, so that
// patience does not depend on a clock.
Status WaitUntilActive(const std::string& table, const Call& call, const ApplyOptions& options) {
  milliseconds waited{0};
  for (milliseconds pause = kFirstPause;; pause = std::min(2 * pause, kLongestPause)) {
    TRY_ASSIGN(const bool active, IsActive(call, table));
    if (active) return {};
    if (waited >= options.patience) {
      return Error(ErrorCode::kUnavailable, fmt::format("Table {} is not active after {} seconds.",
                                                        table, options.patience.count()));
    }
    if (options.pause) {
      options.pause(pause);
    } else {
      std::this_thread::sleep_for(pause);
    }
    waited += pause;
  }
}

Status Check(const Plan& plan, bool allow_destructive) {
  if (!plan.problems.empty()) return Error::Validation(plan.problems.front());
  if (!plan.destructive() || allow_destructive) return {};
  const auto step = std::find_if(plan.steps.begin(), plan.steps.end(),
                                 [](const Step& each) { return each.destructive; });
  return Error::Validation(fmt::format(
      "Table {}: '{}' takes something from its readers. It is only done by monotable model deploy "
      "--allow-destructive.",
      step->table, step->line));
}

}  // namespace

Status ApplyPlan(const Plan& plan, const Call& call, const ApplyOptions& options) {
  TRY(Check(plan, options.allow_destructive));
  for (const Step& step : plan.steps) {
    if (options.progress) options.progress(step);
    if (step.operation != "CreateTable") TRY(WaitUntilActive(step.table, call, options));
    if (auto answer = call(step.operation, step.request); !answer) {
      const Error& error = answer.error();
      return Error(error.code(), fmt::format("Table {}: could not {}: {}", step.table, step.line,
                                             error.message()));
    }
    TRY(WaitUntilActive(step.table, call, options));
  }
  return {};
}

}  // namespace monotable::deploy
