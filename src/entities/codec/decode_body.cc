#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "entities/codec/codec.h"
#include "entities/codec/decode_value.h"
#include "entities/codec/field_check.h"
#include "json/base64.h"
#include "model/instant.h"

namespace monotable::entities {

using item::Value;

Result<item::Map> DecodeAttributes(const Entity& entity, const json::Node& body,
                                   const DecodeOptions& options) {
  std::vector<FieldProblem> problems;
  const CodecContext context{*entity.application, entity.model->unknown_attributes, &problems};
  const FieldPath root(options.path);
  if (!IsObject(context, body, root)) return InvalidFields(std::move(problems));
  const ValueDecoder decoder(context, ValueDecoder::Extent::kWhole);
  item::Map::Attributes attributes;
  attributes.reserve(body.members.size());
  for (const json::Member& member : body.members) {
    const FieldPath path(root, member.name);
    const Fate fate = FateOf(context, entity, member.name, options.strict, path);
    if (fate != Fate::kKnown && fate != Fate::kUnknown) continue;
    auto value = fate == Fate::kKnown
                     ? decoder.Decode(entity.model->Find(member.name)->type, member.value, path)
                     : decoder.DecodeAny(member.value, path);
    if (!value || value->is(item::Type::kNull)) continue;
    attributes.push_back({std::string(member.name), std::move(*value)});
  }
  item::Map decoded = item::Map::FromUnsorted(std::move(attributes));
  CheckKeyTexts(context, entity, decoded, root);
  if (!problems.empty()) return InvalidFields(std::move(problems));
  return decoded;
}

namespace {

using model::OperationModel;

// Reads the inputs of one call; used once.
class InputDecoder {
 public:
  InputDecoder(const Application& application, const OperationModel& operation,
               const DecodeOptions& options)
      : application_(application),
        operation_(operation),
        options_(options),
        context_{application, model::UnknownAttributes::kReject, &problems_} {}

  Result<Inputs> Decode(const json::Node& body) && {
    const FieldPath root(options_.path);
    if (IsObject(context_, body, root)) {
      ReportUnknownInputs(body, root);
      for (const OperationModel::Input& input : operation_.inputs) {
        const json::Node* given = body.Find(input.name);
        if (given != nullptr && given->is_null()) given = nullptr;
        DecodeInput(input, given, FieldPath(root, input.name));
      }
    }
    if (!problems_.empty()) return InvalidFields(std::move(problems_));
    return std::move(inputs_);
  }

 private:
  void ReportUnknownInputs(const json::Node& body, const FieldPath& root) {
    std::vector<std::string_view> names;
    for (const OperationModel::Input& input : operation_.inputs) names.emplace_back(input.name);
    for (const json::Member& member : body.members) {
      if (std::find(names.begin(), names.end(), member.name) != names.end()) continue;
      context_.Report(FieldPath(root, member.name), "unknown",
                      "is not an input of " + operation_.name + DidYouMean(member.name, names));
    }
  }

  void DecodeInput(const OperationModel::Input& input, const json::Node* given,
                   const FieldPath& path) {
    if (given == nullptr) {
      if (input.required || input.least > 0) ReportMissing(input, path);
      if (input.many) inputs_.entities[input.name];
      return;
    }
    if (!input.entity.empty()) {
      DecodeEntities(input, *given, path);
      return;
    }
    const ValueDecoder decoder(context_, ValueDecoder::Extent::kWhole);
    auto value = decoder.Decode(input.type, *given, path);
    if (value && !value->is(item::Type::kNull)) inputs_.values.Set(input.name, std::move(*value));
  }

  // What the path of the route says need not be in the body as well.
  void ReportMissing(const OperationModel::Input& input, const FieldPath& path) {
    const bool is_in_route = operation_.route.find("{" + input.name + "}") != std::string::npos;
    if (!is_in_route) context_.Report(path, "required", "is required");
  }

  void DecodeEntities(const OperationModel::Input& input, const json::Node& given,
                      const FieldPath& path) {
    std::vector<item::Map>& decoded = inputs_.entities[input.name];
    if (!input.many) {
      DecodeEntity(input, given, path, &decoded);
      return;
    }
    if (!given.is_array()) {
      context_.Report(path, "type", "must be a list");
      return;
    }
    const auto count = static_cast<int64_t>(given.items.size());
    if (count < input.least || count > input.most) {
      context_.Report(
          path, "length",
          fmt::format("must have {} to {} members, and has {}", input.least, input.most, count));
      return;
    }
    for (size_t i = 0; i < given.items.size(); ++i) {
      DecodeEntity(input, given.items[i], FieldPath(path, i), &decoded);
    }
  }

  void DecodeEntity(const OperationModel::Input& input, const json::Node& given,
                    const FieldPath& path, std::vector<item::Map>* decoded) {
    const Entity& entity = *application_.Find(input.entity);
    auto attributes = DecodeAttributes(entity, given, {options_.strict, path.Pointer()});
    if (attributes) {
      decoded->push_back(std::move(*attributes));
      return;
    }
    const auto& found = ProblemOf(attributes.error())->fields;
    problems_.insert(problems_.end(), found.begin(), found.end());
  }

  const Application& application_;
  const OperationModel& operation_;
  const DecodeOptions& options_;
  std::vector<FieldProblem> problems_;
  CodecContext context_;
  Inputs inputs_;
};

}  // namespace

Result<Inputs> DecodeInputs(const Application& application, const OperationModel& operation,
                            const json::Node& body, const DecodeOptions& options) {
  return InputDecoder(application, operation, options).Decode(body);
}

namespace {

using model::TypeKind;
using model::TypeModel;

std::optional<Value> DecodeText(const CodecContext& context, const TypeModel& type,
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
      return DecodeText(context, *type.element, text, path);
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
  auto value = DecodeText(context, type, text, FieldPath(name));
  if (!problems.empty()) return InvalidFields(std::move(problems));
  return std::move(*value);
}

}  // namespace monotable::entities
