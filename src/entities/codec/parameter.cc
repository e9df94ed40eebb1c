#include <utility>

#include "entities/codec/codec.h"
#include "entities/codec/constraint.h"
#include "entities/codec/decode_value.h"
#include "json/base64.h"
#include "model/instant.h"

namespace monotable::entities {
namespace {

using item::Value;
using model::TypeKind;
using model::TypeModel;

std::optional<Value> Decode(const CodecContext& context, const TypeModel& type,
                            std::string_view text, const FieldPath& path) {
  const auto wrong_kind = [&]() -> std::optional<Value> {
    context.Report(path, "type", "must be " + std::string(KindText(type.kind)));
    return std::nullopt;
  };
  switch (type.kind) {
    case TypeKind::kInteger:
    case TypeKind::kDecimal: {
      const auto number = ReadNumber(context, text, path);
      if (!number) return std::nullopt;
      return Value(*number);
    }
    case TypeKind::kBoolean:
      if (text != "true" && text != "false") return wrong_kind();
      return Value(text == "true");
    case TypeKind::kInstant:
      return ReadInstantText(context, type, text, path);
    case TypeKind::kDate:
      if (!model::ParseDate(text)) return wrong_kind();
      return Value(text);
    case TypeKind::kBinary: {
      auto bytes = json::DecodeBase64(text);
      if (!bytes) return wrong_kind();
      return Value(item::Binary{std::move(*bytes)});
    }
    case TypeKind::kEnum:
      CheckEnum(context, type, text, path);
      return Value(text);
    case TypeKind::kString:
    case TypeKind::kAny:
      return Value(text);
    case TypeKind::kList:
    case TypeKind::kSet:
      // What can be asked of a list is about one of its members.
      return Decode(context, *type.element, text, path);
    case TypeKind::kObject:
    case TypeKind::kMap:
      break;
  }
  context.Report(path, "type", "is an object, which a parameter cannot be");
  return std::nullopt;
}

}  // namespace

Result<Value> DecodeParameter(const Application& application, const TypeModel& type,
                              std::string_view name, std::string_view text) {
  std::vector<FieldProblem> problems;
  const CodecContext context{application, model::UnknownAttributes::kReject, &problems};
  auto value = Decode(context, type, text, FieldPath(name));
  if (!problems.empty()) return InvalidFields(std::move(problems));
  return std::move(*value);
}

}  // namespace monotable::entities
