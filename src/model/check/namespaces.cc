#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "model/check/passes.h"
#include "model/plan/keys.h"
#include "model/plan/shape.h"

namespace monotable::model {
namespace {

// An entity's keys in the table or index that is looked at.
struct Resident {
  const EntityModel* entity;
  KeyTexts texts;
  TextShape hash;
  std::optional<TextShape> range;

  Place place() const {
    return texts.declared != nullptr ? texts.declared->place : entity->primary().place;
  }
};

std::vector<Resident> ResidentsOf(const Model& model, const TableModel& table,
                                  std::string_view index) {
  std::vector<Resident> residents;
  for (const EntityModel& entity : model.entities) {
    if (entity.table != table.id) continue;
    std::optional<KeyTexts> texts = KeyTextsOf(table, entity, index);
    if (!texts) continue;
    Resident resident{&entity, *std::move(texts), {}, {}};
    resident.hash = TextShape::Of(model, entity, resident.texts.hash);
    if (resident.texts.range) {
      resident.range = TextShape::Of(model, entity, *resident.texts.range);
    }
    residents.push_back(std::move(resident));
  }
  return residents;
}

bool RangesMeet(const Resident& a, const Resident& b) {
  return !a.range || !b.range || a.range->Meets(*b.range);
}

// Two entities whose items could have one and the same primary key.
void CheckSameKey(const Resident& a, const Resident& b, Report* report) {
  if (!a.hash.Meets(b.hash) || !RangesMeet(a, b)) return;
  const std::string subject = SubjectOfKey(*b.entity, "");
  if (report->Accepts(SubjectOf(*a.entity), "key_overlap")) return;
  const std::string message = "An item of " + b.entity->name + " may have the primary key of " +
                              a.entity->name + " and replace it.";
  const std::string fix = "Begin their sort keys with different text.";
  if (a.texts.hash == b.texts.hash && a.texts.range == b.texts.range) {
    report->Error("key_overlap", b.place(), subject, message, fix);
  } else {
    report->Warning("key_overlap", b.place(), subject, message, fix);
  }
}

// Two entities that an index puts into one partition although they are about different things:
// USER#{email} and USER#{userId}.
void CheckSamePartition(const std::string& index, const Resident& a, const Resident& b,
                        std::vector<std::string>* told, Report* report) {
  if (a.texts.hash == b.texts.hash || !a.hash.Meets(b.hash)) return;
  if (report->Accepts(SubjectOf(*a.entity), "key_overlap")) return;
  std::string pair = a.texts.hash.text() + "\n" + b.texts.hash.text();
  for (const std::string& known : *told) {
    if (known == pair) return;
  }
  told->push_back(std::move(pair));
  report->Warning(
      "key_overlap", b.place(), SubjectOfKey(*b.entity, index),
      "\"" + b.texts.hash.text() + "\" of " + b.entity->name + " and \"" + a.texts.hash.text() +
          "\" of " + a.entity->name + " may be the same partition of " + index + ".",
      "Give them different prefixes, and until then bound the sort key of every Query.");
}

// Digits of a second that the first moment in a sort key has; nothing if it has none.
std::optional<bool> Milliseconds(const Resident& resident) {
  if (!resident.texts.range) return std::nullopt;
  for (const TemplatePart& part : resident.texts.range->parts()) {
    if (part.is_literal()) continue;
    const AttributeModel* attribute = FindAttribute(*resident.entity, part.attribute);
    if (attribute == nullptr || attribute->type.kind != TypeKind::kInstant) return std::nullopt;
    if (part.format == "iso") return false;
    if (part.format == "isoms") return true;
    if (!part.format.empty() || attribute->type.stored != InstantForm::kIso) return std::nullopt;
    return attribute->type.milliseconds;
  }
  return std::nullopt;
}

// 14:30:59.500Z sorts before 14:30:59Z, so one partition must have one precision.
void CheckPrecision(const std::string& index, const Resident& a, const Resident& b,
                    Report* report) {
  const std::optional<bool> first = Milliseconds(a);
  const std::optional<bool> second = Milliseconds(b);
  if (!first || !second || *first == *second || !a.hash.Meets(b.hash)) return;
  if (a.texts.range->Prefix() != b.texts.range->Prefix()) return;
  report->Warning("mixed_precision", b.place(), SubjectOfKey(*b.entity, index),
                  "The sort keys of " + a.entity->name + " and " + b.entity->name +
                      " have moments with and without milliseconds, which do not sort by time "
                      "together.",
                  "Use one precision, or spell both {…:isoms}.");
}

}  // namespace

void CheckNamespaces(const Model& model, Report* report) {
  for (const TableModel& table : model.tables) {
    std::vector<std::string> indexes = {""};
    for (const IndexModel& index : table.indexes) indexes.push_back(index.name);
    for (const std::string& index : indexes) {
      const std::vector<Resident> residents = ResidentsOf(model, table, index);
      std::vector<std::string> told;
      for (size_t b = 1; b < residents.size(); ++b) {
        for (size_t a = 0; a < b; ++a) {
          if (index.empty()) {
            CheckSameKey(residents[a], residents[b], report);
          } else {
            CheckSamePartition(index, residents[a], residents[b], &told, report);
          }
          CheckPrecision(index, residents[a], residents[b], report);
        }
      }
    }
  }
}

}  // namespace monotable::model
