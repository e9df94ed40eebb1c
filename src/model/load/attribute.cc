#include <utility>

#include "model/load/type.h"

namespace monotable::model {
namespace {

SetBy ReadSet(MapReader* reader, const TypeModel& type, LoadContext* context) {
  const SetBy set = reader->Choice("set", SetBy::kClient,
                                   {{"on_create", SetBy::kOnCreate},
                                    {"on_write", SetBy::kOnWrite},
                                    {"caller_on_create", SetBy::kCallerOnCreate},
                                    {"caller_on_write", SetBy::kCallerOnWrite}});
  const bool moment = set == SetBy::kOnCreate || set == SetBy::kOnWrite;
  const bool caller = set == SetBy::kCallerOnCreate || set == SetBy::kCallerOnWrite;
  const bool time_type = type.kind == TypeKind::kInstant || type.kind == TypeKind::kDate;
  if ((moment && !time_type) || (caller && type.kind != TypeKind::kString)) {
    context->Error("set_does_not_fit", reader->Find("set")->place, reader->SubjectOf("set"),
                   moment ? "The moment of a write can be put into an instant or a date only."
                          : "The caller's name can be put into a string only.",
                   "Change the type, or choose another way to set it.");
  }
  return set;
}

void ReadDefault(MapReader* reader, AttributeModel* attribute, bool in_object,
                 LoadContext* context) {
  const Node* node = reader->Find("default");
  if (node == nullptr) return;
  const bool from = node->is_map() && node->members.size() == 1 && node->Find("from") != nullptr;
  const bool takes_maps =
      attribute->type.kind == TypeKind::kObject || attribute->type.kind == TypeKind::kMap;
  if (from && !takes_maps) {
    // Where it comes from is looked up once all entities are known.
    if (ExpectText(*node->Find("from"), reader->SubjectOf("default"), context->findings)) {
      attribute->default_from = node->Find("from")->text;
    }
    if (in_object) {
      context->Error("not_in_object", node->place, reader->SubjectOf("default"),
                     "Only an attribute of an entity can take its default from another entity.",
                     "Write a literal value.");
    }
    return;
  }
  const std::string reason = WhyNot(*node, attribute->type, context->model);
  if (!reason.empty()) {
    context->Error("default_does_not_fit", node->place, reader->SubjectOf("default"),
                   "The default" + (node->is_scalar() ? " " + Quoted(node->text) : "") +
                       " is not of the attribute's type: " + reason + ".",
                   "Write a value that the attribute could have.");
    return;
  }
  attribute->default_value = *node;
}

// Who says what the attribute is: at most one of these may.
void CheckOneSource(MapReader* reader, LoadContext* context) {
  const Node* first = nullptr;
  for (const std::string_view name : {"set", "derive", "default"}) {
    const Node* node = reader->Find(name);
    if (node == nullptr) continue;
    if (first != nullptr) {
      context->Error("two_sources", node->place, reader->SubjectOf(name),
                     "Two of set, derive and default say what the attribute is.",
                     "Keep one of them.");
      return;
    }
    first = node;
  }
}

AttributeModel ReadAttribute(const Node::Member& member, const std::string& subject, bool in_object,
                             LoadContext* context) {
  AttributeModel attribute;
  attribute.name = member.name;
  attribute.place = member.place;
  if (!member.value.is_map()) {
    UsedType used = ReadTypeText(member.value, subject, context);
    attribute.type = std::move(used.type);
    attribute.required = used.required;
    return attribute;
  }
  MapReader reader(member.value, subject, context->findings);
  UsedType used = ReadTypeMembers(&reader, context);
  attribute.type = std::move(used.type);
  attribute.required = reader.Boolean("required", false) || used.required;
  attribute.hidden = reader.Boolean("hidden", false);
  attribute.description = reader.Text("description");
  attribute.set = ReadSet(&reader, attribute.type, context);
  ReadDefault(&reader, &attribute, in_object, context);
  attribute.references = reader.Text("ref");
  for (const std::string_view name : {"derive", "ref", "set"}) {
    const Node* node = reader.Find(name);
    if (node == nullptr || !in_object) continue;
    context->Error(
        "not_in_object", node->place, reader.SubjectOf(name),
        Quoted(name) + " is for attributes of an entity, not for those inside an object.",
        "Take it away, or make it an attribute of the entity.");
  }
  CheckOneSource(&reader, context);
  reader.Finish();
  return attribute;
}

}  // namespace

std::vector<AttributeModel> ReadAttributes(const Node& node, const std::string& subject,
                                           bool in_object, LoadContext* context) {
  std::vector<AttributeModel> attributes;
  if (!ExpectMap(node, subject, context->findings)) return attributes;
  for (const Node::Member& member : node.members) {
    const std::string attribute_subject = subject + "." + member.name;
    ExpectName(member.name, member.place, attribute_subject, context->findings);
    attributes.push_back(ReadAttribute(member, attribute_subject, in_object, context));
  }
  return attributes;
}

}  // namespace monotable::model
