#include "deploy/diff/diff.h"

#include <array>

#include <fmt/format.h>

#include "deploy/diff/diff_sections.h"
#include "deploy/table_shape.h"
#include "table/definition.h"

namespace monotable::deploy {

// Tables with their indexes, environments and parameters.

namespace {

using model::IndexModel;
using model::TableModel;

std::string ProjectionOf(const IndexModel& index) {
  table::Projection projection = index.projection;
  std::sort(projection.non_key_attributes.begin(), projection.non_key_attributes.end());
  return DescribeProjection(projection);
}

std::string StreamOf(const TableModel& table) {
  return table.stream ? std::string(table::StreamViewName(*table.stream)) : std::string();
}

std::string BillingOf(const TableModel& table) {
  return table.billing == table::BillingMode::kProvisioned ? "provisioned" : "on demand";
}

std::string EnforcementOf(const TableModel& table) {
  if (table.enforcement == model::Enforcement::kEnforce) return "enforce";
  return table.enforcement == model::Enforcement::kWarn ? "warn" : "off";
}

bool IsLocal(const IndexModel& index) {
  return index.kind == table::IndexKind::kLocal;
}

void DiffIndexes(const TableModel& before, const TableModel& after, const Changes& changes) {
  constexpr const char* kNewTable =
      "Local indexes are created and deleted with their table: the data must move into a new "
      "table.";
  PairByName(
      before.indexes, after.indexes, kByName,
      [&](const IndexModel& gone) {
        changes.Of(gone.name).Add(IsLocal(gone) ? ChangeKind::kRewrite : ChangeKind::kDeploy,
                                  "is gone",
                                  IsLocal(gone) ? kNewTable
                                                : "--allow-destructive deletes it; clients that "
                                                  "read it then fail.");
      },
      [&](const IndexModel& added) {
        changes.Of(added.name)
            .Add(
                IsLocal(added) ? ChangeKind::kRewrite : ChangeKind::kDeploy,
                fmt::format("is new ({}; {})", DescribeKey(added.key), ProjectionOf(added)),
                IsLocal(added) ? kNewTable : "It is created and filled while the table is in use.");
      },
      [&](const IndexModel& old, const IndexModel& now) {
        const bool local = IsLocal(old) || IsLocal(now);
        const ChangeKind kind = local ? ChangeKind::kRewrite : ChangeKind::kDeploy;
        const char* reason = local ? kNewTable
                                   : "--allow-destructive deletes it and creates it again; "
                                     "clients that read it fail meanwhile.";
        const Changes index = changes.Of(now.name);
        index.Compare(IsLocal(old), IsLocal(now), kind, "local", reason);
        index.Compare(DescribeKey(old.key), DescribeKey(now.key), kind, "key", reason);
        index.Compare(ProjectionOf(old), ProjectionOf(now), kind, "projection", reason);
      });
}

void DiffTable(const TableModel& before, const TableModel& after, const Changes& changes) {
  changes.Compare(before.name, after.name, ChangeKind::kRewrite, "name",
                  "It is a different table: the data of the old table must be copied.");
  changes.Compare(DescribeKey(before.key), DescribeKey(after.key), ChangeKind::kRewrite, "key",
                  "A table cannot change its key: the data must move into a new table.");
  DiffIndexes(before, after, changes.Of("indexes"));
  changes.Compare(before.type_attribute, after.type_attribute, ChangeKind::kRewrite,
                  "type_attribute", "Stored items name their entity in the old attribute.");
  changes.Compare(before.version_attribute, after.version_attribute, ChangeKind::kHarmless,
                  "version_attribute",
                  "The versions of stored items, and their ETags, start again.");
  changes.Compare(before.ttl_attribute, after.ttl_attribute, ChangeKind::kDeploy, "ttl_attribute",
                  "The TTL attribute is a setting of the table.");
  changes.Compare(BillingOf(before), BillingOf(after), ChangeKind::kDeploy, "billing",
                  "It is a setting of the table.");
  changes.Compare(StreamOf(before), StreamOf(after), ChangeKind::kDeploy, "stream",
                  "A stream with different images is a new stream.");
  changes.Compare(before.encrypted, after.encrypted, ChangeKind::kDeploy, "encrypted",
                  "It is a setting of the table.");
  changes.Compare(before.encryption_key, after.encryption_key, ChangeKind::kDeploy,
                  "encryption key", "It is a setting of the table.");
  changes.Compare(before.adopt, after.adopt, ChangeKind::kHarmless, "adopt",
                  "It decides who changes the table, not what the table is.");
  const bool stricter = after.enforcement == model::Enforcement::kEnforce;
  changes.Compare(EnforcementOf(before), EnforcementOf(after),
                  stricter ? ChangeKind::kBreaking : ChangeKind::kHarmless, "enforcement",
                  stricter ? "DynamoDB writes that break the rules are refused."
                           : "Everything that worked still works.");
}

void DiffEnvironments(const model::Model& before, const model::Model& after,
                      const Changes& changes) {
  PairByName(
      before.environments, after.environments, kByName,
      [&](const model::EnvironmentModel& gone) {
        changes.Of(gone.name).Add(ChangeKind::kBreaking, "is gone",
                                  "The environment can no longer be served.");
      },
      [&](const model::EnvironmentModel& added) {
        changes.Of(added.name).Add(ChangeKind::kDeploy, "is new", "Its tables must be created.");
      },
      [&](const model::EnvironmentModel& old, const model::EnvironmentModel& now) {
        const Changes environment = changes.Of(now.name);
        const std::string reason = "It is a setting of the tables.";
        environment.Compare(old.pitr, now.pitr, ChangeKind::kDeploy, "pitr", reason);
        environment.Compare(old.pitr_days, now.pitr_days, ChangeKind::kDeploy, "pitr days", reason);
        environment.Compare(old.deletion_protection, now.deletion_protection, ChangeKind::kDeploy,
                            "deletion_protection", reason);
        environment.Compare(old.daily_backup, now.daily_backup, ChangeKind::kDeploy, "daily backup",
                            "Whoever deploys the template makes the backups.");
      });
}

void DiffParameters(const model::Model& before, const model::Model& after, const Changes& changes) {
  PairByName(
      before.parameters, after.parameters, kByName,
      [&](const model::ParameterModel& gone) {
        changes.Of(gone.name).Add(ChangeKind::kDeploy, "is gone",
                                  "Deployments that set it are refused.");
      },
      [&](const model::ParameterModel& added) {
        changes.Of(added.name).Add(ChangeKind::kHarmless, "is new", "It has a default.");
      },
      [&](const model::ParameterModel& old, const model::ParameterModel& now) {
        const Changes parameter = changes.Of(now.name);
        parameter.Compare(old.default_value, now.default_value, ChangeKind::kDeploy, "default",
                          "Deployments that do not set it get the new value.");
        parameter.Compare(old.allowed, now.allowed, ChangeKind::kDeploy, "allowed",
                          "Deployments with other values are refused.");
      });
}

void DiffTables(const model::Model& before, const model::Model& after, const Changes& changes) {
  const Changes tables = changes.Of("tables");
  PairByName(
      before.tables, after.tables, [](const TableModel& table) { return table.id; },
      [&](const TableModel& gone) {
        tables.Of(gone.id).Add(ChangeKind::kBreaking, "is gone",
                               "Its items are no longer served; the table itself stays.");
      },
      [&](const TableModel& added) {
        tables.Of(added.id).Add(added.adopt ? ChangeKind::kHarmless : ChangeKind::kDeploy, "is new",
                                added.adopt ? "It exists already." : "It must be created.");
      },
      [&](const TableModel& old, const TableModel& now) {
        DiffTable(old, now, tables.Of(now.id));
      });
  DiffEnvironments(before, after, changes.Of("environments"));
  DiffParameters(before, after, changes.Of("parameters"));
}

// Enums: which values there are, and which may follow which.

using model::EnumModel;

void DiffTransitions(const EnumModel& before, const EnumModel& after, const Changes& changes) {
  std::vector<std::string> allowed;
  std::vector<std::string> refused;
  for (const EnumModel::Value& from : after.values) {
    for (const EnumModel::Value& to : after.values) {
      if (before.Find(from.text) == nullptr || before.Find(to.text) == nullptr) continue;
      const bool was = before.Allows(from.text, to.text);
      const bool is = after.Allows(from.text, to.text);
      if (was != is) (is ? allowed : refused).push_back(from.text + " → " + to.text);
    }
  }
  if (!refused.empty()) {
    changes.Add(ChangeKind::kBreaking, fmt::format("no longer allows {}", fmt::join(refused, ", ")),
                "Writes that make this change are refused.");
  }
  if (!allowed.empty()) {
    changes.Add(ChangeKind::kHarmless, fmt::format("allows {}", fmt::join(allowed, ", ")),
                "Everything that worked still works.");
  }
}

void DiffEnum(const EnumModel& before, const EnumModel& after, const Changes& changes) {
  PairByName(
      before.values, after.values, [](const EnumModel::Value& value) { return value.text; },
      [&](const EnumModel::Value& gone) {
        changes.Add(ChangeKind::kBreaking, fmt::format("has no value {}", gone.text),
                    "Stored items may have it, and writes with it are refused.");
      },
      [&](const EnumModel::Value& added) {
        changes.Add(ChangeKind::kHarmless, fmt::format("has a new value {}", added.text),
                    "Clients that list all values should add it.");
      },
      [](const EnumModel::Value&, const EnumModel::Value&) {});
  changes.Compare(before.initial, after.initial, ChangeKind::kHarmless, "initial",
                  "New items without a value start with it.");
  changes.Compare(before.open, after.open,
                  after.open ? ChangeKind::kHarmless : ChangeKind::kBreaking, "open",
                  after.open ? "Everything that worked still works."
                             : "Values that are not listed are refused.");
  DiffTransitions(before, after, changes);
}

void DiffEnums(const model::Model& before, const model::Model& after, const Changes& changes) {
  const Changes enums = changes.Of("enums");
  PairByName(
      before.enums, after.enums, kByName,
      [&](const EnumModel& gone) {
        enums.Of(gone.name).Add(ChangeKind::kHarmless, "is gone",
                                "The attributes that had this type are listed separately.");
      },
      [&](const EnumModel& added) {
        enums.Of(added.name)
            .Add(ChangeKind::kHarmless, "is new",
                 "The attributes that have this type are listed separately.");
      },
      [&](const EnumModel& old, const EnumModel& now) { DiffEnum(old, now, enums.Of(now.name)); });
}

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
                  "attribute", "Stored items belong to the tenant that the old attribute names.");
  tenancy.Compare(before.tenancy->claim, after.tenancy->claim, ChangeKind::kBreaking, "claim",
                  "Tokens with the old claim no longer name a tenant.");
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
