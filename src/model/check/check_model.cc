#include "model/check/check_model.h"

#include <algorithm>
#include <utility>

#include "model/check/check_passes.h"
#include "model/load/load.h"

namespace monotable::model {
namespace {

// entities.Sale of entities.Sale.keys.GSI1.
std::string_view OwnerOf(std::string_view subject) {
  const size_t first = subject.find('.');
  if (first == std::string_view::npos) return subject;
  return subject.substr(0, subject.find('.', first + 1));
}

}  // namespace

bool Report::Accepts(std::string_view subject, std::string_view id) {
  const std::string_view owner = OwnerOf(subject);
  const std::string_view name = owner.substr(owner.find('.') + 1);
  const std::vector<std::string>* accepted = nullptr;
  if (owner.starts_with("entities.")) {
    if (const EntityModel* entity = model_.FindEntity(name)) accepted = &entity->accepted_findings;
  } else if (owner.starts_with("patterns.")) {
    if (const PatternModel* pattern = model_.FindPattern(name)) {
      accepted = &pattern->accepted_findings;
    }
  }
  if (accepted == nullptr || std::ranges::find(*accepted, id) == accepted->end()) return false;
  needed_.emplace(owner, id);
  return true;
}

void Report::Add(Finding finding) {
  if (!Accepts(finding.subject, finding.id)) findings_.Add(std::move(finding));
}

void Report::TellNeedlessAcceptances() {
  const auto tell = [this](const std::string& subject, Place place,
                           const std::vector<std::string>& accepted) {
    for (const std::string& id : accepted) {
      if (needed_.contains({subject, id})) continue;
      Warning("needless_accept", place, subject,
              "accept lists " + id + ", which is not found here.", "Remove it from accept.");
    }
  };
  for (const EntityModel& entity : model_.entities) {
    tell(SubjectOf(entity), entity.place, entity.accepted_findings);
  }
  for (const PatternModel& pattern : model_.patterns) {
    tell(SubjectOf(pattern), pattern.place, pattern.accepted_findings);
  }
}

std::string SubjectOf(const EntityModel& entity) {
  return "entities." + entity.name;
}

std::string SubjectOf(const EntityModel& entity, const AttributeModel& attribute) {
  return SubjectOf(entity) + ".attributes." + attribute.name;
}

std::string SubjectOfKey(const EntityModel& entity, std::string_view index) {
  return SubjectOf(entity) + ".keys." + (index.empty() ? "primary" : std::string(index));
}

std::string SubjectOf(const PatternModel& pattern) {
  return "patterns." + (pattern.id.empty() ? pattern.name : pattern.id);
}

void CheckModel(const Model& model, Findings* findings) {
  Report report(model, findings);
  CheckTables(model, &report);
  CheckStates(model, &report);
  CheckIdentity(model, &report);
  CheckKeyTexts(model, &report);
  CheckNamespaces(model, &report);
  CheckPartitions(model, &report);
  CheckTenancy(model, &report);
  CheckWrites(model, &report);
  CheckRelations(model, &report);
  CheckRules(model, &report);
  CheckOperations(model, &report);
  CheckPatterns(model, &report);
  CheckNames(model, &report);
  report.TellNeedlessAcceptances();
}

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
