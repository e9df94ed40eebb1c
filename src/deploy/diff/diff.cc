#include "deploy/diff/diff.h"

#include <array>

#include <fmt/format.h>

#include "deploy/diff/sections.h"

namespace monotable::deploy {
namespace {

constexpr std::array<ChangeKind, 4> kWorstFirst = {ChangeKind::kBreaking, ChangeKind::kRewrite,
                                                   ChangeKind::kDeploy, ChangeKind::kHarmless};

long CountOf(const std::vector<Change>& changes, ChangeKind kind) {
  return std::count_if(changes.begin(), changes.end(),
                       [kind](const Change& change) { return change.kind == kind; });
}

void DiffTenancy(const model::Model& before, const model::Model& after, const Changes& changes) {
  if (!before.tenancy && !after.tenancy) return;
  const Changes tenancy = changes.Of("tenancy");
  if (!before.tenancy) {
    return tenancy.Add(ChangeKind::kBreaking, "is new",
                       "Callers without a tenant no longer see anything.");
  }
  if (!after.tenancy) {
    return tenancy.Add(ChangeKind::kBreaking, "is gone",
                       "Every caller sees the items of all tenants.");
  }
  tenancy.Compare(before.tenancy->attribute, after.tenancy->attribute, ChangeKind::kRewrite,
                  "attribute", "Stored items are of the tenant that the old attribute names.");
  tenancy.Compare(before.tenancy->claim, after.tenancy->claim, ChangeKind::kBreaking, "claim",
                  "Tokens with the old claim name no tenant.");
}

}  // namespace

std::string_view ChangeKindName(ChangeKind kind) {
  switch (kind) {
    case ChangeKind::kHarmless:
      return "harmless";
    case ChangeKind::kDeploy:
      return "needs deploy";
    case ChangeKind::kRewrite:
      return "needs data rewrite";
    case ChangeKind::kBreaking:
      break;
  }
  return "breaking for clients";
}

std::vector<Change> DiffModels(const model::Model& before, const model::Model& after) {
  std::vector<Change> all;
  const Changes changes(&all, "");
  changes.Of("model").Compare(before.name, after.name, ChangeKind::kBreaking, "name",
                              "URLs begin with the name of the model.");
  changes.Of("model").Compare(before.forbidden_in_keys, after.forbidden_in_keys,
                              ChangeKind::kBreaking, "forbidden_in_keys",
                              "Values in keys that were accepted may be refused.");
  DiffTables(before, after, changes);
  DiffEnums(before, after, changes);
  const Changes entities = changes.Of("entities");
  PairByName(
      before.entities, after.entities, kByName,
      [&](const model::EntityModel& gone) {
        entities.Of(gone.name).Add(ChangeKind::kBreaking, "is gone",
                                   "Its routes answer 404; its stored items stay.");
      },
      [&](const model::EntityModel& added) {
        entities.Of(added.name)
            .Add(ChangeKind::kHarmless, "is new", "Nothing that exists is affected.");
      },
      [&](const model::EntityModel& old, const model::EntityModel& now) {
        DiffEntity(old, now, entities.Of(now.name));
      });
  DiffAccess(before, after, changes);
  DiffTenancy(before, after, changes);
  return all;
}

std::string ReportChanges(const std::vector<Change>& changes) {
  if (changes.empty()) return "The models do not differ.\n";
  std::string text =
      fmt::format("{} {}:", changes.size(), changes.size() == 1 ? "change" : "changes");
  std::string_view separator = " ";
  for (const ChangeKind kind : kWorstFirst) {
    const long count = CountOf(changes, kind);
    if (count == 0) continue;
    text += fmt::format("{}{} {}", separator, count, ChangeKindName(kind));
    separator = ", ";
  }
  text += ".\n";
  for (const ChangeKind kind : kWorstFirst) {
    if (CountOf(changes, kind) == 0) continue;
    std::string title(ChangeKindName(kind));
    title[0] = static_cast<char>(title[0] - 'a' + 'A');
    text += fmt::format("\n## {}\n\n", title);
    for (const Change& change : changes) {
      if (change.kind != kind) continue;
      text += fmt::format("- `{}` {}. {}\n", change.subject, change.what, change.reason);
    }
  }
  return text;
}

}  // namespace monotable::deploy
