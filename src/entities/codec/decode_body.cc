#include "entities/codec/decode_body.h"

#include <utility>

#include "entities/codec/decode_value.h"
#include "entities/codec/key_text.h"

namespace monotable::entities {

using item::Value;

bool IsObject(const CodecContext& context, const json::Node& body, const FieldPath& path) {
  if (body.is_object()) return true;
  context.Report(path, "type", "must be an object");
  return false;
}

Fate FateOf(const CodecContext& context, const Entity& entity, std::string_view name, bool strict,
            const FieldPath& path) {
  if (entity.IsReadOnly(name) || entity.IsPlumbing(name)) {
    if (!strict) return Fate::kIgnored;
    context.Report(path, "read_only", "is filled in by the server and cannot be given");
    return Fate::kReported;
  }
  if (entity.model->Find(name) != nullptr) return Fate::kKnown;
  switch (entity.model->unknown_attributes) {
    case model::UnknownAttributes::kDrop:
      return Fate::kIgnored;
    case model::UnknownAttributes::kKeep:
      return IsName(context, name, path) ? Fate::kUnknown : Fate::kReported;
    case model::UnknownAttributes::kReject:
      break;
  }
  ReportUnknown(context, path, name, entity.model->attributes);
  return Fate::kReported;
}

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

}  // namespace monotable::entities
