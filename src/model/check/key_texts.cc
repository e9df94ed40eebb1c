#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "item/number.h"
#include "model/check/passes.h"
#include "model/instant.h"
#include "model/plan/keys.h"
#include "model/plan/match.h"
#include "table/definition.h"

namespace monotable::model {
namespace {

// Text of up to so many bytes for a character in UTF-8.
constexpr size_t kBytesOfCharacter = 4;

// Whether texts in this format sort as the moments do: the larger units come first.
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

// One key attribute of one entity: its template, and where the model says it.
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
      report_.Warning(
          "negative_in_padding", key_.place, subject_,
          PartText(part) + " cannot hold negative numbers, but " + part.attribute + " may be one.",
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
                      "As text, 10 of " + part.attribute + " sorts before 9.",
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

  // A value that contains the text that follows it could be taken for another key.
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
    report_.Warning("delimiter_injection", key_.place, subject_,
                    "A value of " + part.attribute + " may contain \"" + std::string(1, delimiter) +
                        "\", which ends it in \"" + part_.text.text() + "\".",
                    "Forbid it (`defaults: {key_values: {forbid: …}}`), or escape it: {" +
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
    // A regular expression may allow the delimiter; that it was thought of is assumed.
    return type->kind != TypeKind::kString || !type->pattern.empty() || type->format == "uuid" ||
           type->format == "ulid";
  }

  // The longest text of a part; what has no declared limit counts as nothing.
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
                    "Lower the max of what it is made of.");
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

}  // namespace monotable::model
