#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "model/check/passes.h"
#include "model/plan/keys.h"
#include "model/plan/plan.h"

namespace monotable::model {
namespace {

// Whether some pattern about the entity reads the index; the table itself is always reachable.
bool IsReached(const Model& model, const EntityModel& entity, const std::string& index) {
  if (index.empty()) return true;
  return std::ranges::any_of(model.patterns, [&](const PatternModel& pattern) {
    const ReadPlan plan = PlanPattern(model, pattern);
    if (plan.steps.empty() || plan.steps.front().index != index) return false;
    return pattern.entity == entity.name || Contains(plan.steps.front().also_read, entity.name);
  });
}

}  // namespace

void CheckTenancy(const Model& model, Report* report) {
  if (!model.tenancy) return;
  const std::string& tenant = model.tenancy->attribute;
  for (const EntityModel& entity : model.entities) {
    const TableModel* table = model.FindTable(entity.table);
    if (table == nullptr) continue;
    if (FindAttribute(entity, tenant) == nullptr) {
      report->Error("tenant_missing", entity.place, SubjectOf(entity),
                    entity.name + " has no " + tenant + ", so nothing tells whose its items are.",
                    "Add `" + tenant + ": string!` to its attributes.");
      continue;
    }
    std::vector<std::string> indexes = {""};
    for (const IndexModel& index : table->indexes) indexes.push_back(index.name);
    for (const std::string& index : indexes) {
      const std::optional<KeyTexts> texts = KeyTextsOf(*table, entity, index);
      if (!texts || Contains(texts->hash.attributes(), tenant)) continue;
      if (!IsReached(model, entity, index)) continue;
      const Place place =
          texts->declared != nullptr ? texts->declared->place : entity.primary().place;
      report->Warning("tenant_leak", place, SubjectOfKey(entity, index),
                      "The partition \"" + texts->hash.text() + "\" of " +
                          (index.empty() ? "the table" : index) + " has no " + tenant +
                          ", so it may hold items of several tenants and every read must be "
                          "checked.",
                      "Put {" + tenant + "} into the partition key.");
    }
  }
}

}  // namespace monotable::model
