#include <set>
#include <string>
#include <utility>
#include <vector>

#include "model/load/load_context.h"
#include "model/load/node_reader.h"

// Rules of an entity that need no expression of their own about the new item: what is frozen, and
// what excludes each other.
namespace monotable::model {
namespace {

// The attributes that a list names. Only whole attributes of the entity can be compared.
std::vector<std::string> ReadNames(MapReader* reader, std::string_view member,
                                   const EntityModel& entity, LoadContext* context) {
  std::vector<std::string> names;
  for (const Node* node : reader->Texts(member)) {
    if (entity.Find(node->text) == nullptr) {
      context->Error("unknown_attribute", node->place, reader->SubjectOf(member),
                     Quoted(node->text) + " is not an attribute of " + entity.name + ".",
                     Suggest(node->text, NamesOf(entity.attributes)));
      continue;
    }
    names.push_back(node->text);
  }
  return names;
}

void ReadFrozen(MapReader* entity_reader, EntityModel* entity, LoadContext* context) {
  const Node* list = entity_reader->FindList("frozen");
  if (list == nullptr) return;
  std::set<std::string> names;
  for (const Node& node : list->items) {
    MapReader reader(node, entity_reader->SubjectOf("frozen"), context->findings);
    FrozenModel frozen;
    frozen.place = node.place;
    frozen.name = reader.RequiredText("name");
    frozen.message = reader.Text("message");
    frozen.attributes = ReadNames(&reader, "attributes", *entity, context);
    frozen.except = ReadNames(&reader, "except", *entity, context);
    if (!frozen.name.empty() && !names.insert(frozen.name).second) {
      context->Error("duplicate_name", node.place, reader.subject(),
                     Quoted(frozen.name) + " is used twice.", "Give each its own name.");
    }
    if (reader.Find("attributes") != nullptr && reader.Find("except") != nullptr) {
      context->Error("attributes_and_except", reader.Find("except")->place,
                     reader.SubjectOf("except"),
                     "except leaves attributes out of the whole item, but attributes names some.",
                     "Keep one of them.");
    }
    if (const Node* when = reader.Require("when")) {
      auto rule = ReadRule(*when, reader.SubjectOf("when"), {entity, /*others=*/true},
                           {.condition = true}, context);
      if (rule) frozen.when = *std::move(rule);
    }
    reader.Finish();
    entity->frozen.push_back(std::move(frozen));
  }
}

// Lists of attributes that exclude each other: [[Cpf, Cnpj]].
void ReadChoices(MapReader* entity_reader, std::string_view member, bool required,
                 EntityModel* entity, LoadContext* context) {
  const Node* list = entity_reader->FindList(member);
  if (list == nullptr) return;
  const std::string subject = entity_reader->SubjectOf(member);
  for (const Node& node : list->items) {
    if (!ExpectList(node, subject, context->findings)) continue;
    ChoiceModel choice;
    choice.place = node.place;
    choice.required = required;
    bool fine = true;
    for (const Node& name : node.items) {
      const bool known = ExpectText(name, subject, context->findings) &&
                         ExpectAttribute(name.text, name.place, subject, *entity, context);
      fine = fine && known;
      if (known) choice.attributes.push_back(name.text);
    }
    if (fine && choice.attributes.size() < 2) {
      context->Error("choice_of_one", node.place, subject,
                     "Attributes can exclude each other only if there are several.",
                     "Name at least two attributes, or make the one required.");
    }
    for (const std::string& name : choice.attributes) {
      const AttributeModel* attribute = entity->Find(name);
      if (attribute == nullptr || !attribute->required) continue;
      context->Error("choice_is_required", node.place, subject,
                     Quoted(name) + " is required, so the others can never be given.",
                     "Remove the ! of its type.");
    }
    entity->choices.push_back(std::move(choice));
  }
}

}  // namespace

void LoadRestrictions(MapReader* reader, EntityModel* entity, LoadContext* context) {
  ReadFrozen(reader, entity, context);
  ReadChoices(reader, "exactly_one", /*required=*/true, entity, context);
  ReadChoices(reader, "at_most_one", /*required=*/false, entity, context);
}

}  // namespace monotable::model
