#include "entities/codec/constraint.h"

#include <algorithm>

#include <fmt/format.h>
#include <re2/re2.h>

#include "entities/codec/format.h"

namespace monotable::entities {
namespace {

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
         attribute.set != model::SetBy::kClient;
}

int DigitsAfterPoint(const item::Number& number) {
  if (number.is_zero()) return 0;
  return std::max(0, static_cast<int>(number.Digits().size()) - 1 - number.magnitude());
}

// As many as the plain notation has, without the zero of 0.5.
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

}  // namespace monotable::entities
