#include <algorithm>
#include <string>

#include "model/check/passes.h"
#include "model/plan/keys.h"
#include "model/plan/plan.h"

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
                  "Let entities share an index by different prefixes.");
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
                      "Give one keys in it, or remove the index.");
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

// The time to live counts from an instant; the loader has seen to it that it is one.
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
                    "Give an entity `ttl`, or remove it.");
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

}  // namespace monotable::model
