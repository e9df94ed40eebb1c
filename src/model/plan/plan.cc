#include "model/plan/plan.h"

#include <optional>
#include <utility>

#include "model/plan/keys.h"
#include "model/plan/request.h"
#include "model/plan/sharing.h"
#include "model/plan/steps.h"

namespace monotable::model {
namespace {

std::string JoinWithAnd(const std::vector<std::string>& names) {
  std::string text;
  for (size_t i = 0; i < names.size(); ++i) {
    if (i > 0) text += i + 1 == names.size() ? " and " : ", ";
    text += names[i];
  }
  return text;
}

void AddClause(const std::string& clause, std::string* reason) {
  if (!reason->empty()) *reason += "; ";
  *reason += clause;
}

// What the pattern costs beyond one request that returns only what it asks for.
void Judge(const PatternModel& pattern, ReadPlan* plan) {
  const ReadStep& step = plan->steps.front();
  plan->verdict = Verdict::kServed;
  if (!plan->fan_out_values.empty()) {
    AddClause("one Query for each of the " + std::to_string(plan->fan_out_values.size()) +
                  " values of " + plan->fan_out_attribute,
              &plan->reason);
  }
  if (step.filter_by_type) {
    AddClause("the same range may hold " + JoinWithAnd(step.also_read), &plan->reason);
  }
  if (pattern.filter) {
    AddClause("items for which \"" + pattern.filter->text() + "\" is false are left out",
              &plan->reason);
  }
  if (step.filter_by_type || pattern.filter) plan->verdict = Verdict::kNeedsFilter;
  if (!plan->fan_out_values.empty()) plan->verdict = Verdict::kFanOut;
}

// Whole items after an index that does not hold them, or the parents of what was found.
void AddBatchGet(const Model& model, const PatternModel& pattern, ReadPlan* plan) {
  const EntityModel* entity = model.FindEntity(pattern.entity);
  const TableModel* table = model.FindTable(entity->table);
  const std::string& index = plan->steps.front().index;
  plan->hydrate = pattern.hydrate && !FirstMissing(*table, *entity, index).empty();
  const EntityModel* wanted = pattern.parents ? model.FindEntity(entity->parent) : entity;
  if ((!plan->hydrate && !pattern.parents) || wanted == nullptr) return;
  const std::optional<KeyNames> names = KeyNamesOf(*table, "");
  std::optional<KeyTexts> texts = KeyTextsOf(*table, *wanted, "");
  if (!names || !texts) return;
  ReadStep step;
  step.action = ReadStep::Action::kBatchGetItem;
  step.table = table->id;
  step.entity = wanted->name;
  step.hash_attribute = names->hash;
  step.hash = std::move(texts->hash);
  if (texts->range) {
    step.range_attribute = names->range;
    step.range = {WhereTerm::Comparison::kEqual, *std::move(texts->range), std::nullopt};
  }
  plan->steps.push_back(std::move(step));
}

}  // namespace

std::string_view VerdictName(Verdict verdict) {
  switch (verdict) {
    case Verdict::kServed:
      return "served";
    case Verdict::kNeedsFilter:
      return "needs a filter";
    case Verdict::kFanOut:
      return "fan-out";
    case Verdict::kNotServed:
      return "not served";
  }
  return "";
}

ReadPlan PlanPattern(const Model& model, const PatternModel& pattern) {
  ReadPlan plan;
  if (!PlanFirstStep(model, pattern, &plan)) {
    plan.verdict = Verdict::kNotServed;
    plan.steps.clear();
    plan.parameters.clear();
    plan.optional_parameters.clear();
    return plan;
  }
  ReadStep& first = plan.steps.front();
  first.descending = pattern.descending;
  if (first.action == ReadStep::Action::kQuery) first.also_read = AlsoRead(model, pattern, first);
  first.filter_by_type = !first.also_read.empty();
  Judge(pattern, &plan);
  AddBatchGet(model, pattern, &plan);
  plan.request = RequestOf(model, pattern, plan);
  return plan;
}

}  // namespace monotable::model
