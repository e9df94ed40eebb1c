#include <string>

#include "model/check/check_passes.h"
#include "model/plan/keys.h"
#include "model/plan/relation.h"

// Whether the server can tell whose an item is: children of two parents, references and copies of
// two sources, and all of these of two tenants.
namespace monotable::model {
namespace {

void CheckReferences(const Model& model, const EntityModel& entity, Report* report) {
  for (const AttributeModel& attribute : entity.attributes) {
    if (attribute.references.empty()) continue;
    const RelationPlan plan = PlanReference(model, entity, attribute);
    if (plan.problem.empty()) continue;
    report->Error("reference_not_found", attribute.place, SubjectOf(entity, attribute),
                  plan.problem, plan.fix);
  }
}

void CheckFollowers(const Model& model, const EntityModel& entity, Report* report) {
  for (const CopyModel& copy : entity.copies) {
    const AttributeModel* via = entity.Find(copy.via);
    if (!copy.live || via == nullptr) continue;
    const RelationPlan plan = PlanReferring(model, entity, *via);
    if (plan.problem.empty()) continue;
    report->Error("copy_without_index", copy.place, SubjectOf(entity) + ".copies." + copy.attribute,
                  "A change of " + copy.source_entity + "." + copy.source_attribute +
                      " cannot be copied to " + copy.attribute + ". " + plan.problem,
                  plan.fix + " Or write `mode: once`.");
  }
}

// A collection is read whole, so its reader must say which root it means.
void CheckRead(const Model& model, const PatternModel& pattern, Report* report) {
  if (pattern.kind != PatternModel::Kind::kCollection) return;
  const EntityModel* root = model.FindEntity(pattern.entity);
  if (root == nullptr) return;
  for (const KeyModel::Part& part : root->primary().parts) {
    for (const std::string& name : part.text.attributes()) {
      if (Contains(pattern.by, name)) continue;
      if (model.tenancy && model.tenancy->attribute == name) continue;
      report->Error("collection_without_root", pattern.place, SubjectOf(pattern),
                    "The key of " + root->name + " is made of " + name +
                        ", which the pattern is not given, so it cannot tell the collections of "
                        "two " +
                        root->name + " items apart.",
                    "Add " + name + " to by.");
    }
  }
}

}  // namespace

void CheckRelations(const Model& model, Report* report) {
  for (const EntityModel& entity : model.entities) {
    if (const EntityModel* parent = model.FindEntity(entity.parent)) {
      const RelationPlan plan = PlanChildren(model, *parent, entity);
      if (!plan.problem.empty()) {
        report->Error("parent_not_identified", entity.place, SubjectOf(entity), plan.problem,
                      plan.fix);
      }
    }
    CheckReferences(model, entity, report);
    CheckFollowers(model, entity, report);
  }
  for (const CollectionModel& collection : model.collections) {
    const EntityModel* root = model.FindEntity(collection.root);
    for (const CollectionModel::Member& member : collection.members) {
      const EntityModel* entity = model.FindEntity(member.entity);
      if (root == nullptr || entity == nullptr || entity->parent == root->name) continue;
      const RelationPlan plan = PlanChildren(model, *root, *entity);
      if (plan.problem.empty()) continue;
      report->Error("member_not_identified", collection.place,
                    "collections." + collection.name + ".members." + member.name, plan.problem,
                    plan.fix);
    }
  }
  for (const PatternModel& pattern : model.patterns) CheckRead(model, pattern, report);
}

}  // namespace monotable::model
