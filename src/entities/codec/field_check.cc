#include "entities/codec/field_check.h"

#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <re2/re2.h>

#include "entities/codec/codec.h"
#include "entities/codec/decode_value.h"
#include "entities/record.h"
#include "model/instant.h"
#include "text/characters.h"

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
    } else if (context.unknown == model::UnknownAttributes::kReject && !type.open) {
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

// A Null is a missing attribute, which CheckRequired reports.
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

namespace {

bool IsHex(char c) {
  return text::HexDigit(c) >= 0;
}

bool IsHostLabel(std::string_view label) {
  const auto is_part = [](char c) {
    return text::IsAlphanumeric(c) || c == '-' || text::IsBeyondAscii(c);
  };
  return !label.empty() && label.size() <= 63 && label.front() != '-' && label.back() != '-' &&
         std::all_of(label.begin(), label.end(), is_part);
}

// At least two labels: an address at a bare host is almost always a slip.
bool IsDomain(std::string_view domain) {
  size_t labels = 0;
  while (true) {
    const size_t dot = domain.find('.');
    if (!IsHostLabel(domain.substr(0, dot))) return false;
    ++labels;
    if (dot == std::string_view::npos) return labels >= 2;
    domain.remove_prefix(dot + 1);
  }
}

// The addresses that mail really goes to, with names in UTF-8 (RFC 6531) but without quotes and
// comments.
bool IsEmail(std::string_view text) {
  const size_t at = text.rfind('@');
  if (at == std::string_view::npos || at == 0 || at > 64 || text.size() > 254) return false;
  const std::string_view local = text.substr(0, at);
  if (local.front() == '.' || local.back() == '.' || local.find("..") != std::string_view::npos) {
    return false;
  }
  const auto is_local = [](char c) {
    return text::IsAlphanumeric(c) || text::IsBeyondAscii(c) ||
           std::string_view("!#$%&'*+-/=?^_`{|}~.").find(c) != std::string_view::npos;
  };
  return std::all_of(local.begin(), local.end(), is_local) && IsDomain(text.substr(at + 1));
}

// RFC 3986: a scheme and something after it, without spaces or other characters that must be
// percent-encoded.
bool IsUri(std::string_view text) {
  const size_t colon = text.find(':');
  if (colon == std::string_view::npos || colon == 0 || colon + 1 == text.size()) return false;
  const std::string_view scheme = text.substr(0, colon);
  const auto is_scheme = [](char c) {
    return text::IsAlphanumeric(c) || c == '+' || c == '-' || c == '.';
  };
  if (!text::IsLetter(scheme.front()) || !std::all_of(scheme.begin(), scheme.end(), is_scheme)) {
    return false;
  }
  const std::string_view rest = text.substr(colon + 1);
  for (size_t i = 0; i < rest.size(); ++i) {
    const char c = rest[i];
    if (c == '%') {
      if (i + 2 >= rest.size() || !IsHex(rest[i + 1]) || !IsHex(rest[i + 2])) return false;
    } else if (!text::IsAlphanumeric(c) &&
               std::string_view("-._~:/?#[]@!$&'()*+,;=").find(c) == std::string_view::npos) {
      return false;
    }
  }
  return true;
}

bool IsUuid(std::string_view text) {
  constexpr std::string_view kShape = "00000000-0000-0000-0000-000000000000";
  if (text.size() != kShape.size()) return false;
  for (size_t i = 0; i < text.size(); ++i) {
    if (kShape[i] == '-' ? text[i] != '-' : !IsHex(text[i])) return false;
  }
  return true;
}

// 26 digits of Crockford's base 32; the first says at most 7, as 128 bits have no more.
bool IsUlid(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
  return text.size() == 26 && text.front() <= '7' &&
         text.find_first_not_of(kDigits) == std::string_view::npos;
}

// Whether a text has the format: email, uri, uuid or ulid. Other formats are not checked.
bool HasFormat(std::string_view text, std::string_view format) {
  if (format == "email") return IsEmail(text);
  if (format == "uri") return IsUri(text);
  if (format == "uuid") return IsUuid(text);
  if (format == "ulid") return IsUlid(text);
  return true;
}

int64_t LengthInCharacters(std::string_view text) {
  return std::count_if(text.begin(), text.end(), [](char byte) { return (byte & 0xC0) != 0x80; });
}

bool Matches(const Application& application, const std::string& pattern, std::string_view text) {
  const re2::RE2* compiled = application.Pattern(pattern);
  if (compiled != nullptr) return re2::RE2::FullMatch(text, *compiled);
  return re2::RE2::FullMatch(text, re2::RE2(pattern, re2::RE2::Quiet));
}

std::string Counted(int64_t count, std::string_view what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

// "at least 2 characters, and has 1"
std::string WrongCount(const model::TypeModel& type, int64_t count, std::string_view what) {
  const bool too_few = type.min_length && count < *type.min_length;
  const bool exact = type.min_length && type.max_length && *type.min_length == *type.max_length;
  return fmt::format("must have {} {}, and has {}",
                     exact     ? "exactly"
                     : too_few ? "at least"
                               : "at most",
                     Counted(too_few ? *type.min_length : *type.max_length, what), count);
}

bool IsCountWrong(const model::TypeModel& type, int64_t count) {
  return (type.min_length && count < *type.min_length) ||
         (type.max_length && count > *type.max_length);
}

bool IsFilledIn(const model::AttributeModel& attribute) {
  return attribute.default_value || !attribute.default_from.empty() || attribute.derive ||
         attribute.generated || attribute.set != model::SetBy::kClient;
}

int DigitsAfterPoint(const item::Number& number) {
  if (number.is_zero()) return 0;
  return std::max(0, static_cast<int>(number.Digits().size()) - 1 - number.magnitude());
}

// The digits of the plain notation, without the zero of 0.5.
int DigitsOf(const item::Number& number) {
  return std::max(0, number.magnitude() + 1) + DigitsAfterPoint(number);
}

}  // namespace

void CheckText(const CodecContext& context, const model::TypeModel& type, std::string_view text,
               const FieldPath& path) {
  if (type.min_length || type.max_length) {
    const int64_t length = LengthInCharacters(text);
    if (IsCountWrong(type, length)) {
      context.Report(path, "length", WrongCount(type, length, "character"));
    }
  }
  if (!type.pattern.empty() && !Matches(context.application, type.pattern, text)) {
    context.Report(path, "pattern", "must match " + type.pattern);
  }
  if (!HasFormat(text, type.format)) {
    const bool vowel = type.format == "email";
    context.Report(path, "format", fmt::format("must be {} {}", vowel ? "an" : "a", type.format));
  }
}

void CheckNumber(const CodecContext& context, const model::TypeModel& type,
                 const item::Number& number, const FieldPath& path) {
  if (type.kind == model::TypeKind::kInteger && DigitsAfterPoint(number) > 0) {
    context.Report(path, "type", "must be a whole number");
    return;
  }
  if (type.minimum && number < *type.minimum) {
    context.Report(path, "range", "must be at least " + type.minimum->ToString());
  }
  if (type.maximum && number > *type.maximum) {
    context.Report(path, "range", "must be at most " + type.maximum->ToString());
  }
  if (type.scale && DigitsAfterPoint(number) > *type.scale) {
    context.Report(path, "scale",
                   fmt::format("must have at most {} after the point, and has {}",
                               Counted(*type.scale, "digit"), DigitsAfterPoint(number)));
  } else if (type.precision < item::Number::kMaxDigits && DigitsOf(number) > type.precision) {
    context.Report(
        path, "precision",
        fmt::format("must have at most {} digits, and has {}", type.precision, DigitsOf(number)));
  }
}

void CheckEnum(const CodecContext& context, const model::TypeModel& type, std::string_view text,
               const FieldPath& path) {
  const model::EnumModel* values = context.application.model().FindEnum(type.enum_name);
  if (values == nullptr || values->open || values->Find(text) != nullptr) return;
  std::vector<std::string_view> allowed;
  for (const model::EnumModel::Value& value : values->values) allowed.emplace_back(value.text);
  context.Report(
      path, "enum",
      fmt::format("must be one of {}{}", fmt::join(allowed, ", "), DidYouMean(text, allowed)));
}

void CheckCount(const CodecContext& context, const model::TypeModel& type, size_t count,
                const FieldPath& path) {
  const auto members = static_cast<int64_t>(count);
  if (IsCountWrong(type, members)) {
    context.Report(path, "length", WrongCount(type, members, "member"));
  }
}

void CheckRequired(const CodecContext& context,
                   const std::vector<model::AttributeModel>& attributes, const item::Map& members,
                   Given given, const FieldPath& path) {
  for (const model::AttributeModel& attribute : attributes) {
    if (!attribute.required) continue;
    // Templates and rules take a null for nothing; so do requirements.
    const item::Value* value = members.Find(attribute.name);
    if (value != nullptr && !value->is(item::Type::kNull)) continue;
    if (given == Given::kByClient && IsFilledIn(attribute)) continue;
    context.Report(FieldPath(path, attribute.name), "required", "is required");
  }
}

namespace {

// The pointer of an attribute by its path with dots. Names of attributes in keys have no slashes.
std::string PointerOf(const FieldPath& root, std::string attribute) {
  std::replace(attribute.begin(), attribute.end(), '.', '/');
  return root.Pointer() + "/" + attribute;
}

}  // namespace

void CheckKeyTexts(const CodecContext& context, const Entity& entity, const item::Map& attributes,
                   const FieldPath& path) {
  const model::Template::Rules rules = context.application.key_rules();
  std::vector<std::string_view> reported;  // an attribute may be part of several keys
  for (const model::KeyModel& key : entity.model->keys) {
    if (key.when) continue;
    for (const model::KeyModel::Part& text : key.parts) {
      for (const model::TemplatePart& part : text.text.parts()) {
        if (part.is_literal()) continue;
        const item::Value* value = FindPath(attributes, part.attribute);
        if (value == nullptr || value->is(item::Type::kNull)) continue;
        const auto rendered = model::Template::PartText(part, *value, rules);
        if (rendered) continue;
        const bool is_known =
            std::find(reported.begin(), reported.end(), part.attribute) != reported.end();
        if (is_known) continue;
        reported.emplace_back(part.attribute);
        context.problems->push_back(
            {PointerOf(path, part.attribute), "key_text", rendered.error().message() + "."});
      }
    }
  }
}

}  // namespace monotable::entities
