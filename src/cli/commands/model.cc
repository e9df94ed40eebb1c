#include "cli/commands/model.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "cli/help.h"
#include "cli/model_arguments.h"
#include "cli/model_files.h"
#include "error/suggestion.h"
#include "json/write.h"
#include "model/check/check.h"
#include "model/cloudformation/cloudformation.h"
#include "model/describe/model.h"
#include "model/estimate/estimate.h"
#include "model/estimate/prices.h"
#include "model/estimate/report.h"
#include "model/load/load.h"
#include "model/plan/plan.h"

namespace monotable::cli {
namespace {

constexpr int kFine = 0;
constexpr int kHasErrors = 1;
constexpr int kUnusable = 2;

int Fail(std::string_view message) {
  fmt::print(stderr, "monotable: {}\n", message);
  return kUnusable;
}

// A model file with what there is to say about it.
struct Checked {
  std::string path;
  std::optional<model::Model> model;     // nothing if it has errors that keep it from being loaded
  std::vector<model::Finding> findings;  // in the order of the file

  long Count(model::Severity severity) const {
    return std::count_if(findings.begin(), findings.end(), [&](const model::Finding& finding) {
      return finding.severity == severity;
    });
  }
};

Result<Checked> CheckFile(const std::string& path) {
  TRY_ASSIGN(const std::string text, ReadTextFile(path));
  model::Findings findings;
  Checked checked;
  checked.path = path;
  checked.model = model::LoadModel(text, &findings);
  if (checked.model) model::CheckModel(*checked.model, &findings);
  checked.findings = findings.all();
  std::stable_sort(checked.findings.begin(), checked.findings.end(),
                   [](const model::Finding& a, const model::Finding& b) {
                     return std::pair(a.place.line, a.place.column) <
                            std::pair(b.place.line, b.place.column);
                   });
  return checked;
}

std::string Counted(long count, std::string_view one) {
  return fmt::format("{} {}{}", count, one, count == 1 ? "" : "s");
}

// sales.model.yaml: 5 entities, 14 patterns (12 served, 2 by fan-out); 0 errors, 1 warning, 3 notes
std::string Summary(const Checked& checked) {
  std::string text = checked.path + ": ";
  if (checked.model) {
    constexpr std::array<std::pair<model::Verdict, std::string_view>, 4> kVerdicts = {{
        {model::Verdict::kServed, "served"},
        {model::Verdict::kNeedsFilter, "with a filter"},
        {model::Verdict::kFanOut, "by fan-out"},
        {model::Verdict::kNotServed, "not served"},
    }};
    std::array<int, 4> counts{};
    for (const model::PatternModel& pattern : checked.model->patterns) {
      const model::Verdict verdict = model::PlanPattern(*checked.model, pattern).verdict;
      for (size_t i = 0; i < kVerdicts.size(); ++i) {
        counts[i] += kVerdicts[i].first == verdict ? 1 : 0;
      }
    }
    std::vector<std::string> verdicts;
    for (size_t i = 0; i < kVerdicts.size(); ++i) {
      if (counts[i] == 0) continue;
      verdicts.push_back(fmt::format("{} {}", counts[i], kVerdicts[i].second));
    }
    const size_t entities = checked.model->entities.size();
    text += fmt::format("{} {}, {}", entities, entities == 1 ? "entity" : "entities",
                        Counted(static_cast<long>(checked.model->patterns.size()), "pattern"));
    if (!verdicts.empty()) text += fmt::format(" ({})", fmt::join(verdicts, ", "));
    text += "; ";
  }
  return text + fmt::format("{}, {}, {}", Counted(checked.Count(model::Severity::kError), "error"),
                            Counted(checked.Count(model::Severity::kWarning), "warning"),
                            Counted(checked.Count(model::Severity::kInfo), "note"));
}

void PrintFindings(const Checked& checked, std::FILE* to) {
  for (const model::Finding& finding : checked.findings) {
    std::string text = model::FormatFinding(checked.path, finding);
    if (text.empty() || text.back() != '\n') text += '\n';
    fmt::print(to, "{}", text);
  }
}

void PrintJson(const std::vector<Checked>& all) {
  std::string text;
  json::Writer out(&text);
  out.BeginObject().Key("files").BeginArray();
  for (const Checked& checked : all) {
    out.BeginObject().Key("file").String(checked.path);
    out.Key("loaded").Bool(checked.model.has_value());
    out.Key("findings").BeginArray();
    for (const model::Finding& finding : checked.findings) {
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

int RunCheck(const ModelArguments& arguments) {
  if (arguments.files.empty()) return Fail("Give the model files to check.");
  std::vector<Checked> all;
  for (const std::string& path : arguments.files) {
    auto checked = CheckFile(path);
    if (!checked) return Fail(checked.error().message());
    all.push_back(std::move(checked).value());
  }
  bool bad = false;
  for (const Checked& checked : all) {
    bad = bad || checked.Count(model::Severity::kError) > 0 ||
          (arguments.strict && checked.Count(model::Severity::kWarning) > 0);
    if (arguments.json) continue;
    PrintFindings(checked, stdout);
    fmt::print("{}\n", Summary(checked));
  }
  if (arguments.json) PrintJson(all);
  return bad ? kHasErrors : kFine;
}

// Loads the one model that a command is about and does something with it. A model with mistakes is
// not used: what is made of it would be wrong too.
template <typename Use>
int WithModel(const std::vector<std::string>& files, Use use) {
  if (files.size() != 1) return Fail("Give one model file.");
  const auto checked = CheckFile(files[0]);
  if (!checked) return Fail(checked.error().message());
  if (!checked->model) {
    PrintFindings(*checked, stderr);
    return kHasErrors;
  }
  return use(*checked->model);
}

// To the file if one is named, else to standard output.
int Put(const std::string& path, std::string_view text) {
  if (path.empty()) {
    fmt::print("{}", text);
    return kFine;
  }
  const Status written = WriteTextFile(path, text);
  return written ? kFine : Fail(written.error().message());
}

int RunDocs(const ModelArguments& arguments) {
  return WithModel(arguments.files, [&](const model::Model& model) {
    return Put(arguments.out, model::DescribeModel(model));
  });
}

int RunExport(const ModelArguments& arguments) {
  if (arguments.files.empty() || arguments.files[0] != "cloudformation") {
    return Fail("Say what to export: monotable model export cloudformation FILE.");
  }
  const std::vector<std::string> files(arguments.files.begin() + 1, arguments.files.end());
  return WithModel(files, [&](const model::Model& model) {
    const auto text = model::ToCloudFormation(model, arguments.environment);
    return text ? Put(arguments.out, *text) : Fail(text.error().message());
  });
}

int RunEstimate(const ModelArguments& arguments) {
  return WithModel(arguments.files, [&](const model::Model& model) {
    if (!model.workload) return Fail("The model declares no workload, so there is no estimate.");
    const std::string path =
        arguments.prices.empty() ? FindPriceTable(arguments.files[0]) : arguments.prices;
    std::optional<model::PriceTable> prices;
    if (!path.empty()) {
      const auto text = ReadTextFile(path);
      if (!text) return Fail(text.error().message());
      auto read = model::ReadPrices(*text);
      if (!read) return Fail(fmt::format("{}: {}", path, read.error().message()));
      prices = std::move(read).value();
    }
    const model::Estimate estimate = model::EstimateWorkload(model);
    fmt::print("{}", arguments.plain ? model::ReportPlainEstimate(model, estimate, prices)
                                     : model::ReportEstimate(model, estimate, prices));
    if (!prices) fmt::print("\nNo price table was found; name one with --prices FILE.\n");
    return kFine;
  });
}

}  // namespace

int RunModel(std::span<const std::string_view> arguments) {
  constexpr std::array<std::pair<std::string_view, int (*)(const ModelArguments&)>, 4> kVerbs = {{
      {"check", RunCheck},
      {"docs", RunDocs},
      {"export", RunExport},
      {"estimate", RunEstimate},
  }};
  const std::string_view verb = arguments.empty() ? "--help" : arguments[0];
  if (verb == "--help" || verb == "-h" || verb == "help") {
    fmt::print("{}", ModelHelp());
    return kFine;
  }
  std::vector<std::string_view> names;
  for (const auto& [name, run] : kVerbs) {
    names.push_back(name);
    if (name != verb) continue;
    const auto parsed = ParseModelArguments(verb, arguments.subspan(1));
    if (!parsed) return Fail(parsed.error().message());
    if (!parsed->help) return run(*parsed);
    fmt::print("{}", ModelHelp());
    return kFine;
  }
  const auto meant = Suggest(verb, names);
  return Fail(fmt::format("There is no command 'model {}'. {}", verb,
                          meant ? fmt::format("Did you mean monotable model {}?", *meant)
                                : "See monotable model --help."));
}

}  // namespace monotable::cli
