#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "cli/commands/model_commands.h"
#include "cli/dynamodb_client.h"
#include "deploy/diff/diff.h"
#include "deploy/plan.h"
#include "deploy/samples.h"
#include "server/models.h"

namespace monotable::cli {
namespace {

Result<deploy::Target> TargetOf(const ModelArguments& arguments) {
  deploy::Target target{.environment = arguments.environment};
  for (const std::string& assignment : arguments.set) {
    const size_t equals = assignment.find('=');
    if (equals == 0 || equals == std::string::npos) {
      return Error::Validation(fmt::format(
          "Option --set: '{}' is not accepted. Give the name of a parameter and its value, as in "
          "TableName=orders.",
          assignment));
    }
    target.parameters[assignment.substr(0, equals)] = assignment.substr(equals + 1);
  }
  return target;
}

Result<deploy::Call> ServerOf(const ModelArguments& arguments) {
  CallOptions options;
  options.http.ca_file = arguments.ca_file;
  return CallOf(arguments.endpoint, SigningKeys::FromEnvironment(), std::move(options));
}

struct ModelFile {
  std::string path;
  model::Model model;
};

// The models of the files. If a file has errors, prints them and returns nothing.
Result<std::optional<std::vector<ModelFile>>> LoadFiles(const std::vector<std::string>& paths) {
  std::vector<ModelFile> files;
  bool bad = false;
  for (const std::string& path : paths) {
    TRY_ASSIGN(CheckedFile checked, CheckFile(path));
    if (checked.text.has_errors() || !checked.text.model) {
      PrintFindings(checked, stderr);
      bad = true;
      continue;
    }
    files.push_back({path, *std::move(checked.text.model)});
  }
  if (bad) return std::optional<std::vector<ModelFile>>();
  return std::optional(std::move(files));
}

// What a command needs that talks to a server about models.
struct Session {
  deploy::Target target;
  deploy::Call call;
  std::vector<ModelFile> files;
};

// If a file has errors, prints them and returns nothing.
Result<std::optional<Session>> OpenSession(const ModelArguments& arguments) {
  TRY_ASSIGN(deploy::Target target, TargetOf(arguments));
  TRY_ASSIGN(deploy::Call call, ServerOf(arguments));
  TRY_ASSIGN(auto files, LoadFiles(arguments.files));
  if (!files) return std::optional<Session>();
  return std::optional(Session{std::move(target), std::move(call), *std::move(files)});
}

void PrintPlan(const deploy::Plan& plan) {
  for (const deploy::Step& step : plan.steps) {
    fmt::print("{}: {}{}\n", step.table, step.line, step.destructive ? " (destructive)" : "");
  }
  for (const std::string& note : plan.notes) fmt::print("note: {}\n", note);
  std::fflush(stdout);
  for (const std::string& problem : plan.problems) fmt::print(stderr, "monotable: {}\n", problem);
}

Status PutSamples(const ModelFile& file, const deploy::SampleOptions& options,
                  const deploy::Call& call) {
  const std::string path = server::SamplesPath(file.path, file.model);
  if (path.empty()) {
    return Error::Validation(fmt::format("The model {} names no samples.", file.model.name));
  }
  TRY_ASSIGN(const std::string text, ReadTextFile(path));
  TRY_ASSIGN(const deploy::SampleCounts counts,
             deploy::LoadSamples(file.model, text, options, call));
  fmt::print("{}: samples: {} written, {} were there\n", file.model.name, counts.written,
             counts.kept);
  return {};
}

int DeployOne(const ModelFile& file, const ModelArguments& arguments, const deploy::Target& target,
              const deploy::Call& call) {
  const auto plan = deploy::PlanDeployment(
      file.model, {.target = target, .create_adopted = arguments.create_adopted}, call);
  if (!plan) return Fail(plan.error().message());
  if (arguments.dry_run || !plan->problems.empty()) {
    PrintPlan(*plan);
    if (plan->empty()) fmt::print("{}: nothing to do\n", file.model.name);
    return plan->problems.empty() ? kFine : kHasErrors;
  }
  for (const std::string& note : plan->notes) fmt::print("note: {}\n", note);
  deploy::ApplyOptions options;
  options.allow_destructive = arguments.destructive;
  options.progress = [](const deploy::Step& step) {
    fmt::print("{}: {}\n", step.table, step.line);
    std::fflush(stdout);
  };
  if (const Status done = deploy::ApplyPlan(*plan, call, options); !done) {
    return Refuse(done.error());
  }
  if (plan->empty()) fmt::print("{}: nothing to do\n", file.model.name);
  if (!arguments.samples) return kFine;
  const Status samples = PutSamples(file, {.target = target}, call);
  return samples ? kFine : Refuse(samples.error());
}

int DiffWithServer(const ModelArguments& arguments) {
  const auto session = OpenSession(arguments);
  if (!session) return Fail(session.error().message());
  if (!*session) return kUnusable;
  const auto plan = deploy::PlanDeployment((*session)->files.front().model,
                                           {.target = (*session)->target}, (*session)->call);
  if (!plan) return Fail(plan.error().message());
  PrintPlan(*plan);
  if (plan->empty()) fmt::print("The server has the tables that the model wants.\n");
  return plan->empty() ? kFine : kHasErrors;
}

}  // namespace

int RunDeploy(const ModelArguments& arguments) {
  if (arguments.files.empty()) return Fail("Give the model files to deploy.");
  const auto session = OpenSession(arguments);
  if (!session) return Fail(session.error().message());
  if (!*session) return kHasErrors;
  for (const ModelFile& file : (*session)->files) {
    const int code = DeployOne(file, arguments, (*session)->target, (*session)->call);
    if (code != kFine) return code;
  }
  return kFine;
}

int RunSamples(const ModelArguments& arguments) {
  if (arguments.files.size() != 1) return Fail("Give one model file.");
  const auto session = OpenSession(arguments);
  if (!session) return Fail(session.error().message());
  if (!*session) return kHasErrors;
  const Status done = PutSamples((*session)->files.front(),
                                 {.target = (*session)->target, .overwrite = arguments.overwrite},
                                 (*session)->call);
  return done ? kFine : Refuse(done.error());
}

int RunDiff(const ModelArguments& arguments) {
  if (!arguments.endpoint.empty()) {
    if (arguments.files.size() != 1) return Fail("Give one model file to compare with a server.");
    return DiffWithServer(arguments);
  }
  if (arguments.files.size() != 2) {
    return Fail("Give two model files, the old and the new one, or one and --endpoint URL.");
  }
  const auto files = LoadFiles(arguments.files);
  if (!files) return Fail(files.error().message());
  if (!*files) return kUnusable;
  const auto changes = deploy::DiffModels((**files)[0].model, (**files)[1].model);
  fmt::print("{}", deploy::ReportChanges(changes));
  return changes.empty() ? kFine : kHasErrors;
}

}  // namespace monotable::cli
