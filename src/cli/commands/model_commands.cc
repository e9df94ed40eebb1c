#include "cli/commands/model_commands.h"

#include <array>
#include <filesystem>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "cli/command_line.h"
#include "cli/commands.h"
#include "cli/terminal.h"
#include "document/cloudformation/cloudformation.h"
#include "document/describe/describe_model.h"
#include "document/estimate/estimate.h"
#include "document/estimate/estimate_report.h"
#include "document/openapi/openapi.h"
#include "json/json_writer.h"
#include "model/plan/read_plan.h"

namespace monotable::cli {
namespace {

// Where the value of an option goes: a switch, a text, or one of several texts.
struct ModelOption {
  std::string_view name;
  bool ModelArguments::*on = nullptr;
  std::string ModelArguments::*text = nullptr;
  std::vector<std::string> ModelArguments::*texts = nullptr;
};

constexpr ModelOption kModelOptions[] = {
    {"strict", &ModelArguments::strict},
    {"as-the-document", &ModelArguments::plain},
    {"dry-run", &ModelArguments::dry_run},
    {"allow-destructive", &ModelArguments::destructive},
    {"create-adopted", &ModelArguments::create_adopted},
    {"samples", &ModelArguments::samples},
    {"overwrite", &ModelArguments::overwrite},
    {"apply", &ModelArguments::apply},
    {"out", nullptr, &ModelArguments::out},
    {"environment", nullptr, &ModelArguments::environment},
    {"prices", nullptr, &ModelArguments::prices},
    {"endpoint", nullptr, &ModelArguments::endpoint},
    {"ca-file", nullptr, &ModelArguments::ca_file},
    {"now", nullptr, &ModelArguments::now},
    {"report", nullptr, &ModelArguments::report},
    {"resume", nullptr, &ModelArguments::resume},
    {"page", nullptr, &ModelArguments::page},
    {"set", nullptr, nullptr, &ModelArguments::set},
};

Status SetFormat(std::string_view value, ModelArguments* parsed) {
  if (value != "text" && value != "json") {
    return Error::Validation(
        fmt::format("Option --format: '{}' is not accepted. Give text or json.", value));
  }
  parsed->json = value == "json";
  return {};
}

Result<ModelArguments> ToModelArguments(const GivenOptions& given) {
  ModelArguments parsed;
  parsed.files = given.words;
  for (const auto& [name, value] : given.options) {
    if (name == "format") TRY(SetFormat(value, &parsed));
    for (const ModelOption& option : kModelOptions) {
      if (option.name != name) continue;
      if (option.on != nullptr) parsed.*(option.on) = true;
      if (option.text != nullptr) parsed.*(option.text) = value;
      if (option.texts != nullptr) (parsed.*(option.texts)).push_back(value);
    }
  }
  return parsed;
}

std::string Counted(long count, std::string_view one) {
  return fmt::format("{} {}{}", count, one, count == 1 ? "" : "s");
}

// A file in one line, as in
// sales.model.yaml: 5 entities, 14 patterns (12 served, 2 by fan-out); 0 errors, 1 warning, 3 notes
std::string Summary(const CheckedFile& checked) {
  std::string text = checked.path + ": ";
  if (checked.text.model) {
    constexpr std::array<std::pair<model::Verdict, std::string_view>, 4> kVerdicts = {{
        {model::Verdict::kServed, "served"},
        {model::Verdict::kNeedsFilter, "with a filter"},
        {model::Verdict::kFanOut, "by fan-out"},
        {model::Verdict::kNotServed, "not served"},
    }};
    std::array<int, 4> counts{};
    for (const model::PatternModel& pattern : checked.text.model->patterns) {
      const model::Verdict verdict = model::PlanPattern(*checked.text.model, pattern).verdict;
      for (size_t i = 0; i < kVerdicts.size(); ++i) {
        counts[i] += kVerdicts[i].first == verdict ? 1 : 0;
      }
    }
    std::vector<std::string> verdicts;
    for (size_t i = 0; i < kVerdicts.size(); ++i) {
      if (counts[i] == 0) continue;
      verdicts.push_back(fmt::format("{} {}", counts[i], kVerdicts[i].second));
    }
    const size_t entities = checked.text.model->entities.size();
    text += fmt::format("{} {}, {}", entities, entities == 1 ? "entity" : "entities",
                        Counted(static_cast<long>(checked.text.model->patterns.size()), "pattern"));
    if (!verdicts.empty()) text += fmt::format(" ({})", fmt::join(verdicts, ", "));
    text += "; ";
  }
  return text + fmt::format("{}, {}, {}",
                            Counted(checked.text.Count(model::Severity::kError), "error"),
                            Counted(checked.text.Count(model::Severity::kWarning), "warning"),
                            Counted(checked.text.Count(model::Severity::kInfo), "note"));
}

void PrintJson(const std::vector<CheckedFile>& all) {
  std::string text;
  json::Writer out(&text);
  out.BeginObject().Key("files").BeginArray();
  for (const CheckedFile& checked : all) {
    out.BeginObject().Key("file").String(checked.path);
    out.Key("loaded").Bool(checked.text.model.has_value());
    out.Key("findings").BeginArray();
    for (const model::Finding& finding : checked.text.findings) {
      out.BeginObject().Key("severity").String(model::SeverityName(finding.severity));
      out.Key("id").String(finding.id).Key("line").Integer(finding.place.line);
      out.Key("column").Integer(finding.place.column).Key("subject").String(finding.subject);
      out.Key("message").String(finding.message).Key("fix").String(finding.fix).EndObject();
    }
    out.EndArray().EndObject();
  }
  out.EndArray().EndObject();
  fmt::print("{}\n", text);
}

// Writes to the file if one is named, and otherwise to standard output.
int Put(const std::string& path, std::string_view text) {
  if (path.empty()) {
    fmt::print("{}", text);
    return kFine;
  }
  const Status written = WriteTextFile(path, text);
  return written ? kFine : Fail(written.error().message());
}

}  // namespace

Result<ModelArguments> ParseModelArguments(std::string_view verb,
                                           std::span<const std::string_view> arguments) {
  TRY_ASSIGN(const GivenOptions given,
             ReadArguments(*FindCommand(fmt::format("model {}", verb)), arguments));
  return ToModelArguments(given);
}

Result<CheckedFile> CheckFile(const std::string& path) {
  TRY_ASSIGN(const std::string text, ReadTextFile(path));
  CheckedFile checked{path, model::CheckText(text)};
  if (!checked.text.model || checked.text.model->samples.empty()) return checked;
  // A design may be checked before its samples are written down, so this is not about their
  // content.
  const auto samples = std::filesystem::path(path).parent_path() / checked.text.model->samples;
  std::error_code error;
  if (std::filesystem::is_regular_file(samples, error)) return checked;
  checked.text.findings.push_back({model::Severity::kError,
                                   "missing_samples",
                                   {1, 1},
                                   "samples",
                                   fmt::format("There is no file {}.", samples.string()),
                                   "Correct samples, or remove it from the model."});
  return checked;
}

void PrintFindings(const CheckedFile& checked, std::FILE* to) {
  for (const model::Finding& finding : checked.text.findings) {
    std::string text = model::FormatFinding(checked.path, finding);
    if (text.empty() || text.back() != '\n') text += '\n';
    fmt::print(to, "{}", text);
  }
}

std::string FindPriceTable(const std::string& model_path) {
  std::error_code error;
  const auto folder = std::filesystem::path(model_path).parent_path() / "prices";
  std::string newest;
  for (std::filesystem::directory_iterator at(folder, error), end; !error && at != end;
       at.increment(error)) {
    const std::string path = at->path().string();
    if (path.ends_with(".yaml") && path > newest) newest = path;
  }
  return newest;
}

int RunCheck(const ModelArguments& arguments) {
  if (arguments.files.empty()) return Fail("Give the model files to check.");
  std::vector<CheckedFile> all;
  for (const std::string& path : arguments.files) {
    auto checked = CheckFile(path);
    if (!checked) return Fail(checked.error().message());
    all.push_back(std::move(checked).value());
  }
  bool bad = false;
  for (const CheckedFile& checked : all) {
    bad = bad || checked.text.Count(model::Severity::kError) > 0 ||
          (arguments.strict && checked.text.Count(model::Severity::kWarning) > 0);
    if (arguments.json) continue;
    PrintFindings(checked, stdout);
    fmt::print("{}\n", Summary(checked));
  }
  if (arguments.json) PrintJson(all);
  return bad ? kHasErrors : kFine;
}

int RunDocs(const ModelArguments& arguments) {
  return WithModel(arguments.files, [&](const model::Model& model) {
    return Put(arguments.out, document::DescribeModel(model));
  });
}

int RunExport(const ModelArguments& arguments) {
  const std::string what = arguments.files.empty() ? "" : arguments.files[0];
  if (what != "cloudformation" && what != "openapi") {
    return Fail("Say what to export: monotable model export cloudformation FILE, or openapi FILE.");
  }
  if (what == "openapi" && !arguments.environment.empty()) {
    return Fail("An OpenAPI document is the same in all environments; leave out --environment.");
  }
  const std::vector<std::string> files(arguments.files.begin() + 1, arguments.files.end());
  return WithModel(files, [&](const model::Model& model) {
    if (what == "openapi") return Put(arguments.out, document::ToOpenApi(model, {}));
    const auto text = document::ToCloudFormation(model, arguments.environment);
    return text ? Put(arguments.out, *text) : Fail(text.error().message());
  });
}

int RunEstimate(const ModelArguments& arguments) {
  return WithModel(arguments.files, [&](const model::Model& model) {
    if (!model.workload) return Fail("The model declares no workload, so there is no estimate.");
    const std::string path =
        arguments.prices.empty() ? FindPriceTable(arguments.files[0]) : arguments.prices;
    std::optional<document::PriceTable> prices;
    if (!path.empty()) {
      const auto text = ReadTextFile(path);
      if (!text) return Fail(text.error().message());
      auto read = document::ReadPrices(*text);
      if (!read) return Fail(fmt::format("{}: {}", path, read.error().message()));
      prices = std::move(read).value();
    }
    const document::Estimate estimate = document::EstimateWorkload(model);
    fmt::print("{}", arguments.plain ? document::ReportPlainEstimate(model, estimate, prices)
                                     : document::ReportEstimate(model, estimate, prices));
    if (!prices) fmt::print("\nNo price table was found; name one with --prices FILE.\n");
    return kFine;
  });
}

int RunModel(std::span<const std::string_view> arguments) {
  constexpr std::array<std::pair<std::string_view, int (*)(const ModelArguments&)>, 10> kVerbs = {{
      {"check", RunCheck},
      {"docs", RunDocs},
      {"export", RunExport},
      {"estimate", RunEstimate},
      {"deploy", RunDeploy},
      {"samples", RunSamples},
      {"diff", RunDiff},
      {"test", RunTest},
      {"verify", RunVerify},
      {"repair", RunModelRepair},
  }};
  return RunVerb("model", arguments, [&](std::string_view verb, const GivenOptions& given) {
    const auto parsed = ToModelArguments(given);
    if (!parsed) return Fail(parsed.error().message());
    for (const auto& [name, run] : kVerbs) {
      if (name == verb) return run(*parsed);
    }
    return kUnusable;
  });
}

}  // namespace monotable::cli
