#include "document/estimate/item_sizes.h"

#include <algorithm>
#include <string>
#include <string_view>

namespace monotable::document {
namespace {

// The assumed lengths of texts and numbers without a known length.
constexpr int64_t kTypicalText = 20;
constexpr int64_t kTypicalNumber = 6;
constexpr int64_t kTypicalMembers = 3;
constexpr int64_t kContainer = 3;  // a list or a map is counted with this, and 1 for each member
constexpr double kDaysOfYear = 365;

const model::WorkloadModel::Volume* FindVolume(const model::Model& model, std::string_view entity) {
  if (!model.workload) return nullptr;
  for (const model::WorkloadModel::Volume& volume : model.workload->volumes) {
    if (volume.entity == entity) return &volume;
  }
  return nullptr;
}

int64_t Length(std::string_view text) {
  return static_cast<int64_t>(text.size());
}

int64_t TextBytes(const model::TypeModel& type) {
  if (type.format == "uuid") return 36;
  if (type.format == "ulid") return 26;
  return std::max(type.min_length.value_or(0),
                  std::min(type.max_length.value_or(kTypicalText), kTypicalText));
}

int64_t ValueBytes(const model::Model& model, const model::TypeModel& type);

int64_t AttributesBytes(const model::Model& model,
                        const std::vector<model::AttributeModel>& attributes) {
  int64_t bytes = 0;
  for (const model::AttributeModel& attribute : attributes) {
    bytes += Length(attribute.name) + ValueBytes(model, attribute.type);
  }
  return bytes;
}

int64_t EnumBytes(const model::Model& model, const model::TypeModel& type) {
  int64_t longest = 1;
  if (const model::EnumModel* values = model.FindEnum(type.enum_name)) {
    for (const model::EnumModel::Value& value : values->values) {
      longest = std::max(longest, Length(value.text));
    }
  }
  return longest;
}

int64_t ValueBytes(const model::Model& model, const model::TypeModel& type) {
  switch (type.kind) {
    case model::TypeKind::kString:
    case model::TypeKind::kBinary:
      return TextBytes(type);
    case model::TypeKind::kInteger:
    case model::TypeKind::kDecimal:
      return kTypicalNumber;
    case model::TypeKind::kBoolean:
      return 1;
    case model::TypeKind::kInstant:
      if (type.stored == model::InstantForm::kIso) return type.milliseconds ? 24 : 20;
      return type.stored == model::InstantForm::kBrazilian ? 19 : kTypicalNumber;
    case model::TypeKind::kDate:
      return 10;
    case model::TypeKind::kEnum:
      return EnumBytes(model, type);
    case model::TypeKind::kObject:
      return kContainer + static_cast<int64_t>(type.attributes.size()) +
             AttributesBytes(model, type.attributes);
    case model::TypeKind::kList:
    case model::TypeKind::kSet:
    case model::TypeKind::kMap: {
      const int64_t element = type.element ? ValueBytes(model, *type.element) : kTypicalText;
      const int64_t name = type.kind == model::TypeKind::kMap ? kTypicalText : 0;
      return kContainer + kTypicalMembers * (1 + name + element);
    }
    case model::TypeKind::kAny:
      return kTypicalText;
  }
  return 0;
}

int64_t PartBytes(const model::Model& model, const model::EntityModel& entity,
                  const model::TemplatePart& part) {
  if (part.is_literal()) return Length(part.literal);
  if (part.shards > 0) return Length(std::to_string(part.shards - 1));
  const model::AttributeModel* attribute = entity.Find(part.attribute);
  const int64_t value = attribute ? ValueBytes(model, attribute->type) : kTypicalText;
  if (part.format.empty()) return value;
  if (part.format == "iso") return 20;
  if (part.format == "isoms") return 24;
  const bool pads = part.format.find_first_not_of("0123456789") == std::string::npos;
  return pads ? std::max<int64_t>(std::atoll(part.format.c_str()), 1) : Length(part.format);
}

// The key attributes with the texts that the entity puts into them.
int64_t KeyBytes(const model::Model& model, const model::EntityModel& entity,
                 const model::KeyModel& key) {
  int64_t bytes = 0;
  for (const model::KeyModel::Part& part : key.parts) {
    bytes += Length(part.attribute);
    for (const model::TemplatePart& piece : part.text.parts())
      bytes += PartBytes(model, entity, piece);
  }
  return bytes;
}

int64_t TypicalBytes(const model::Model& model, const model::EntityModel& entity) {
  int64_t bytes = AttributesBytes(model, entity.attributes);
  if (!entity.envelope.empty()) bytes += kContainer + Length(entity.envelope);
  for (const model::KeyModel& key : entity.keys) bytes += KeyBytes(model, entity, key);
  if (const model::TableModel* table = model.FindTable(entity.table)) {
    if (!table->type_attribute.empty()) {
      bytes += Length(table->type_attribute) + Length(entity.type_value);
    }
    if (!table->version_attribute.empty()) bytes += Length(table->version_attribute) + 2;
  }
  return bytes;
}

}  // namespace

int64_t ItemBytes(const model::Model& model, const model::EntityModel& entity) {
  const model::WorkloadModel::Volume* volume = FindVolume(model, entity.name);
  if (volume != nullptr && volume->bytes > 0) return volume->bytes;
  return TypicalBytes(model, entity);
}

bool IsInIndex(const model::EntityModel& entity, const model::TableModel& table,
               const model::IndexModel& index) {
  if (entity.FindKeys(index.name) != nullptr) return true;
  // The key of a local index may be an attribute of the item, which needs no template.
  for (const auto* part : {&index.key.hash, &index.key.range}) {
    for (const table::KeyAttribute& attribute : *part) {
      if (!table.key.Has(attribute.name) && entity.Find(attribute.name) == nullptr) return false;
    }
  }
  return true;
}

int64_t EntryBytes(const model::Model& model, const model::EntityModel& entity,
                   const model::IndexModel& index) {
  const int64_t whole = ItemBytes(model, entity);
  if (index.projection.type == table::ProjectionType::kAll) return whole;
  int64_t bytes = KeyBytes(model, entity, entity.primary());
  if (const model::KeyModel* key = entity.FindKeys(index.name))
    bytes += KeyBytes(model, entity, *key);
  for (const std::string& name : index.projection.non_key_attributes) {
    const model::AttributeModel* attribute = entity.Find(name);
    if (attribute != nullptr) bytes += Length(name) + ValueBytes(model, attribute->type);
  }
  return std::min(bytes, whole);
}

double ItemsAfter(const model::Model& model, const model::EntityModel& entity, double years) {
  const model::WorkloadModel::Volume* volume = FindVolume(model, entity.name);
  if (volume == nullptr) return 0;
  return volume->total + volume->per_day * kDaysOfYear * years;
}

double ItemsPer(const model::Model& model, const model::EntityModel& child,
                const model::EntityModel& parent) {
  const model::WorkloadModel::Volume* few = FindVolume(model, parent.name);
  const model::WorkloadModel::Volume* many = FindVolume(model, child.name);
  if (few == nullptr || many == nullptr) return 1;
  if (few->per_day > 0 && many->per_day > 0) return many->per_day / few->per_day;
  if (few->total > 0 && many->total > 0) return many->total / few->total;
  return 1;
}

double FollowersPer(const model::Model& model, const model::EntityModel& follower,
                    const model::EntityModel& source) {
  const double few = ItemsAfter(model, source, 1);
  const double many = ItemsAfter(model, follower, 1);
  return few > 0 && many > few ? many / few : 1;
}

}  // namespace monotable::document
