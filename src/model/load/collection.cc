#include <utility>

#include "model/load/context.h"
#include "model/load/reader.h"
#include "model/load/rule.h"

namespace monotable::model {
namespace {

void ReadMember(const Node::Member& member, const std::string& subject, const EntityModel& root,
                CollectionModel* collection, LoadContext* context) {
  ExpectName(member.name, member.place, subject, context->findings);
  if (!ExpectText(member.value, subject + "." + member.name, context->findings)) return;
  std::string entity_name = member.value.text;
  const bool many = entity_name.ends_with("[]");
  if (many) entity_name.resize(entity_name.size() - 2);
  const EntityModel* entity =
      ExpectEntity(entity_name, member.value.place, subject + "." + member.name, context);
  if (entity == nullptr) return;
  // An entity whose table is not known has been reported.
  if (!entity->table.empty() && !root.table.empty() && entity->table != root.table) {
    context->Error("member_in_other_table", member.value.place, subject + "." + member.name,
                   entity_name + " is in another table than " + root.name + ".",
                   "A collection is one partition of one table; take the member away.");
  }
  collection->members.push_back({member.name, entity_name, many});
}

void LoadCollection(const Node::Member& member, LoadContext* context) {
  CollectionModel collection;
  collection.name = member.name;
  collection.place = member.place;
  MapReader reader(member.value, "collections." + member.name, context->findings);
  ExpectName(member.name, member.place, reader.subject(), context->findings);
  collection.root = reader.RequiredText("root");
  const EntityModel* root = collection.root.empty()
                                ? nullptr
                                : ExpectEntity(collection.root, reader.Find("root")->place,
                                               reader.SubjectOf("root"), context);
  const Node* members = reader.Require("members") == nullptr ? nullptr : reader.FindMap("members");
  const Node* partition = reader.Require("partition");
  if (root != nullptr && members != nullptr) {
    for (const Node::Member& one : members->members) {
      ReadMember(one, reader.SubjectOf("members"), *root, &collection, context);
    }
  }
  if (root != nullptr && partition != nullptr) {
    auto text = ReadTemplate(*partition, reader.SubjectOf("partition"), *root, context);
    if (text) collection.partition = *std::move(text);
  }
  reader.Finish();
  context->model.collections.push_back(std::move(collection));
}

}  // namespace

void LoadCollections(const Node& node, LoadContext* context) {
  if (!ExpectMap(node, "collections", context->findings)) return;
  for (const Node::Member& member : node.members) LoadCollection(member, context);
}

}  // namespace monotable::model
