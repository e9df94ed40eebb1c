#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "item/number.h"
#include "model/check/check_passes.h"
#include "model/instant.h"
#include "model/plan/keys.h"

namespace monotable::model {
namespace {

bool IsMoment(const EntityModel& entity, const std::string& path) {
  const AttributeModel* attribute = FindAttribute(entity, path);
  return attribute != nullptr &&
         (attribute->type.kind == TypeKind::kInstant || attribute->type.kind == TypeKind::kDate);
}

// Says why an attribute changes during an item's life. The text is empty if nothing in the model
// says so.
std::string WhyMutable(const Model& model, const EntityModel& entity, const std::string& path) {
  const AttributeModel* attribute = FindAttribute(entity, path);
  if (attribute == nullptr) return "";
  if (attribute->set == SetBy::kOnWrite || attribute->set == SetBy::kCallerOnWrite) {
    return "is set by every write";
  }
  if (attribute->type.kind == TypeKind::kEnum) {
    const EnumModel* type = model.FindEnum(attribute->type.enum_name);
    if (type != nullptr && type->transitions != EnumModel::Transitions::kNone) {
      return "is a state with transitions";
    }
  }
  const bool copied = std::ranges::any_of(
      entity.copies, [&](const CopyModel& copy) { return copy.live && copy.attribute == path; });
  return copied ? "is a copy that follows its source" : "";
}

// Whether two items are likely to have the same value, so that the attribute does not tell them
// apart. Moments are always weak. Enums and states are weak unless the model says that they are the
// id.
bool IsWeak(const Model& model, const EntityModel& entity, const std::string& path) {
  if (IsMoment(entity, path)) return true;
  if (entity.id && entity.id->attribute == path) return false;
  const AttributeModel* attribute = FindAttribute(entity, path);
  return attribute != nullptr &&
         (attribute->type.kind == TypeKind::kEnum || !WhyMutable(model, entity, path).empty());
}

std::string Enumerate(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

void CheckCollision(const Model& model, const EntityModel& entity, const KeyTexts& key,
                    Report* report) {
  if (entity.cardinality == Cardinality::kOne || !entity.bump_attribute.empty()) return;
  const std::vector<std::string> hash = key.hash.attributes();
  std::vector<std::string> telling = key.range ? key.range->attributes() : hash;
  if (telling.empty()) telling = hash;
  if (telling.empty()) {
    report->Warning("key_collision", entity.primary().place, SubjectOfKey(entity, ""),
                    "All items of " + entity.name +
                        " have the same primary key, so there can be "
                        "only one.",
                    "Put an id into the key, or write `cardinality: one`.");
    return;
  }
  if (entity.id && Contains(hash, entity.id->attribute)) return;
  const bool weak = std::ranges::all_of(
      telling, [&](const std::string& path) { return IsWeak(model, entity, path); });
  if (!weak) return;
  report->Warning("key_collision", entity.primary().place, SubjectOfKey(entity, ""),
                  "Two items of " + entity.name + " with the same " + Enumerate(telling) +
                      " have the same primary key, and the later one replaces the earlier.",
                  "Add an id to the key, or write on_key_conflict to say what happens.");
}

void CheckMutable(const Model& model, const EntityModel& entity, const KeyTexts& key,
                  Report* report) {
  std::vector<std::string> paths = key.hash.attributes();
  if (key.range) {
    for (std::string& path : key.range->attributes()) paths.push_back(std::move(path));
  }
  for (const std::string& path : paths) {
    const AttributeModel* attribute = FindAttribute(entity, path);
    const Place place = attribute != nullptr ? attribute->place : entity.primary().place;
    const std::string why = WhyMutable(model, entity, path);
    if (!why.empty() && entity.on_key_change == KeyChange::kRefuse) {
      report->Error(
          "mutable_primary_key", place, SubjectOfKey(entity, ""),
          fmt::format("{} is part of the primary key and {}, but a primary key cannot change.",
                      path, why),
          "Write `on_key_change: move`, or remove it from the key.");
    }
  }
}

// A bump by less than the stored precision makes the same key again.
void CheckBump(const EntityModel& entity, const KeyTexts& key, Report* report) {
  if (entity.bump_attribute.empty()) return;
  const AttributeModel* attribute = FindAttribute(entity, entity.bump_attribute);
  const bool in_key = Contains(key.hash.attributes(), entity.bump_attribute) ||
                      (key.range && Contains(key.range->attributes(), entity.bump_attribute));
  if (attribute == nullptr || !in_key) {
    report->Error("bump_not_in_key", entity.place, SubjectOf(entity),
                  "on_key_conflict changes " + entity.bump_attribute +
                      ", which is not part of the primary key.",
                  "Name an instant of the primary key.");
    return;
  }
  const TypeModel& type = attribute->type;
  if (type.kind != TypeKind::kInstant) return;
  const bool millis = type.stored == InstantForm::kEpochMillis ||
                      (type.stored == InstantForm::kIso && type.milliseconds);
  if (millis || entity.bump_ms % 1000 == 0) return;
  report->Error("bump_too_small", attribute->place, SubjectOf(entity, *attribute),
                entity.bump_attribute + " is stored in whole seconds, so " +
                    std::to_string(entity.bump_ms) + " ms more makes the same key again.",
                "Store it with `precision: milliseconds`, or bump it by seconds.");
}

}  // namespace

void CheckIdentity(const Model& model, Report* report) {
  for (const EntityModel& entity : model.entities) {
    const TableModel* table = model.FindTable(entity.table);
    if (table == nullptr) continue;
    const std::optional<KeyTexts> key = KeyTextsOf(*table, entity, "");
    if (!key) continue;
    CheckCollision(model, entity, *key, report);
    CheckMutable(model, entity, *key, report);
    CheckBump(entity, *key, report);
  }
}

namespace {

// The most bytes that one character takes in UTF-8.
constexpr size_t kBytesOfCharacter = 4;

// Whether texts in this format sort by time, because larger units come first.
bool SortsByTime(std::string_view format) {
  if (format == "iso" || format == "isoms") return true;
  static constexpr std::array<std::string_view, 7> kUnits = {"yyyy", "MM", "dd", "HH",
                                                             "mm",   "ss", "SSS"};
  size_t last = 0;
  for (const std::string_view unit : kUnits) {
    const size_t at = format.find(unit);
    if (at == std::string_view::npos) continue;
    if (at < last) return false;
    last = at;
  }
  return format.find("yyyy") != std::string_view::npos;
}

// Checks one key attribute of one entity.
class KeyTextCheck {
 public:
  KeyTextCheck(const Model& model, const EntityModel& entity, const KeyModel& key,
               const KeyModel::Part& part, Report* report)
      : model_(model),
        entity_(entity),
        key_(key),
        part_(part),
        subject_(SubjectOfKey(entity, key.index)),
        report_(*report) {}

  void Run(const TableModel& table) {
    const std::optional<KeyNames> names = KeyNamesOf(table, key_.index);
    if (!names) return;
    const bool sorts = part_.attribute == names->range;
    const std::vector<TemplatePart>& parts = part_.text.parts();
    for (size_t i = 0; i < parts.size(); ++i) {
      if (parts[i].is_literal()) continue;
      CheckPadding(parts[i]);
      if (sorts) CheckOrder(parts[i]);
      if (i + 1 < parts.size()) CheckBoundary(parts[i], parts[i + 1]);
    }
    CheckSize(sorts ? table::kMaxRangeKeyBytes : table::kMaxHashKeyBytes);
  }

 private:
  const TypeModel* TypeOf(const TemplatePart& part) const {
    const AttributeModel* attribute = FindAttribute(entity_, part.attribute);
    return attribute != nullptr ? &attribute->type : nullptr;
  }

  void CheckPadding(const TemplatePart& part) {
    const TypeModel* type = TypeOf(part);
    const size_t width = PaddedWidth(part);
    if (type == nullptr || width == 0) return;
    const std::string largest(width, '9');
    const Result<item::Number> limit = item::Number::Parse(largest);
    if (!limit) return;
    if (!type->maximum || *type->maximum > *limit) {
      report_.Warning("padding_overflow", key_.place, subject_,
                      PartText(part) + " has room for " + largest + ", but " + part.attribute +
                          (type->maximum ? " may be " + type->maximum->ToString()
                                         : std::string(" has no max")) +
                          ".",
                      "Write `max: " + largest + "`, or pad to more digits.");
    }
    if (!type->minimum || type->minimum->negative()) {
      report_.Warning("negative_in_padding", key_.place, subject_,
                      PartText(part) + " cannot hold negative numbers, but " + part.attribute +
                          " may be negative.",
                      "Write `min: 0` or more.");
    }
  }

  // Sort keys are compared as bytes.
  void CheckOrder(const TemplatePart& part) {
    const TypeModel* type = TypeOf(part);
    if (type == nullptr || !part.filters.empty()) return;
    const bool number = type->kind == TypeKind::kInteger || type->kind == TypeKind::kDecimal;
    if (number && PaddedWidth(part) == 0 && !IsNumberKey()) {
      report_.Warning("unpadded_number", key_.place, subject_,
                      part.attribute + " is not padded, so in the key 10 sorts before 9.",
                      "Pad it: {" + part.attribute + ":05}.");
    }
    const bool brazilian = type->kind == TypeKind::kInstant && part.format.empty() &&
                           type->stored == InstantForm::kBrazilian;
    if (brazilian || (IsSpelling(part.format) && !SortsByTime(part.format))) {
      report_.Warning("unsortable_date_in_key", key_.place, subject_,
                      PartText(part) +
                          " is not spelled from year to second, so it does not sort "
                          "by time.",
                      "Spell it {" + part.attribute + ":iso}.");
    }
  }

  bool IsNumberKey() const {
    const TableModel* table = model_.FindTable(entity_.table);
    const IndexModel* index = key_.index.empty() ? nullptr : table->FindIndex(key_.index);
    const table::KeySchema& schema = index != nullptr ? index->key : table->key;
    const table::KeyAttribute* attribute = schema.Find(part_.attribute);
    return attribute != nullptr && attribute->type == item::Type::kNumber;
  }

  // If a value contains the text that follows it in the key, the key can be mistaken for another
  // one.
  void CheckBoundary(const TemplatePart& part, const TemplatePart& next) {
    if (HasFixedAlphabet(part)) return;
    if (!next.is_literal()) {
      report_.Warning("ambiguous_key", key_.place, subject_,
                      "Nothing in \"" + part_.text.text() + "\" tells where " + part.attribute +
                          " ends and " + next.attribute + " begins.",
                      "Put a delimiter between them.");
      return;
    }
    const char delimiter = next.literal.front();
    if (model_.forbidden_in_keys.find(delimiter) != std::string::npos) return;
    if (delimiter == '#' && HasFilter(part, TemplatePart::Filter::kEscape)) return;
    report_.Warning(
        "delimiter_injection", key_.place, subject_,
        "A value of " + part.attribute + " may contain \"" + std::string(1, delimiter) +
            "\", which ends it in \"" + part_.text.text() + "\".",
        "Forbid the character (`defaults: {key_values: {forbid: …}}`), or escape it: {" +
            part.attribute + "|esc}.");
  }

  // Whether the value cannot contain a delimiter, because of its type or a filter.
  bool HasFixedAlphabet(const TemplatePart& part) const {
    if (HasFilter(part, TemplatePart::Filter::kDigits) ||
        HasFilter(part, TemplatePart::Filter::kShard)) {
      return true;
    }
    const TypeModel* type = TypeOf(part);
    if (type == nullptr) return false;
    if (type->kind == TypeKind::kEnum) {
      const EnumModel* values = model_.FindEnum(type->enum_name);
      return values != nullptr && !values->open;
    }
    // A regular expression may allow the delimiter. The check assumes that the author thought of
    // that.
    return type->kind != TypeKind::kString || !type->pattern.empty() || type->format == "uuid" ||
           type->format == "ulid";
  }

  // The length of the longest text of a part in bytes. An attribute without a declared limit counts
  // as zero.
  size_t LongestOf(const TemplatePart& part) const {
    if (part.is_literal()) return part.literal.size();
    if (const size_t width = PaddedWidth(part); width > 0) return width;
    const TypeModel* type = TypeOf(part);
    if (type == nullptr) return 0;
    if (type->kind == TypeKind::kEnum) {
      const EnumModel* values = model_.FindEnum(type->enum_name);
      size_t longest = 0;
      if (values == nullptr) return 0;
      for (const EnumModel::Value& value : values->values) {
        longest = std::max(longest, value.text.size());
      }
      return longest;
    }
    if (type->kind != TypeKind::kString || !type->max_length) return 0;
    constexpr int64_t kMost = std::numeric_limits<int32_t>::max();
    return static_cast<size_t>(std::min(*type->max_length, kMost)) * kBytesOfCharacter;
  }

  void CheckSize(size_t limit) {
    size_t bytes = 0;
    for (const TemplatePart& part : part_.text.parts()) bytes += LongestOf(part);
    if (bytes <= limit) return;
    report_.Warning("key_size", key_.place, subject_,
                    part_.attribute + " of " + entity_.name + " may have " + std::to_string(bytes) +
                        " bytes, more than the " + std::to_string(limit) + " that DynamoDB allows.",
                    "Lower the max of the attributes in the key.");
  }

  const Model& model_;
  const EntityModel& entity_;
  const KeyModel& key_;
  const KeyModel::Part& part_;
  const std::string subject_;
  Report& report_;
};

}  // namespace

void CheckKeyTexts(const Model& model, Report* report) {
  for (const EntityModel& entity : model.entities) {
    const TableModel* table = model.FindTable(entity.table);
    if (table == nullptr) continue;
    for (const KeyModel& key : entity.keys) {
      for (const KeyModel::Part& part : key.parts) {
        KeyTextCheck(model, entity, key, part, report).Run(*table);
      }
    }
  }
}

namespace {

// The keys of an entity in the table or index that is checked.
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

// Reports two entities whose items could have the same primary key.
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

// Reports two entities that an index puts into one partition although they describe different
// things: USER#{email} and USER#{userId}.
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

// The number of digits of the second in the first moment of a sort key; nothing if the key has no
// moment.
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
