#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "model/load/load_context.h"
#include "model/load/node_reader.h"

// Values that the server makes for new items: ids, and attributes with generate.
namespace monotable::model {
namespace {

using Generate = IdModel::Generate;

// Whether a value of the attribute can be what is generated.
bool Takes(const TypeModel& type, const IdModel& id) {
  if (type.kind == TypeKind::kString) return true;
  return type.kind == TypeKind::kInteger && id.generate == Generate::kCounter && id.format.empty();
}

}  // namespace

Generate ReadGenerate(MapReader* reader, std::string_view member) {
  return reader->Choice(
      member, Generate::kNone,
      {{"counter", Generate::kCounter}, {"ulid", Generate::kUlid}, {"uuid", Generate::kUuid}});
}

void ReadGeneratedForm(MapReader* reader, const EntityModel& entity, IdModel* id,
                       LoadContext* context) {
  if (const Node* node = reader->FindText("format")) {
    id->format = node->text;
    const Result<Template> format = Template::Parse(node->text);
    const std::vector<std::string> names =
        format ? format->attributes() : std::vector<std::string>();
    const auto is_known = [&](const std::string& name) {
      return name == "n" || (name != id->attribute && entity.FindPath(name) != nullptr);
    };
    const bool has_number = std::find(names.begin(), names.end(), "n") != names.end();
    if (!has_number || !std::all_of(names.begin(), names.end(), is_known) ||
        id->generate == Generate::kNone) {
      context->Error("bad_id_format", node->place, reader->SubjectOf("format"),
                     Quoted(node->text) + " is not a format for a generated value.",
                     "Write literal text and attributes with {n} or {n:03} where the generated "
                     "value goes.");
    }
  }
  const std::string subject = reader->SubjectOf("scope");
  for (const Node* node : reader->Texts("scope")) {
    auto text = ReadTemplate(*node, subject, entity, context);
    if (text) id->scope.push_back(*std::move(text));
  }
  if (!id->scope.empty() && id->generate != Generate::kCounter) {
    context->Error("scope_without_counter", reader->Find("scope")->place, subject,
                   "Only a counter counts within a scope.", "Write counter, or remove scope.");
  }
}

void LoadGenerated(const AttributeModel& attribute, const Node& node, EntityModel* entity,
                   LoadContext* context) {
  const Node* generate = node.is_map() ? node.Find("generate") : nullptr;
  if (generate == nullptr) return;
  const std::string subject = "entities." + entity->name + ".attributes." + attribute.name;
  IdModel id;
  id.attribute = attribute.name;
  if (generate->is_map()) {
    MapReader reader(*generate, subject + ".generate", context->findings);
    reader.Require("as");
    id.generate = ReadGenerate(&reader, "as");
    ReadGeneratedForm(&reader, *entity, &id, context);
    reader.Finish();
  } else {
    MapReader reader(node, subject, context->findings);
    id.generate = ReadGenerate(&reader, "generate");
  }
  if (id.generate == Generate::kNone) return;
  if (!Takes(attribute.type, id)) {
    context->Error("generate_does_not_fit", generate->place, subject + ".generate",
                   "The attribute cannot hold what is generated.",
                   "Make it a string, or an integer with a counter that has no format.");
  }
  if (entity->id && entity->id->attribute == attribute.name) {
    context->Error("generate_does_not_fit", generate->place, subject + ".generate",
                   "The id of the entity says itself how it is generated.",
                   "Keep the generate of id.");
  }
  entity->generated.push_back(std::move(id));
}

}  // namespace monotable::model
