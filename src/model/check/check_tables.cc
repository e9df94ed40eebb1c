#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>
#include <vector>

#include "model/check/check_passes.h"
#include "model/plan/keys.h"
#include "model/plan/read_plan.h"

namespace monotable::model {
namespace {

constexpr auto kMostGlobalIndexes = 20;
constexpr auto kMostLocalIndexes = 5;

void CheckIndexCount(const TableModel& table, Report* report) {
  const auto count = [&](table::IndexKind kind) {
    return std::ranges::count(table.indexes, kind, &IndexModel::kind);
  };
  const auto global = count(table::IndexKind::kGlobal);
  const auto local = count(table::IndexKind::kLocal);
  if (global > kMostGlobalIndexes || local > kMostLocalIndexes) {
    report->Error("too_many_indexes", table.place, "tables." + table.id,
                  table.id + " has " + std::to_string(global) + " global and " +
                      std::to_string(local) + " local indexes; DynamoDB allows 20 and 5.",
                  "Let entities share an index with different prefixes in their keys.");
  }
}

// Whether something reads the index: a pattern, or the server to find the copies of a value.
bool IsRead(const Model& model, const TableModel& table, const IndexModel& index) {
  for (const PatternModel& pattern : model.patterns) {
    const EntityModel* entity = model.FindEntity(pattern.entity);
    if (entity == nullptr || entity->table != table.id) continue;
    if (pattern.index == index.name) return true;
    if (pattern.fan_out && pattern.fan_out->index == index.name) return true;
  }
  for (const EntityModel& entity : model.entities) {
    const KeyModel* keys = entity.table == table.id ? entity.FindKeys(index.name) : nullptr;
    if (keys == nullptr || keys->parts.empty()) continue;
    for (const CopyModel& copy : entity.copies) {
      if (copy.live && keys->parts.front().text.attributes() == std::vector{copy.via}) return true;
    }
  }
  return false;
}

void CheckIndexUse(const Model& model, const TableModel& table, Report* report) {
  for (const IndexModel& index : table.indexes) {
    const std::string subject = "tables." + table.id + ".indexes." + index.name;
    const bool held = std::ranges::any_of(model.entities, [&](const EntityModel& entity) {
      return entity.table == table.id && KeyTextsOf(table, entity, index.name).has_value();
    });
    if (!held) {
      report->Warning("unused_index", index.place, subject,
                      "No entity has keys in " + index.name + ".",
                      "Give an entity keys in it, or remove the index.");
    } else if (!IsRead(model, table, index)) {
      report->Warning("unused_index", index.place, subject,
                      "No pattern reads " + index.name + ", but every write pays for it.",
                      "Add the pattern it is for, or remove the index.");
    }
  }
}

// DynamoDB expires items by a top-level Number with seconds since 1970, and by nothing else.
void CheckTtlAttribute(const TableModel& table, const EntityModel& entity, Report* report) {
  const AttributeModel* attribute = FindAttribute(entity, table.ttl_attribute);
  if (attribute == nullptr) return;
  const TypeModel& type = attribute->type;
  const bool seconds = type.kind == TypeKind::kInteger || type.kind == TypeKind::kDecimal ||
                       (type.kind == TypeKind::kInstant && type.stored == InstantForm::kEpoch);
  if (!seconds) {
    report->Error("ttl_not_seconds", attribute->place, SubjectOf(entity, *attribute),
                  attribute->name +
                      " is the TTL attribute but is not stored as a number of "
                      "seconds, so nothing ever expires.",
                  "Write `{type: instant, stored: epoch}`.");
  }
  if (StoredPath(entity, attribute->name) != attribute->name) {
    report->Error("ttl_in_envelope", attribute->place, SubjectOf(entity, *attribute),
                  attribute->name + " is inside the map " + entity.envelope +
                      ", but TTL looks at top-level attributes only.",
                  "List it in `outside` of the envelope.");
  }
}

// The time to live counts from an instant. The loader has already checked that the base is one.
void CheckTtlBase(const Model& model, const EntityModel& entity, Report* report) {
  if (AlwaysPresent(model, entity, entity.ttl->base)) return;
  report->Warning("ttl_base_optional", entity.ttl->place, SubjectOf(entity) + ".ttl",
                  "Items without " + entity.ttl->base + " never expire.", "Make it required.");
}

void CheckTtl(const Model& model, const TableModel& table, Report* report) {
  bool used = false;
  for (const EntityModel& entity : model.entities) {
    if (entity.table != table.id) continue;
    if (entity.ttl) CheckTtlBase(model, entity, report);
    if (!table.ttl_attribute.empty()) CheckTtlAttribute(table, entity, report);
    used = used || entity.ttl || FindAttribute(entity, table.ttl_attribute) != nullptr;
  }
  if (table.ttl_attribute.empty()) return;
  const bool key = table.key.Has(table.ttl_attribute) ||
                   std::ranges::any_of(table.indexes, [&](const IndexModel& index) {
                     return index.key.Has(table.ttl_attribute);
                   });
  if (key) {
    report->Error("ttl_is_key", table.place, "tables." + table.id,
                  "The TTL attribute " + table.ttl_attribute + " is a key attribute.",
                  "Name another attribute.");
  } else if (!used && !table.adopt) {
    report->Warning("unused_ttl", table.place, "tables." + table.id,
                    "The table " + table.id + " has a ttl_attribute, but no entity expires.",
                    "Give an entity `ttl`, or remove `ttl_attribute`.");
  }
}

}  // namespace

void CheckTables(const Model& model, Report* report) {
  for (const TableModel& table : model.tables) {
    CheckIndexCount(table, report);
    CheckIndexUse(model, table, report);
    CheckTtl(model, table, report);
  }
}

namespace {

// The throughput that DynamoDB gives one partition key, in units a second.
constexpr double kMostWriteUnits = 1000;
constexpr double kMostReadUnits = 3000;
constexpr double kSecondsPerDay = 86400;
constexpr int64_t kTypicalItemBytes = 1024;

// How the items of an entity are spread over partitions.
struct Spread {
  double evenly = 1;   // number of partitions that share the load evenly: shards, referenced items
  bool known = false;  // the model tells all partitions
  std::string why;     // "has one value", "has the 6 values of SaleStatus"
};

const WorkloadModel::Volume* VolumeOf(const Model& model, std::string_view entity) {
  if (!model.workload) return nullptr;
  const auto& volumes = model.workload->volumes;
  const auto found = std::ranges::find(volumes, entity, &WorkloadModel::Volume::entity);
  return found != volumes.end() ? &*found : nullptr;
}

int64_t BytesOf(const Model& model, const std::string& entity) {
  const WorkloadModel::Volume* volume = VolumeOf(model, entity);
  return volume != nullptr && volume->bytes > 0 ? volume->bytes : kTypicalItemBytes;
}

Spread SpreadOf(const Model& model, const EntityModel& entity, const Template& hash) {
  Spread spread{1, true, "is always the same"};
  for (const TemplatePart& part : hash.parts()) {
    if (part.is_literal()) continue;
    const AttributeModel* attribute = FindAttribute(entity, part.attribute);
    const WorkloadModel::Volume* referenced =
        attribute != nullptr ? VolumeOf(model, attribute->references) : nullptr;
    if (part.shards > 0) {
      spread.evenly *= part.shards;
      spread.why = "has " + std::to_string(part.shards) + " shards";
    } else if (attribute != nullptr && attribute->type.kind == TypeKind::kEnum) {
      const EnumModel* type = model.FindEnum(attribute->type.enum_name);
      const size_t values = type != nullptr ? type->values.size() : 0;
      // States do not spread items evenly, because all new items begin in one state.
      spread.why = "has the " + std::to_string(values) + " values of " + part.attribute;
    } else if (referenced != nullptr && referenced->total > 0) {
      spread.evenly *= referenced->total;
      spread.why = "is one of " + attribute->references;
    } else {
      spread.known = false;
    }
  }
  return spread;
}

// What the workload asks of one entity.
struct Demand {
  bool stated = false;
  double write_units = 0;  // a second
  double read_units = 0;   // from the table or index that is looked at
};

double WritesPerCall(const OperationModel& operation, const std::string& entity) {
  double writes = 0;
  for (const OperationModel::Step& step : operation.steps) {
    if (step.entity != entity || step.action == OperationModel::Step::Action::kCheck) continue;
    const auto input = std::ranges::find(operation.inputs, step.each, &OperationModel::Input::name);
    const bool several = !step.each.empty() && input != operation.inputs.end();
    writes += several ? std::max(1, input->most) : 1;
  }
  return writes;
}

Demand DemandOf(const Model& model, const EntityModel& entity, const std::string& index) {
  Demand demand;
  if (!model.workload) return demand;
  const auto bytes = static_cast<double>(BytesOf(model, entity.name));
  for (const WorkloadModel::Rate& rate : model.workload->rates) {
    const double per_second = rate.per_day / kSecondsPerDay;
    for (const char* verb : {"create ", "update ", "delete "}) {
      if (rate.what != verb + entity.name) continue;
      demand.stated = true;
      demand.write_units += per_second * std::ceil(bytes / 1024);
    }
    for (const OperationModel& operation : model.operations) {
      const double writes = operation.name == rate.what ? WritesPerCall(operation, entity.name) : 0;
      if (writes == 0) continue;
      demand.stated = true;
      demand.write_units += per_second * writes * std::ceil(bytes / 1024);
    }
    const PatternModel* pattern = model.FindPattern(rate.what);
    if (pattern == nullptr || pattern->entity != entity.name) continue;
    const ReadPlan plan = PlanPattern(model, *pattern);
    if (plan.steps.empty() || plan.steps.front().index != index) continue;
    const double units = std::ceil(bytes * std::max(1, rate.items) / 4096);
    demand.read_units += per_second * (rate.consistent ? units : units / 2);
  }
  return demand;
}

std::string Rounded(double value) {
  char text[32];
  std::snprintf(text, sizeof text, value < 10 ? "%.3g" : "%.0f", value);
  return text;
}

void CheckPartition(const Model& model, const EntityModel& entity, const std::string& index,
                    const KeyTexts& texts, Report* report) {
  const Spread spread = SpreadOf(model, entity, texts.hash);
  if (!spread.known) return;
  const Demand demand = DemandOf(model, entity, index);
  const double writes = demand.write_units / spread.evenly;
  const double reads = demand.read_units / spread.evenly;
  const bool hot = writes > kMostWriteUnits || reads > kMostReadUnits;
  // Items that are spread over shards or references are reported only if the workload exceeds the
  // limit.
  if (!hot && spread.evenly > 1) return;
  const Place place = texts.declared != nullptr ? texts.declared->place : entity.primary().place;
  const std::string subject = SubjectOfKey(entity, index);
  const std::string where = "The partition \"" + texts.hash.text() + "\" of " +
                            (index.empty() ? "the table" : index) + " " + spread.why;
  const std::string limits = " One partition takes 1000 write and 3000 read units a second";
  if (hot) {
    report->Warning(
        "hot_partition", place, subject,
        where + ", and the workload asks one of them for " + Rounded(writes) + " write and " +
            Rounded(reads) + " read units a second." + limits + ".",
        "Spread the partition: add {…|shard(n)} to the template and read it with fan_out.");
  } else if (demand.stated) {
    report->Info("hot_partition", place, subject,
                 where + "." + limits + "; the workload asks for " + Rounded(writes) + " and " +
                     Rounded(reads) + ".");
  } else {
    report->Warning("hot_partition", place, subject,
                    where + ", so all traffic of " + entity.name + " goes there." + limits + ".",
                    "State the workload of " + entity.name +
                        ", or spread the partition: {…|shard(n)} with fan_out.");
  }
}

}  // namespace

void CheckPartitions(const Model& model, Report* report) {
  for (const EntityModel& entity : model.entities) {
    const TableModel* table = model.FindTable(entity.table);
    if (table == nullptr) continue;
    std::vector<std::string> indexes = {""};
    for (const IndexModel& index : table->indexes) {
      // A local index has the partitions of the table.
      if (index.kind == table::IndexKind::kGlobal) indexes.push_back(index.name);
    }
    for (const std::string& index : indexes) {
      const std::optional<KeyTexts> texts = KeyTextsOf(*table, entity, index);
      if (texts) CheckPartition(model, entity, index, *texts, report);
    }
  }
}

}  // namespace monotable::model
