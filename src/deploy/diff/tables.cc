#include <optional>

#include "deploy/diff/sections.h"
#include "deploy/table_shape.h"
#include "table/definition.h"

// Tables with their indexes, environments and parameters.
namespace monotable::deploy {
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
      "Local indexes come and go with their table: the data must move into a new one.";
  PairByName(
      before.indexes, after.indexes, kByName,
      [&](const IndexModel& gone) {
        changes.Of(gone.name).Add(IsLocal(gone) ? ChangeKind::kRewrite : ChangeKind::kDeploy,
                                  "is gone",
                                  IsLocal(gone) ? kNewTable
                                                : "It is deleted with --allow-destructive; whoever "
                                                  "reads it fails then.");
      },
      [&](const IndexModel& added) {
        changes.Of(added.name)
            .Add(IsLocal(added) ? ChangeKind::kRewrite : ChangeKind::kDeploy,
                 fmt::format("is new ({}; {})", DescribeKey(added.key), ProjectionOf(added)),
                 IsLocal(added) ? kNewTable : "It is created and filled while the table is used.");
      },
      [&](const IndexModel& old, const IndexModel& now) {
        const bool local = IsLocal(old) || IsLocal(now);
        const ChangeKind kind = local ? ChangeKind::kRewrite : ChangeKind::kDeploy;
        const char* reason = local ? kNewTable
                                   : "It is deleted and created anew with --allow-destructive; "
                                     "whoever reads it fails meanwhile.";
        const Changes index = changes.Of(now.name);
        index.Compare(IsLocal(old), IsLocal(now), kind, "local", reason);
        index.Compare(DescribeKey(old.key), DescribeKey(now.key), kind, "key", reason);
        index.Compare(ProjectionOf(old), ProjectionOf(now), kind, "projection", reason);
      });
}

void DiffTable(const TableModel& before, const TableModel& after, const Changes& changes) {
  changes.Compare(before.name, after.name, ChangeKind::kRewrite, "name",
                  "It is another table: the data of the old one must be copied.");
  changes.Compare(DescribeKey(before.key), DescribeKey(after.key), ChangeKind::kRewrite, "key",
                  "A table cannot change its key: the data must move into a new one.");
  DiffIndexes(before, after, changes.Of("indexes"));
  changes.Compare(before.type_attribute, after.type_attribute, ChangeKind::kRewrite,
                  "type_attribute", "Stored items say what they are in the old attribute.");
  changes.Compare(before.version_attribute, after.version_attribute, ChangeKind::kHarmless,
                  "version_attribute", "Versions of stored items begin anew, and so do ETags.");
  changes.Compare(before.ttl_attribute, after.ttl_attribute, ChangeKind::kDeploy, "ttl_attribute",
                  "The table must be told by which attribute items expire.");
  changes.Compare(BillingOf(before), BillingOf(after), ChangeKind::kDeploy, "billing",
                  "It is a setting of the table.");
  changes.Compare(StreamOf(before), StreamOf(after), ChangeKind::kDeploy, "stream",
                  "A stream that shows something else is another stream.");
  changes.Compare(before.encrypted, after.encrypted, ChangeKind::kDeploy, "encrypted",
                  "It is a setting of the table.");
  changes.Compare(before.encryption_key, after.encryption_key, ChangeKind::kDeploy,
                  "encryption key", "It is a setting of the table.");
  changes.Compare(before.adopt, after.adopt, ChangeKind::kHarmless, "adopt",
                  "It decides who changes the table, not what it is.");
  const bool stricter = after.enforcement == model::Enforcement::kEnforce;
  changes.Compare(EnforcementOf(before), EnforcementOf(after),
                  stricter ? ChangeKind::kBreaking : ChangeKind::kHarmless, "enforcement",
                  stricter ? "DynamoDB writes that break the rules are refused."
                           : "Nothing that worked is refused.");
}

void DiffEnvironments(const model::Model& before, const model::Model& after,
                      const Changes& changes) {
  PairByName(
      before.environments, after.environments, kByName,
      [&](const model::EnvironmentModel& gone) {
        changes.Of(gone.name).Add(ChangeKind::kBreaking, "is gone", "It can be served no longer.");
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
                            "Backups are made by what deploys the template.");
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

}  // namespace

void DiffTables(const model::Model& before, const model::Model& after, const Changes& changes) {
  const Changes tables = changes.Of("tables");
  PairByName(
      before.tables, after.tables, [](const TableModel& table) { return table.id; },
      [&](const TableModel& gone) {
        tables.Of(gone.id).Add(ChangeKind::kBreaking, "is gone",
                               "What is in it is served no longer; the table itself stays.");
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

}  // namespace monotable::deploy
