#include "model/finding.h"

#include <algorithm>
#include <cctype>
#include <cstddef>

namespace monotable::model {
namespace {

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

char Lower(char letter) {
  return static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
}

// How many letters must be put in, taken out, changed or exchanged with their neighbour, whatever
// their case.
size_t EditDistance(std::string_view a, std::string_view b) {
  std::vector<size_t> before(b.size() + 1);
  std::vector<size_t> last(b.size() + 1);
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) last[j] = j;
  const auto same = [&](size_t i, size_t j) { return Lower(a[i - 1]) == Lower(b[j - 1]); };
  for (size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({last[j - 1] + (same(i, j) ? 0 : 1), last[j] + 1, row[j - 1] + 1});
      if (i > 1 && j > 1 && same(i, j - 1) && same(i - 1, j)) {
        row[j] = std::min(row[j], before[j - 2] + 1);
      }
    }
    before.swap(last);
    last.swap(row);
  }
  return last[b.size()];
}

}  // namespace

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
  // A third of the letters may differ; more than that is another word.
  size_t best = std::max<size_t>(1, name.size() / 3) + 1;
  std::string closest;
  for (const std::string& candidate : known) {
    const size_t distance = EditDistance(name, candidate);
    if (distance >= best) continue;
    best = distance;
    closest = candidate;
  }
  return closest;
}

}  // namespace monotable::model
