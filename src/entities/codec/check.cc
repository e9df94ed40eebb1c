#include <algorithm>
#include <utility>

#include "entities/codec/codec.h"
#include "entities/codec/constraint.h"
#include "entities/codec/decode_value.h"
#include "entities/codec/key_text.h"
#include "model/instant.h"

// Values in their stored form, as raw writes bring them and as writes leave them behind.
namespace monotable::entities {
namespace {

using item::Type;
using item::Value;
using model::TypeKind;
using model::TypeModel;

void CheckStored(const CodecContext& context, const TypeModel& type, const Value& value,
                 const FieldPath& path);

// How DynamoDB stores values of a type.
Type StoredType(const TypeModel& type) {
  switch (type.kind) {
    case TypeKind::kInteger:
    case TypeKind::kDecimal:
      return Type::kNumber;
    case TypeKind::kBoolean:
      return Type::kBool;
    case TypeKind::kInstant:
      return type.stored == model::InstantForm::kEpoch ||
                     type.stored == model::InstantForm::kEpochMillis
                 ? Type::kNumber
                 : Type::kString;
    case TypeKind::kBinary:
      return Type::kBinary;
    case TypeKind::kObject:
    case TypeKind::kMap:
      return Type::kMap;
    case TypeKind::kList:
      return Type::kList;
    case TypeKind::kSet:
      switch (StoredType(*type.element)) {
        case Type::kNumber:
          return Type::kNumberSet;
        case Type::kBinary:
          return Type::kBinarySet;
        default:
          return Type::kStringSet;
      }
    default:
      return Type::kString;
  }
}

void CheckInstant(const CodecContext& context, const TypeModel& type, const Value& value,
                  const FieldPath& path) {
  if (!model::ReadInstant(value, type.stored)) {
    const model::Instant example{1'769'783'400'000};
    const Value stored = model::StoreInstant(example, type.stored, type.milliseconds);
    const std::string text =
        stored.is(Type::kNumber) ? stored.number().ToString() : stored.string();
    context.Report(path, "type", "must be an instant, stored as " + text);
    return;
  }
  // Texts of one form have one width, so that they sort.
  if (type.stored != model::InstantForm::kIso) return;
  const bool has_milliseconds = value.string().find('.') != std::string::npos;
  if (has_milliseconds == type.milliseconds) return;
  context.Report(
      path, "precision",
      type.milliseconds ? "must have three digits of milliseconds" : "must have no milliseconds");
}

void CheckObject(const CodecContext& context, const TypeModel& type, const item::Map& members,
                 const FieldPath& path) {
  for (const item::Attribute& member : members) {
    const FieldPath member_path(path, member.name);
    const auto known =
        std::find_if(type.attributes.begin(), type.attributes.end(),
                     [&member](const auto& attribute) { return attribute.name == member.name; });
    if (known != type.attributes.end()) {
      CheckStored(context, known->type, member.value, member_path);
    } else if (context.unknown == model::UnknownAttributes::kReject) {
      ReportUnknown(context, member_path, member.name, type.attributes);
    }
  }
  CheckRequired(context, type.attributes, members, Given::kStored, path);
}

template <typename Member>
void CheckSetMembers(const CodecContext& context, const TypeModel& type,
                     const std::vector<Member>& members, const FieldPath& path) {
  CheckCount(context, type, members.size(), path);
  for (size_t i = 0; i < members.size(); ++i) {
    CheckStored(context, *type.element, Value(members[i]), FieldPath(path, i));
  }
}

void CheckMembers(const CodecContext& context, const TypeModel& type, const Value& value,
                  const FieldPath& path) {
  switch (value.type()) {
    case Type::kList:
      CheckCount(context, type, value.list().size(), path);
      for (size_t i = 0; i < value.list().size(); ++i) {
        CheckStored(context, *type.element, value.list()[i], FieldPath(path, i));
      }
      return;
    case Type::kStringSet:
      return CheckSetMembers(context, type, value.string_set(), path);
    case Type::kNumberSet:
      return CheckSetMembers(context, type, value.number_set(), path);
    case Type::kMap:
      CheckCount(context, type, value.map().size(), path);
      for (const item::Attribute& member : value.map()) {
        CheckStored(context, *type.element, member.value, FieldPath(path, member.name));
      }
      return;
    default:  // Nothing constrains the members of a set of binaries.
      CheckCount(context, type, value.binary_set().size(), path);
  }
}

// A Null is an attribute that is not there, for which CheckRequired is.
void CheckStored(const CodecContext& context, const TypeModel& type, const Value& value,
                 const FieldPath& path) {
  if (type.kind == TypeKind::kAny || value.is(Type::kNull)) return;
  if (!value.is(StoredType(type))) {
    context.Report(path, "type",
                   "must be " + std::string(KindText(type.kind)) + ", stored as " +
                       std::string(item::TypeName(StoredType(type))) + " and not as " +
                       std::string(item::TypeName(value.type())));
    return;
  }
  switch (type.kind) {
    case TypeKind::kString:
      return CheckText(context, type, value.string(), path);
    case TypeKind::kInteger:
    case TypeKind::kDecimal:
      return CheckNumber(context, type, value.number(), path);
    case TypeKind::kInstant:
      return CheckInstant(context, type, value, path);
    case TypeKind::kDate:
      if (!model::ParseDate(value.string())) {
        context.Report(path, "type", "must be a date such as 2026-01-30");
      }
      return;
    case TypeKind::kEnum:
      return CheckEnum(context, type, value.string(), path);
    case TypeKind::kObject:
      return CheckObject(context, type, value.map(), path);
    case TypeKind::kList:
    case TypeKind::kSet:
    case TypeKind::kMap:
      return CheckMembers(context, type, value, path);
    default:
      return;
  }
}

}  // namespace

void CheckValue(const Application& application, const TypeModel& type, const Value& value,
                const std::string& path, std::vector<FieldProblem>* problems) {
  const CodecContext context{application, model::UnknownAttributes::kReject, problems};
  CheckStored(context, type, value, FieldPath(path));
}

std::vector<FieldProblem> CheckAttributes(const Entity& entity, const item::Map& attributes) {
  std::vector<FieldProblem> problems;
  const CodecContext context{*entity.application, entity.model->unknown_attributes, &problems};
  const FieldPath root("");
  for (const item::Attribute& attribute : attributes) {
    const FieldPath path(root, attribute.name);
    const model::AttributeModel* known = entity.model->Find(attribute.name);
    if (known != nullptr) {
      CheckStored(context, known->type, attribute.value, path);
    } else if (context.unknown == model::UnknownAttributes::kReject &&
               !entity.IsPlumbing(attribute.name)) {
      ReportUnknown(context, path, attribute.name, entity.model->attributes);
    }
  }
  CheckRequired(context, entity.model->attributes, attributes, Given::kStored, root);
  CheckKeyTexts(context, entity, attributes, root);
  return problems;
}

}  // namespace monotable::entities
