#include <array>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "cli/checked_model.h"
#include "cli/commands/model_verbs.h"
#include "json/json_writer.h"
#include "model/plan/plan.h"

namespace monotable::cli {
namespace {

std::string Counted(long count, std::string_view one) {
  return fmt::format("{} {}{}", count, one, count == 1 ? "" : "s");
}

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

}  // namespace

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

}  // namespace monotable::cli
