#include "model/finding.h"

#include "error/suggestion.h"

namespace monotable::model {
std::string_view SeverityName(Severity severity) {
  switch (severity) {
    case Severity::kError:
      return "error";
    case Severity::kWarning:
      return "warning";
    case Severity::kInfo:
      return "info";
  }
  return "";
}

std::string FormatFinding(std::string_view file, const Finding& finding) {
  std::string text(file);
  if (finding.place.line > 0) {
    text += ":" + std::to_string(finding.place.line) + ":" + std::to_string(finding.place.column);
  }
  text += ": ";
  text += SeverityName(finding.severity);
  text += ": ";
  if (!finding.subject.empty()) text += finding.subject + ": ";
  text += finding.message + " [" + finding.id + "]\n";
  if (!finding.fix.empty()) text += "  fix: " + finding.fix + "\n";
  return text;
}

std::string ClosestName(std::string_view name, const std::vector<std::string>& known) {
  const std::vector<std::string_view> names(known.begin(), known.end());
  return std::string(Suggest(name, names).value_or(""));
}

}  // namespace monotable::model
