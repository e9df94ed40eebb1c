#include <algorithm>
#include <cstddef>
#include <memory>
#include <set>
#include <string_view>
#include <utility>

#include "model/load/load_context.h"
#include "model/load/node_reader.h"
#include "text/characters.h"
#include "text/words.h"

namespace monotable::model {
namespace {

struct BuiltIn {
  std::string_view name;
  TypeKind kind;
};
constexpr BuiltIn kBuiltIns[] = {
    {"string", TypeKind::kString},   {"integer", TypeKind::kInteger},
    {"decimal", TypeKind::kDecimal}, {"boolean", TypeKind::kBoolean},
    {"instant", TypeKind::kInstant}, {"date", TypeKind::kDate},
    {"binary", TypeKind::kBinary},   {"object", TypeKind::kObject},
    {"list", TypeKind::kList},       {"set", TypeKind::kSet},
    {"map", TypeKind::kMap},         {"any", TypeKind::kAny},
};

// Whether members of these types can be in a DynamoDB set: text, numbers and binaries.
bool CanBeInSet(const TypeModel& type) {
  switch (type.kind) {
    case TypeKind::kString:
    case TypeKind::kInteger:
    case TypeKind::kDecimal:
    case TypeKind::kInstant:
    case TypeKind::kDate:
    case TypeKind::kBinary:
    case TypeKind::kEnum:
      return true;
    default:
      return false;
  }
}

TypeModel Container(TypeKind kind, TypeModel element, const Node& node, const std::string& subject,
                    LoadContext* context) {
  if (kind == TypeKind::kSet && !CanBeInSet(element)) {
    context->Error("bad_set_element", node.place, subject,
                   "A DynamoDB set holds text, numbers or binaries only.",
                   "Use a list, or a set of strings or numbers.");
  }
  TypeModel type;
  type.kind = kind;
  type.element = std::make_shared<const TypeModel>(std::move(element));
  return type;
}

TypeModel ReadDeclaredType(const std::string& name, const Node& place, const std::string& subject,
                           LoadContext* context) {
  LoadContext::DeclaredType& declared = context->types.find(name)->second;
  if (declared.type) return *declared.type;
  if (declared.being_read) {
    context->Error("recursive_type", place.place, subject,
                   "The type " + Quoted(name) + " contains itself.",
                   "Use any or map(any) where the nesting has no fixed depth.");
    return TypeModel();
  }
  declared.being_read = true;
  UsedType used;
  if (declared.node->is_map()) {
    MapReader reader(*declared.node, "types." + name, context->findings);
    used = ReadTypeMembers(&reader, context);
    reader.Finish();
  } else {
    used = ReadTypeText(*declared.node, "types." + name, context);
  }
  declared.being_read = false;
  used.type.name = name;
  declared.type = used.type;
  return used.type;
}

std::vector<std::string> KnownTypes(const LoadContext& context) {
  std::vector<std::string> known = NamesOf(context.model.enums);
  for (const BuiltIn& one : kBuiltIns) known.emplace_back(one.name);
  for (const auto& [name, declared] : context.types) known.push_back(name);
  return known;
}

TypeModel ResolveName(std::string_view name, const Node& node, const std::string& subject,
                      LoadContext* context) {
  TypeModel type;
  for (const BuiltIn& one : kBuiltIns) {
    if (one.name != name) continue;
    type.kind = one.kind;
    type.stored = context->instant_form;
    type.milliseconds = context->instant_milliseconds;
    return type;
  }
  if (context->model.FindEnum(name) != nullptr) {
    type.kind = TypeKind::kEnum;
    type.name = name;
    type.enum_name = name;
    return type;
  }
  if (context->types.contains(name)) {
    return ReadDeclaredType(std::string(name), node, subject, context);
  }
  if (context->mixins.contains(name)) {
    context->Error("mixin_as_type", node.place, subject,
                   Quoted(name) + " is a mixin, which cannot be the type of an attribute.",
                   "List it under include of the entity.");
    return type;
  }
  context->Error("unknown_type", node.place, subject, Quoted(name) + " is not a type.",
                 Suggest(name, KnownTypes(*context)));
  return type;
}

void ReadElement(MapReader* reader, TypeModel* type, LoadContext* context) {
  const Node* of = reader->Find("of");
  const bool takes =
      type->kind == TypeKind::kList || type->kind == TypeKind::kSet || type->kind == TypeKind::kMap;
  if (of != nullptr && (!takes || type->element != nullptr)) {
    context->Error("constraint_does_not_apply", of->place, reader->SubjectOf("of"),
                   "of says what a list, a set or a map holds. This type is none of them, or "
                   "already says what it holds.",
                   "Remove of.");
    return;
  }
  if (of == nullptr) {
    if (!takes || type->element != nullptr) return;
    context->Error("missing_element_type", reader->place(), reader->subject(),
                   "The type does not say what it holds.",
                   "Add of: and a type, for example of: string.");
    type->element = std::make_shared<const TypeModel>();
    return;
  }
  UsedType element;
  if (of->is_map()) {
    MapReader element_reader(*of, reader->SubjectOf("of"), context->findings);
    element = ReadTypeMembers(&element_reader, context);
    element_reader.Finish();
  } else {
    element = ReadTypeText(*of, reader->SubjectOf("of"), context);
  }
  *type = Container(type->kind, std::move(element.type), *of, reader->SubjectOf("of"), context);
}

}  // namespace

bool IsBuiltInType(std::string_view name) {
  return std::any_of(std::begin(kBuiltIns), std::end(kBuiltIns),
                     [&](const BuiltIn& one) { return one.name == name; });
}

TypeModel ResolveTypeText(std::string_view text, const Node& node, const std::string& subject,
                          LoadContext* context) {
  text = text::Trim(text);
  if (text.ends_with("[]")) {
    text.remove_suffix(2);
    return Container(TypeKind::kList, ResolveTypeText(text, node, subject, context), node, subject,
                     context);
  }
  const size_t open = text.find('(');
  if (open == std::string_view::npos) {
    if (IsName(text)) return ResolveName(text, node, subject, context);
  } else if (text.ends_with(")")) {
    const std::string_view container = text::Trim(text.substr(0, open));
    const std::string_view element = text.substr(open + 1, text.size() - open - 2);
    if (container == "set" || container == "map" || container == "list") {
      const TypeKind kind = container == "set"   ? TypeKind::kSet
                            : container == "map" ? TypeKind::kMap
                                                 : TypeKind::kList;
      return Container(kind, ResolveTypeText(element, node, subject, context), node, subject,
                       context);
    }
  }
  context->Error("bad_type", node.place, subject, Quoted(node.text) + " cannot be read as a type.",
                 "Write a name, name[], set(name) or map(name), each with ! if it is required.");
  return TypeModel();
}

UsedType ReadTypeText(const Node& node, const std::string& subject, LoadContext* context) {
  UsedType used;
  if (!ExpectText(node, subject, context->findings)) return used;
  std::string_view text = text::Trim(node.text);
  if (text.ends_with("!")) {
    used.required = true;
    text.remove_suffix(1);
  }
  used.type = ResolveTypeText(text, node, subject, context);
  const TypeKind kind = used.type.kind;
  const bool incomplete =
      ((kind == TypeKind::kList || kind == TypeKind::kSet || kind == TypeKind::kMap) &&
       used.type.element == nullptr) ||
      (kind == TypeKind::kObject && used.type.attributes.empty());
  if (incomplete && IsBuiltInType(text)) {
    context->Error(
        "incomplete_type", node.place, subject, Quoted(node.text) + " does not say what it holds.",
        kind == TypeKind::kObject ? "Write {type: object, attributes: {…}}, or any."
                                  : "Write for example " + std::string(text) + "(string).");
    used.type = TypeModel();
  }
  return used;
}

UsedType ReadTypeMembers(MapReader* reader, LoadContext* context) {
  UsedType used;
  const Node* type = reader->Require("type");
  if (type != nullptr && ExpectText(*type, reader->SubjectOf("type"), context->findings)) {
    // The members of: and attributes: complete the bare names of containers.
    std::string_view text = text::Trim(type->text);
    used.required = text.ends_with("!");
    if (used.required) text.remove_suffix(1);
    used.type = ResolveTypeText(text, *type, reader->SubjectOf("type"), context);
  }
  ReadElement(reader, &used.type, context);
  const Node* attributes = reader->Find("attributes");
  const bool bare_object = used.type.kind == TypeKind::kObject && used.type.name.empty();
  if (attributes != nullptr && bare_object) {
    used.type.attributes =
        ReadAttributes(*attributes, reader->SubjectOf("attributes"), true, context);
  } else if (attributes != nullptr) {
    context->Error("constraint_does_not_apply", attributes->place, reader->SubjectOf("attributes"),
                   "Only an object has attributes.", "Write type: object.");
  }
  if (const Node* open = reader->Find("open"); open != nullptr) {
    used.type.open = reader->Boolean("open", false);
    if (!bare_object) {
      context->Error("constraint_does_not_apply", open->place, reader->SubjectOf("open"),
                     "Only an object can be open.", "Write type: object with its attributes.");
    }
  }
  if (bare_object && used.type.attributes.empty()) {
    context->Error("object_without_attributes", reader->place(), reader->subject(),
                   "The object has no attributes.", "Add attributes: {…}, or use any.");
  }
  ReadConstraints(reader, &used.type, context);
  return used;
}

void LoadTypes(const Node& node, LoadContext* context) {
  if (!ExpectMap(node, "types", context->findings)) return;
  for (const Node::Member& member : node.members) {
    const std::string subject = "types." + member.name;
    if (!ExpectName(member.name, member.place, subject, context->findings)) continue;
    if (IsBuiltInType(member.name) || context->model.FindEnum(member.name) != nullptr) {
      context->Error("duplicate_type", member.place, subject,
                     Quoted(member.name) + " is already the name of a built-in type or of an enum.",
                     "Choose another name.");
      continue;
    }
    const Node* mixin = member.value.is_map() ? member.value.Find("mixin") : nullptr;
    if (mixin == nullptr) {
      context->types[member.name].node = &member.value;
    } else {
      context->mixins[member.name].node = mixin;
    }
  }
  for (const Node::Member& member : node.members) {
    if (context->types.contains(member.name)) {
      ReadDeclaredType(member.name, member.value, "types." + member.name, context);
    } else if (const auto found = context->mixins.find(member.name);
               found != context->mixins.end()) {
      MapReader reader(member.value, "types." + member.name, context->findings);
      reader.Find("mixin");
      reader.Finish();
      found->second.attributes =
          ReadAttributes(*found->second.node, reader.SubjectOf("mixin"), false, context);
    }
  }
}

namespace {

std::vector<std::string> TextsOf(const EnumModel& model) {
  std::vector<std::string> texts;
  for (const EnumModel::Value& value : model.values) texts.push_back(value.text);
  return texts;
}

// A value that another member of the enum refers to.
struct Named {
  std::string_view text;
  Place place;
};

// Reports the value if the enum does not have it.
void ExpectValue(std::string id, Named value, const std::string& subject, const EnumModel& model,
                 LoadContext* context) {
  if (model.Find(value.text) != nullptr) return;
  context->Error(std::move(id), value.place, subject,
                 Quoted(value.text) + " is not a value of " + model.name + ".",
                 Suggest(value.text, TextsOf(model)));
}

void ReadValues(const Node& node, const std::string& subject, EnumModel* model,
                LoadContext* context) {
  if (node.is_map()) {
    for (const Node::Member& member : node.members) {
      const bool titled = member.value.kind != Node::Kind::kNull &&
                          ExpectText(member.value, subject + "." + member.name, context->findings);
      model->values.push_back({member.name, titled ? member.value.text : "", ""});
    }
  } else if (ExpectList(node, subject, context->findings)) {
    for (const Node& item : node.items) {
      if (!ExpectText(item, subject, context->findings)) continue;
      if (model->Find(item.text) != nullptr) {
        context->Error("duplicate_value", item.place, subject,
                       Quoted(item.text) + " is listed twice.", "Keep one of them.");
        continue;
      }
      model->values.push_back({item.text, "", ""});
    }
  }
  const bool is_container = node.is_map() || node.is_list();
  if (is_container && node.members.empty() && node.items.empty()) {
    context->Error("empty_enum", node.place, subject, "The enum has no values.",
                   "List at least one.");
  }
}

void ReadTransition(const Node::Member& member, const std::string& subject, EnumModel* model,
                    LoadContext* context) {
  constexpr const char* kId = "unknown_transition_value";
  const std::string from_subject = subject + "." + member.name;
  ExpectValue(kId, {member.name, member.place}, subject, *model, context);
  EnumModel::Transition transition;
  transition.from = member.name;
  if (!ExpectList(member.value, from_subject, context->findings)) return;
  for (const Node& to : member.value.items) {
    if (!ExpectText(to, from_subject, context->findings)) continue;
    ExpectValue(kId, {to.text, to.place}, from_subject, *model, context);
    transition.to.push_back(to.text);
  }
  model->listed.push_back(std::move(transition));
}

void ReadTransitions(MapReader* reader, EnumModel* model, LoadContext* context) {
  const Node* node = reader->Find("transitions");
  if (node == nullptr) return;
  if (node->is_text()) {
    model->transitions = reader->Choice("transitions", EnumModel::Transitions::kAny,
                                        {{"any", EnumModel::Transitions::kAny}});
    return;
  }
  if (reader->FindMap("transitions") == nullptr) return;
  model->transitions = EnumModel::Transitions::kListed;
  for (const Node::Member& member : node->members) {
    ReadTransition(member, reader->SubjectOf("transitions"), model, context);
  }
}

bool IsCodeName(std::string_view text) {
  if (text.empty() || text::IsDigit(text.front())) return false;
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return text::IsAlphanumeric(c) || c == '_'; });
}

void ReadCodeNames(MapReader* reader, EnumModel* model, LoadContext* context) {
  const Node* node = reader->FindMap("code_names");
  if (node == nullptr) return;
  const std::string subject = reader->SubjectOf("code_names");
  std::set<std::string> used;
  for (const Node::Member& member : node->members) {
    if (!ExpectText(member.value, subject, context->findings)) continue;
    const auto value =
        std::find_if(model->values.begin(), model->values.end(),
                     [&](const EnumModel::Value& one) { return one.text == member.name; });
    if (value == model->values.end()) {
      ExpectValue("unknown_code_name_value", {member.name, member.place}, subject, *model, context);
      continue;
    }
    if (!IsCodeName(member.value.text) || !used.insert(member.value.text).second) {
      context->Error("bad_code_name", member.value.place, subject,
                     Quoted(member.value.text) + " is not a valid code name, or is used twice.",
                     "Use letters, digits and _, begin with a letter or _, and use each code name "
                     "once in the enum.");
    }
    value->code_name = member.value.text;
  }
}

void LoadEnum(const Node::Member& member, LoadContext* context) {
  EnumModel model;
  model.name = member.name;
  model.place = member.place;
  MapReader reader(member.value, "enums." + member.name, context->findings);
  ExpectName(member.name, member.place, reader.subject(), context->findings);
  if (IsBuiltInType(member.name)) {
    context->Error("duplicate_type", member.place, reader.subject(),
                   Quoted(member.name) + " is the name of a built-in type.",
                   "Choose another name.");
  }
  if (const Node* values = reader.Require("values")) {
    ReadValues(*values, reader.SubjectOf("values"), &model, context);
  }
  if (const Node* initial = reader.FindText("initial")) {
    model.initial = initial->text;
    ExpectValue("unknown_initial", {initial->text, initial->place}, reader.SubjectOf("initial"),
                model, context);
  }
  model.initial_only = reader.Boolean("initial_only", false);
  if (model.initial_only && model.initial.empty()) {
    context->Error("initial_only_without_initial", reader.Find("initial_only")->place,
                   reader.SubjectOf("initial_only"),
                   "Nothing says which value a new item begins with.",
                   "Add initial: and one of the values.");
  }
  model.open = reader.Boolean("open", context->open_enums);
  ReadTransitions(&reader, &model, context);
  ReadCodeNames(&reader, &model, context);
  reader.Finish();
  context->model.enums.push_back(std::move(model));
}

}  // namespace

void LoadEnums(const Node& node, LoadContext* context) {
  if (!ExpectMap(node, "enums", context->findings)) return;
  for (const Node::Member& member : node.members) LoadEnum(member, context);
}

}  // namespace monotable::model
