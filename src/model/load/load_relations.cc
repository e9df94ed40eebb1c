#include <algorithm>
#include <cstddef>
#include <set>
#include <utility>

#include "model/load/load_context.h"
#include "model/load/node_reader.h"

// The second reading of entities: what they say about each other, and their rules.
namespace monotable::model {
namespace {

// Resolves Buyer.Name. Returns null and reports a finding if there is no such attribute.
const AttributeModel* ExpectSource(const std::string& text, Place place, const std::string& subject,
                                   std::string* entity_name, LoadContext* context) {
  const size_t dot = text.find('.');
  if (dot == std::string::npos) {
    context->Error("bad_source", place, subject,
                   Quoted(text) + " does not name an attribute of an entity.",
                   "Write Entity.Attribute, for example Buyer.Name.");
    return nullptr;
  }
  *entity_name = text.substr(0, dot);
  const EntityModel* entity = ExpectEntity(*entity_name, place, subject, context);
  const std::string attribute = text.substr(dot + 1);
  if (entity == nullptr || !ExpectAttribute(attribute, place, subject, *entity, context)) {
    return nullptr;
  }
  const AttributeModel* found = entity->Find(attribute);
  if (found == nullptr) {
    context->Error("bad_source", place, subject, Quoted(text) + " is only a part of an attribute.",
                   "Name the whole attribute, for example Buyer.Address.");
  }
  return found;
}

bool HasReference(const EntityModel& entity, const std::string& to) {
  return entity.parent == to ||
         std::any_of(entity.attributes.begin(), entity.attributes.end(),
                     [&](const AttributeModel& one) { return one.references == to; });
}

// ref, default: {from: …} and derive of an attribute.
void LinkAttribute(AttributeModel* attribute, const Node& node, const EntityModel& entity,
                   LoadContext* context) {
  if (!node.is_map()) return;
  const std::string subject = "entities." + entity.name + ".attributes." + attribute->name;
  if (const Node* ref = node.Find("ref"); ref != nullptr && !attribute->references.empty()) {
    ExpectEntity(attribute->references, ref->place, subject + ".ref", context);
  }
  if (!attribute->default_from.empty()) {
    const Node* from = node.Find("default")->Find("from");
    std::string source;
    if (ExpectSource(attribute->default_from, from->place, subject + ".default", &source,
                     context) != nullptr &&
        !HasReference(entity, source)) {
      context->Error("not_referenced", from->place, subject + ".default",
                     entity.name + " does not say which " + source + " it belongs to.",
                     "Add ref: " + source + " to the attribute that holds its id.");
    }
  }
  if (const Node* derive = node.Find("derive")) {
    attribute->derive = ReadRule(*derive, subject + ".derive", {&entity, /*others=*/true},
                                 {.type = &attribute->type}, context);
  }
}

void ReadFromKey(MapReader* reader, EntityModel* entity, LoadContext* context) {
  const std::string subject = reader->SubjectOf("from_key");
  for (const Node* node : reader->Texts("from_key")) {
    if (!ExpectAttribute(node->text, node->place, subject, *entity, context)) continue;
    if (entity->keys.empty()) continue;
    const KeyModel::Part* holder = nullptr;
    for (const KeyModel::Part& part : entity->primary().parts) {
      const std::vector<std::string> names = part.text.attributes();
      if (std::find(names.begin(), names.end(), node->text) == names.end()) continue;
      if (holder == nullptr || part.text.reversible()) holder = &part;
    }
    if (holder == nullptr) {
      context->Error("from_key_not_in_key", node->place, subject,
                     Quoted(node->text) + " is not part of the primary key.",
                     "Store it, or put it into a template of the primary key.");
    } else if (!holder->text.reversible()) {
      context->Error("from_key_not_reversible", node->place, subject,
                     Quoted(holder->text.text()) + " cannot be split into its attributes again.",
                     "Put literal text between its attributes, and use no filters.");
    }
    entity->from_key.push_back(node->text);
  }
}

// Checks that names are unique within one list of the entity.
void ExpectNewName(const std::string& name, Place place, const std::string& subject,
                   std::set<std::string>* used, LoadContext* context) {
  if (name.empty() || used->insert(name).second) return;
  context->Error("duplicate_name", place, subject, Quoted(name) + " is used twice.",
                 "Give each its own name.");
}

void ReadUnique(MapReader* entity_reader, EntityModel* entity, LoadContext* context) {
  const Node* list = entity_reader->FindList("unique");
  if (list == nullptr) return;
  std::set<std::string> names;
  for (const Node& node : list->items) {
    MapReader reader(node, entity_reader->SubjectOf("unique"), context->findings);
    UniqueModel unique;
    unique.place = node.place;
    unique.name = reader.RequiredText("name");
    ExpectNewName(unique.name, node.place, reader.subject(), &names, context);
    const Node* fields = reader.Require("fields");
    if (fields != nullptr && fields->is_list() && fields->items.empty()) {
      context->Error("constant_unique", fields->place, reader.SubjectOf("fields"),
                     "Nothing says what is unique.", "Write at least one template.");
    }
    for (const Node* field : reader.Texts("fields")) {
      auto text = ReadTemplate(*field, reader.SubjectOf("fields"), *entity, context);
      if (!text) continue;
      if (text->is_constant()) {
        context->Error("constant_unique", field->place, reader.SubjectOf("fields"),
                       Quoted(field->text) + " is the same for all items.",
                       "Write attributes in braces, for example \"{Document|digits}\".");
      }
      unique.fields.push_back(*std::move(text));
    }
    for (const Node* scope : reader.Texts("scope")) {
      ExpectAttribute(scope->text, scope->place, reader.SubjectOf("scope"), *entity, context);
      unique.scope.push_back(scope->text);
    }
    reader.Finish();
    entity->unique.push_back(std::move(unique));
  }
}

void CheckCopy(MapReader* reader, CopyModel* copy, const EntityModel& entity,
               LoadContext* context) {
  const Node* set = reader->Find("set");
  const Node* from = reader->Find("from");
  const Node* via = reader->Find("via");
  if (set == nullptr || from == nullptr || via == nullptr) return;
  const AttributeModel* source = ExpectSource(from->text, from->place, reader->SubjectOf("from"),
                                              &copy->source_entity, context);
  if (!ExpectAttribute(set->text, set->place, reader->SubjectOf("set"), entity, context) ||
      !ExpectAttribute(via->text, via->place, reader->SubjectOf("via"), entity, context) ||
      source == nullptr) {
    return;
  }
  copy->source_attribute = source->name;
  const AttributeModel* reference = entity.Find(copy->via);
  if (reference != nullptr && reference->references != copy->source_entity) {
    context->Error(
        "via_not_a_reference", via->place, reader->SubjectOf("via"),
        Quoted(copy->via) + " does not say that it holds the id of a " + copy->source_entity + ".",
        "Add ref: " + copy->source_entity + " to that attribute.");
  }
  if (entity.FindPath(copy->attribute)->kind != source->type.kind) {
    context->Error(
        "copy_type_mismatch", set->place, reader->SubjectOf("set"),
        Quoted(copy->attribute) + " and " + Quoted(from->text) + " are not of the same type.",
        "Give the copy the type of its source.");
  }
}

void ReadCopies(MapReader* entity_reader, EntityModel* entity, LoadContext* context) {
  const Node* list = entity_reader->FindList("copies");
  if (list == nullptr) return;
  for (const Node& node : list->items) {
    MapReader reader(node, entity_reader->SubjectOf("copies"), context->findings);
    CopyModel copy;
    copy.place = node.place;
    copy.attribute = reader.RequiredText("set");
    reader.RequiredText("from");
    copy.via = reader.RequiredText("via");
    copy.live = reader.Choice("mode", true, {{"live", true}, {"once", false}});
    CheckCopy(&reader, &copy, *entity, context);
    if (const Node* freeze = reader.Find("freeze_when")) {
      copy.freeze_when = ReadRule(*freeze, reader.SubjectOf("freeze_when"), {entity},
                                  {.condition = true}, context);
      if (!copy.live) {
        context->Error("freeze_without_live", freeze->place, reader.SubjectOf("freeze_when"),
                       "A copy that is taken once never changes, so it needs no freeze_when.",
                       "Remove freeze_when, or write mode: live.");
      }
    }
    reader.Finish();
    entity->copies.push_back(std::move(copy));
  }
}

void ReadAsserts(MapReader* entity_reader, EntityModel* entity, LoadContext* context) {
  const Node* list = entity_reader->FindList("assert");
  if (list == nullptr) return;
  std::set<std::string> names;
  for (const Node& node : list->items) {
    MapReader reader(node, entity_reader->SubjectOf("assert"), context->findings);
    AssertModel assertion;
    assertion.place = node.place;
    assertion.name = reader.RequiredText("name");
    ExpectNewName(assertion.name, node.place, reader.subject(), &names, context);
    assertion.message = reader.Text("message");
    assertion.on_create_only = reader.Choice("when", false, {{"create", true}});
    if (const Node* that = reader.Require("that")) {
      if (auto rule = ReadRule(*that, reader.SubjectOf("that"), {entity, /*others=*/true},
                               {.condition = true}, context)) {
        assertion.assertion = *std::move(rule);
      }
    }
    reader.Finish();
    entity->rules.push_back(std::move(assertion));
  }
}

void ReadTtl(MapReader* entity_reader, EntityModel* entity, LoadContext* context) {
  const Node* node = entity_reader->Find("ttl");
  if (node == nullptr) return;
  MapReader reader(*node, entity_reader->SubjectOf("ttl"), context->findings);
  TtlModel ttl;
  ttl.place = node->place;
  ttl.base = reader.RequiredText("base");
  if (!ttl.base.empty() && ExpectAttribute(ttl.base, reader.Find("base")->place,
                                           reader.SubjectOf("base"), *entity, context)) {
    const TypeKind kind = entity->FindPath(ttl.base)->kind;
    if (kind != TypeKind::kInstant && kind != TypeKind::kDate) {
      context->Error("ttl_base_not_instant", reader.Find("base")->place, reader.SubjectOf("base"),
                     Quoted(ttl.base) +
                         " is not an instant or a date, so an expiry cannot be counted from it.",
                     "Name an attribute of type instant or date.");
    }
  }
  if (reader.Require("after") != nullptr) {
    if (const Node* after = reader.FindText("after")) {
      const auto millis = ReadDuration(*after, reader.SubjectOf("after"), context);
      ttl.after_seconds = millis.value_or(0) / 1000;
    }
  }
  if (const Node* when = reader.Find("when")) {
    ttl.when = ReadRule(*when, reader.SubjectOf("when"), {entity}, {.condition = true}, context);
  }
  ttl.hide_expired = reader.Boolean("hide_expired", false);
  reader.Finish();
  const TableModel* table = context->model.FindTable(entity->table);
  if (table != nullptr && table->ttl_attribute.empty()) {
    context->Error("ttl_without_attribute", node->place, entity_reader->SubjectOf("ttl"),
                   "The table " + table->id + " has no attribute for the time of expiry.",
                   "Add ttl_attribute: to the table.");
  }
  entity->ttl = std::move(ttl);
}

// Reads bump(createdAt, 1ms): if the key is taken, the server tries a later moment.
void ReadKeyConflict(MapReader* reader, EntityModel* entity, LoadContext* context) {
  const Node* node = reader->FindText("on_key_conflict");
  if (node == nullptr) return;
  const std::string subject = reader->SubjectOf("on_key_conflict");
  const std::string& text = node->text;
  const size_t comma = text.find(',');
  if (!text.starts_with("bump(") || !text.ends_with(")") || comma == std::string::npos) {
    context->Error("bad_key_conflict", node->place, subject,
                   Quoted(text) + " does not say what to do when a key is taken.",
                   "Write bump(attribute, 1ms) with an instant of the primary key.");
    return;
  }
  entity->bump_attribute = text.substr(5, comma - 5);
  if (!ExpectAttribute(entity->bump_attribute, node->place, subject, *entity, context)) return;
  if (entity->FindPath(entity->bump_attribute)->kind != TypeKind::kInstant) {
    context->Error("bad_key_conflict", node->place, subject,
                   Quoted(entity->bump_attribute) + " is not an instant.",
                   "Write bump(attribute, 1ms) with an instant of the primary key.");
  }
  Node step = *node;
  step.text = text.substr(comma + 1, text.size() - comma - 2);
  step.text.erase(0, step.text.find_first_not_of(' '));
  entity->bump_ms = ReadDuration(step, subject, context).value_or(0);
}

void ReadDelete(MapReader* entity_reader, EntityModel* entity, LoadContext* context) {
  const Node* node = entity_reader->Find("delete");
  if (node == nullptr) return;
  MapReader reader(*node, entity_reader->SubjectOf("delete"), context->findings);
  entity->restrict_delete_if = reader.Text("restrict_if");
  entity->cascade_collection = reader.Choice("cascade", false, {{"collection", true}});
  reader.Finish();
  const auto& collections = context->model.collections;
  const bool is_root =
      std::any_of(collections.begin(), collections.end(),
                  [&](const CollectionModel& one) { return one.root == entity->name; });
  if (entity->cascade_collection && !is_root) {
    context->Error("cascade_without_collection", reader.Find("cascade")->place,
                   reader.SubjectOf("cascade"), entity->name + " is not the root of a collection.",
                   "Declare a collection with root: " + entity->name + ".");
  }
}

void CheckParents(const EntityModel& entity, const Node& node, LoadContext* context) {
  if (entity.parent.empty()) return;
  const Node* parent = node.Find("parent");
  const std::string subject = "entities." + entity.name + ".parent";
  if (ExpectEntity(entity.parent, parent->place, subject, context) == nullptr) return;
  std::set<std::string> seen = {entity.name};
  for (const EntityModel* up = &entity; up != nullptr && !up->parent.empty();) {
    if (!seen.insert(up->parent).second) {
      context->Error("parent_cycle", parent->place, subject,
                     entity.name + " is its own parent, or the parent of one of its parents.",
                     "Remove one of the parents.");
      return;
    }
    up = context->model.FindEntity(up->parent);
  }
}

}  // namespace

void CheckRestrictedDeletes(LoadContext* context) {
  const Model& model = context->model;
  for (size_t i = 0; i < model.entities.size(); ++i) {
    const EntityModel& entity = model.entities[i];
    const std::string& pattern = entity.restrict_delete_if;
    if (pattern.empty() || model.FindPattern(pattern) != nullptr) continue;
    const Node* node = context->sources[i].node->Find("delete")->Find("restrict_if");
    context->Error(
        "unknown_pattern", node->place, "entities." + entity.name + ".delete.restrict_if",
        Quoted(pattern) + " is not a pattern.", Suggest(pattern, NamesOf(model.patterns)));
  }
}

void LoadEntityRules(LoadContext* context) {
  for (size_t i = 0; i < context->model.entities.size(); ++i) {
    EntityModel& entity = context->model.entities[i];
    const EntitySource& source = context->sources[i];
    for (size_t j = 0; j < entity.attributes.size(); ++j) {
      LinkAttribute(&entity.attributes[j], *source.attributes[j], entity, context);
      LoadGenerated(entity.attributes[j], *source.attributes[j], &entity, context);
    }
    if (!source.node->is_map()) continue;
    CheckParents(entity, *source.node, context);
    MapReader reader(*source.node, "entities." + entity.name, context->findings);
    ReadFromKey(&reader, &entity, context);
    ReadUnique(&reader, &entity, context);
    ReadCopies(&reader, &entity, context);
    ReadAsserts(&reader, &entity, context);
    LoadRestrictions(&reader, &entity, context);
    ReadTtl(&reader, &entity, context);
    ReadKeyConflict(&reader, &entity, context);
    ReadDelete(&reader, &entity, context);
  }
}

}  // namespace monotable::model
