#include "model/check/text.h"

#include <algorithm>
#include <utility>

#include "model/check/check.h"
#include "model/load/load.h"

namespace monotable::model {

long CheckedText::Count(Severity severity) const {
  return std::count_if(findings.begin(), findings.end(),
                       [&](const Finding& finding) { return finding.severity == severity; });
}

CheckedText CheckText(std::string_view text) {
  Findings findings;
  CheckedText checked;
  checked.model = LoadModel(text, &findings);
  if (checked.model) CheckModel(*checked.model, &findings);
  checked.findings = findings.all();
  std::stable_sort(
      checked.findings.begin(), checked.findings.end(), [](const Finding& a, const Finding& b) {
        return std::pair(a.place.line, a.place.column) < std::pair(b.place.line, b.place.column);
      });
  return checked;
}

}  // namespace monotable::model
