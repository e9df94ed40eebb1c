#include "document/describe/describe_patterns.h"

#include <algorithm>

#include <fmt/format.h>

#include "document/describe/markdown.h"
#include "document/indented_json.h"

namespace monotable::document {
namespace {

std::string Heading(const model::PatternModel& pattern) {
  return pattern.id.empty() ? pattern.name : pattern.id + " " + pattern.name;
}

std::string Wants(const model::PatternModel& pattern) {
  switch (pattern.kind) {
    case model::PatternModel::Kind::kGet:
      return "one " + pattern.entity;
    case model::PatternModel::Kind::kList:
      return "list of " + pattern.entity;
    case model::PatternModel::Kind::kCount:
      return "count of " + pattern.entity;
    case model::PatternModel::Kind::kCollection:
      return "collection " + pattern.collection;
  }
  return "";
}

std::string RouteText(const model::PatternModel& pattern) {
  return pattern.route.empty() ? "" : pattern.method + " " + pattern.route;
}

std::string VerdictText(const model::PatternModel& pattern, const model::ReadPlan& plan) {
  std::string text(model::VerdictName(plan.verdict));
  if (plan.verdict == model::Verdict::kNotServed && pattern.expected_unserved)
    text += " (as declared)";
  return text;
}

std::string ParameterList(const model::ReadPlan& plan) {
  std::string text = CodeList(plan.parameters);
  if (!plan.optional_parameters.empty()) {
    text += (text.empty() ? "optional " : "; optional ") + CodeList(plan.optional_parameters);
  }
  return text;
}

size_t Count(const model::ReadPlan& plan, model::ReadStep::Action action) {
  return static_cast<size_t>(
      std::count_if(plan.steps.begin(), plan.steps.end(),
                    [&](const model::ReadStep& step) { return step.action == action; }));
}

std::string Requests(size_t count, std::string_view one, std::string_view many) {
  return count == 0 ? "" : fmt::format("{} {}", count, count == 1 ? one : many);
}

}  // namespace

std::string CostClass(const model::PatternModel& pattern, const model::ReadPlan& plan) {
  if (plan.steps.empty()) return "Scan";
  const size_t widths = std::max<size_t>(plan.fan_out_values.size(), 1);
  std::vector<std::string> parts;
  for (std::string part :
       {Requests(Count(plan, model::ReadStep::Action::kGetItem), "GetItem", "GetItems"),
        Requests(Count(plan, model::ReadStep::Action::kQuery) * widths, "Query", "Queries")}) {
    if (!part.empty()) parts.push_back(std::move(part));
  }
  if (plan.hydrate || pattern.parents || Count(plan, model::ReadStep::Action::kBatchGetItem) > 0) {
    parts.emplace_back("BatchGetItem");
  }
  return fmt::format("{}", fmt::join(parts, " + "));
}

std::string ReadTarget(const model::Model& model, const model::PatternModel& pattern,
                       const model::ReadPlan& plan) {
  std::vector<std::string> targets;
  for (const model::ReadStep& step : plan.steps) {
    std::string target = step.index;
    if (target.empty()) {
      const model::TableModel* table = model.FindTable(step.table);
      target = table == nullptr ? step.table : table->name;
    }
    if (std::find(targets.begin(), targets.end(), target) == targets.end()) {
      targets.push_back(std::move(target));
    }
  }
  if (targets.empty() && !pattern.index.empty()) targets.push_back(pattern.index);
  return CodeList(targets);
}

std::string PatternTable(const model::Model& model, const std::vector<model::ReadPlan>& plans) {
  MarkdownTable table({"Pattern", "Finds", "Reads", "Verdict", "Cost", "Route", "Requirements"});
  for (size_t i = 0; i < plans.size(); ++i) {
    const model::PatternModel& pattern = model.patterns[i];
    table.Add({Prose(Heading(pattern)), Prose(Wants(pattern)), ReadTarget(model, pattern, plans[i]),
               VerdictText(pattern, plans[i]), CostClass(pattern, plans[i]),
               Code(RouteText(pattern)),
               Prose(fmt::format("{}", fmt::join(pattern.requirements, ", ")))});
  }
  return table.empty() ? "" : table.Text();
}

std::string DescribePattern(const model::PatternModel& pattern, const model::ReadPlan& plan) {
  std::string text = fmt::format("### {}\n\n", Prose(Heading(pattern)));
  if (!pattern.description.empty()) text += Prose(pattern.description) + "\n\n";
  if (!plan.reason.empty()) {
    text += fmt::format("{}: {}\n\n", VerdictText(pattern, plan), Prose(plan.reason));
  }
  if (const std::string parameters = ParameterList(plan); !parameters.empty()) {
    text += "Parameters: " + parameters + ".\n\n";
  }
  if (pattern.filter) text += "Filter: " + Code(pattern.filter->text()) + ".\n\n";
  if (!plan.fan_out_values.empty()) {
    text += fmt::format("One request for each {}: {}; merged{}.\n\n", Code(plan.fan_out_attribute),
                        CodeList(plan.fan_out_values),
                        plan.merge_attribute.empty() ? "" : " by " + Code(plan.merge_attribute));
  }
  if (!plan.request.empty()) text += fmt::format("```json\n{}\n```\n\n", Indented(plan.request));
  return text;
}

}  // namespace monotable::document
