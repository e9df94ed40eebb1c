#include "deploy/diff/diff_sections.h"
#include "model/plan/read_plan.h"
#include "model/type.h"

// Collections, patterns and operations: what clients call.
namespace monotable::deploy {
namespace {

using model::CollectionModel;
using model::OperationModel;
using model::PatternModel;

constexpr const char* kClientsCall = "Clients call it by its route.";

std::vector<std::string> Shown(const CollectionModel& collection) {
  std::vector<std::string> members;
  for (const CollectionModel::Member& member : collection.members) {
    members.push_back(
        fmt::format("{} of {}{}", member.name, member.entity, member.many ? "[]" : ""));
  }
  return members;
}

void DiffCollections(const model::Model& before, const model::Model& after,
                     const Changes& changes) {
  PairByName(
      before.collections, after.collections, kByName,
      [&](const CollectionModel& gone) {
        changes.Of(gone.name).Add(ChangeKind::kBreaking, "is gone", kClientsCall);
      },
      [&](const CollectionModel& added) {
        changes.Of(added.name)
            .Add(ChangeKind::kHarmless, "is new", "Nothing that exists is affected.");
      },
      [&](const CollectionModel& old, const CollectionModel& now) {
        const Changes collection = changes.Of(now.name);
        collection.Compare(old.root, now.root, ChangeKind::kBreaking, "root",
                           "Clients get a different document.");
        collection.Compare(old.partition.text(), now.partition.text(), ChangeKind::kRewrite,
                           "partition", "Stored items are in the old partition.");
        collection.Compare(Shown(old), Shown(now), ChangeKind::kBreaking, "members",
                           "Clients get a different document.");
      });
}

bool Returns(const PatternModel& a, const PatternModel& b) {
  return a.kind == b.kind && a.entity == b.entity && a.collection == b.collection &&
         a.parents == b.parents && TextOf(a.filter) == TextOf(b.filter);
}

void DiffPattern(const model::Model& before, const model::Model& after, const PatternModel& old,
                 const PatternModel& now, const Changes& changes) {
  changes.Compare(old.method + " " + old.route, now.method + " " + now.route, ChangeKind::kBreaking,
                  "route", kClientsCall);
  if (!Returns(old, now)) {
    changes.Add(ChangeKind::kBreaking, "returns something else", "Clients get different items.");
  }
  const model::ReadPlan old_plan = model::PlanPattern(before, old);
  const model::ReadPlan new_plan = model::PlanPattern(after, now);
  changes.Compare(old_plan.parameters, new_plan.parameters, ChangeKind::kBreaking, "parameters",
                  "Clients that give the old parameters are refused.");
  std::vector<std::string> lost;
  for (const std::string& name : old_plan.optional_parameters) {
    const auto& kept = new_plan.optional_parameters;
    if (std::find(kept.begin(), kept.end(), name) == kept.end()) lost.push_back(name);
  }
  if (!lost.empty()) {
    changes.Add(ChangeKind::kBreaking, fmt::format("no longer takes {}", fmt::join(lost, ", ")),
                "Clients that give it are refused.");
  }
  changes.Compare(old.descending, now.descending, ChangeKind::kBreaking, "descending",
                  "Clients get the items in the opposite order.");
  changes.Compare(old.page, now.page, ChangeKind::kHarmless, "page",
                  "Clients follow links from page to page.");
  changes.Compare(std::string(model::VerdictName(old_plan.verdict)),
                  std::string(model::VerdictName(new_plan.verdict)), ChangeKind::kHarmless,
                  "verdict", "The answer is the same, but its cost is not.");
  // A change that is reported by itself does not count as a different request.
  PatternModel same = old;
  same.page = now.page;
  same.descending = now.descending;
  if (old_plan.verdict == new_plan.verdict &&
      model::PlanPattern(before, same).request != new_plan.request) {
    changes.Add(ChangeKind::kHarmless, "is read with a different request",
                "The request follows the new keys.");
  }
}

// The old model with the new names of the tables, because a renamed table is reported by itself.
model::Model WithTableNames(const model::Model& before, const model::Model& after) {
  model::Model renamed = before;
  for (model::TableModel& table : renamed.tables) {
    if (const model::TableModel* now = after.FindTable(table.id)) table.name = now->name;
  }
  return renamed;
}

void DiffPatterns(const model::Model& old_model, const model::Model& after,
                  const Changes& changes) {
  const model::Model before = WithTableNames(old_model, after);
  PairByName(
      before.patterns, after.patterns, kByName,
      [&](const PatternModel& gone) {
        changes.Of(gone.name).Add(ChangeKind::kBreaking, "is gone", kClientsCall);
      },
      [&](const PatternModel& added) {
        const auto verdict = model::PlanPattern(after, added).verdict;
        changes.Of(added.name)
            .Add(ChangeKind::kHarmless, fmt::format("is new ({})", model::VerdictName(verdict)),
                 "Nothing that exists is affected.");
      },
      [&](const PatternModel& old, const PatternModel& now) {
        DiffPattern(before, after, old, now, changes.Of(now.name));
      });
}

std::string TypeOf(const OperationModel::Input& input) {
  std::string text = input.entity.empty() ? model::DescribeType(input.type) : input.entity;
  if (input.many) text += fmt::format("[{}..{}]", input.least, input.most);
  return text;
}

// What the steps write, in a form that can be compared.
std::vector<std::string> Shown(const std::vector<OperationModel::Step>& steps) {
  std::vector<std::string> texts;
  for (const OperationModel::Step& step : steps) {
    std::string text =
        fmt::format("{} {} {}{}", static_cast<int>(step.action), step.entity, step.from, step.each);
    for (const auto& [attribute, rule] : step.set) {
      text += fmt::format(" {}={}", attribute, rule.text());
    }
    if (step.when) text += " when " + step.when->text();
    texts.push_back(std::move(text));
  }
  return texts;
}

void DiffInputs(const OperationModel& before, const OperationModel& after, const Changes& changes) {
  PairByName(
      before.inputs, after.inputs, kByName,
      [&](const OperationModel::Input& gone) {
        changes.Of(gone.name).Add(ChangeKind::kBreaking, "is gone",
                                  "Clients that send it are refused.");
      },
      [&](const OperationModel::Input& added) {
        changes.Of(added.name)
            .Add(added.required ? ChangeKind::kBreaking : ChangeKind::kHarmless,
                 added.required ? "is new and required" : "is new",
                 added.required ? "Clients that do not send it are refused."
                                : "Clients do not have to send it.");
      },
      [&](const OperationModel::Input& old, const OperationModel::Input& now) {
        const Changes input = changes.Of(now.name);
        input.Compare(TypeOf(old), TypeOf(now), ChangeKind::kBreaking, "type",
                      "What clients send may be refused.");
        input.Compare(old.required, now.required,
                      now.required ? ChangeKind::kBreaking : ChangeKind::kHarmless, "required",
                      now.required ? "Clients that do not send it are refused."
                                   : "Clients may leave it out.");
      });
}

void DiffOperations(const model::Model& before, const model::Model& after, const Changes& changes) {
  PairByName(
      before.operations, after.operations, kByName,
      [&](const OperationModel& gone) {
        changes.Of(gone.name).Add(ChangeKind::kBreaking, "is gone", kClientsCall);
      },
      [&](const OperationModel& added) {
        changes.Of(added.name)
            .Add(ChangeKind::kHarmless, "is new", "Nothing that exists is affected.");
      },
      [&](const OperationModel& old, const OperationModel& now) {
        const Changes operation = changes.Of(now.name);
        operation.Compare(old.method + " " + old.route, now.method + " " + now.route,
                          ChangeKind::kBreaking, "route", kClientsCall);
        DiffInputs(old, now, operation.Of("input"));
        if (Shown(old.steps) != Shown(now.steps)) {
          operation.Add(ChangeKind::kBreaking, "writes something else",
                        "Clients that call it get a different outcome.");
        }
      });
}

}  // namespace

void DiffAccess(const model::Model& before, const model::Model& after, const Changes& changes) {
  DiffCollections(before, after, changes.Of("collections"));
  DiffPatterns(before, after, changes.Of("patterns"));
  DiffOperations(before, after, changes.Of("operations"));
}

}  // namespace monotable::deploy
