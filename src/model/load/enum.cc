#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

#include "model/load/context.h"
#include "model/load/reader.h"
#include "model/load/type.h"
#include "text/characters.h"

namespace monotable::model {
namespace {

std::vector<std::string> TextsOf(const EnumModel& model) {
  std::vector<std::string> texts;
  for (const EnumModel::Value& value : model.values) texts.push_back(value.text);
  return texts;
}

// A value that something in the enum names.
struct Named {
  std::string_view text;
  Place place;
};

// Reports it if the enum does not have it.
void ExpectValue(std::string id, Named value, const std::string& subject, const EnumModel& model,
                 LoadContext* context) {
  if (model.Find(value.text) != nullptr) return;
  context->Error(std::move(id), value.place, subject,
                 Quoted(value.text) + " is no value of " + model.name + ".",
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
                     Quoted(member.value.text) + " is no name for programs, or is used twice.",
                     "Use letters, digits and _, not beginning with a digit, once in the enum.");
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
