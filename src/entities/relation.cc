#include "entities/relation.h"

#include <algorithm>
#include <utility>

#include "entities/record.h"

namespace monotable::entities {
namespace {

using Pair = model::Relation::Pair;

// Whether two values mean the same item, as the key spells them.
bool MeanTheSame(const Pair& pair, const item::Value& one, const item::Value* other) {
  if (one.is(item::Type::kNull)) return other == nullptr || other->is(item::Type::kNull);
  if (other == nullptr) return false;
  if (one == *other) return true;
  if (pair.part.filters.empty() && one.type() == other->type()) return false;
  const auto text = model::Template::PartText(pair.part, one, {});
  const auto other_text = model::Template::PartText(pair.part, *other, {});
  return text && other_text && *text == *other_text;
}

Result<RelationPtr> Connect(const Entity& from, const Entity& to, model::RelationPlan plan) {
  if (!plan.relation) return Error::Validation(plan.problem + " " + plan.fix);
  return std::make_shared<const Relation>(from, to, *std::move(plan.relation));
}

// Whether a derived value of the root is made of a member of its collection.
bool IsAggregated(const Entity& root, const std::string& member) {
  return std::ranges::any_of(root.model->attributes, [&](const model::AttributeModel& attribute) {
    return attribute.derive &&
           std::ranges::any_of(attribute.derive->aggregates(), [&](const std::string& path) {
             return path.substr(0, path.find('.')) == member;
           });
  });
}

Status AddCollections(const Application& application, const Entity& entity, Relations* made) {
  const model::Model& model = application.model();
  for (const model::CollectionModel& collection : model.collections) {
    const Entity* root = application.Find(collection.root);
    for (const auto& member : collection.members) {
      const Entity* to = application.Find(member.entity);
      if (root == nullptr || to == nullptr) continue;
      const bool is_summed_here = to == &entity && IsAggregated(*root, member.name);
      if (root != &entity && !is_summed_here) continue;
      TRY_ASSIGN(const RelationPtr relation,
                 Connect(*root, *to, model::PlanChildren(model, *root->model, *to->model)));
      if (root == &entity) made->members.emplace(member.name, relation);
      if (is_summed_here) made->roots.push_back(relation);
    }
  }
  return {};
}

}  // namespace

item::Map Relation::KnownValues(const Lookup& find_in_from) const {
  item::Map values;
  for (const Pair& pair : plan_.equal) {
    if (const item::Value* value = find_in_from(pair.from)) values.Set(pair.to, *value);
  }
  return values;
}

item::Map Relation::KnownIn(const Lookup& find_in_to) const {
  item::Map values;
  for (const Pair& pair : plan_.equal) {
    if (const item::Value* value = find_in_to(pair.to)) values.Set(pair.to, *value);
  }
  return values;
}

std::optional<item::Map> Relation::ValuesOf(const item::Map& from_attributes) const {
  item::Map values;
  for (const Pair& pair : plan_.equal) {
    const item::Value* value = FindPath(from_attributes, pair.from);
    if (value == nullptr && pair.is_key) return std::nullopt;
    values.Set(pair.to, value == nullptr ? item::Value() : *value);
  }
  return values;
}

std::optional<item::Map> Relation::OwnerOf(const item::Map& to_attributes) const {
  item::Map values;
  for (const Pair& pair : plan_.equal) {
    const item::Value* value = FindPath(to_attributes, pair.to);
    if (value == nullptr && pair.is_key) return std::nullopt;
    if (value != nullptr) values.Set(pair.from, *value);
  }
  return values;
}

bool Relation::Fits(const item::Map& values, const Lookup& find_in_to) const {
  return std::ranges::all_of(plan_.equal, [&](const Pair& pair) {
    const item::Value* value = values.Find(pair.to);
    return value == nullptr || MeanTheSame(pair, *value, find_in_to(pair.to));
  });
}

bool Relation::Fits(const item::Map& values, const item::Map& to_attributes) const {
  return Fits(values,
              [&to_attributes](std::string_view path) { return FindPath(to_attributes, path); });
}

bool Relation::FitsBeyondKeys(const item::Map& values, const Lookup& find_in_to) const {
  return std::ranges::all_of(plan_.compared, [&](size_t i) {
    const Pair& pair = plan_.equal[i];
    const item::Value* value = values.Find(pair.to);
    return value == nullptr || MeanTheSame(pair, *value, find_in_to(pair.to));
  });
}

Result<std::shared_ptr<const Relations>> RelationsOf(const Application& application,
                                                     const Entity& entity) {
  const model::Model& model = application.model();
  auto made = std::make_shared<Relations>();
  if (const Entity* parent = entity.parent) {
    TRY_ASSIGN(made->parent,
               Connect(*parent, entity, model::PlanChildren(model, *parent->model, *entity.model)));
  }
  for (const auto& child : application.entities()) {
    if (child->parent != &entity) continue;
    TRY_ASSIGN(RelationPtr relation,
               Connect(entity, *child, model::PlanChildren(model, *entity.model, *child->model)));
    made->children.push_back(std::move(relation));
  }
  TRY(AddCollections(application, entity, made.get()));
  for (const model::AttributeModel& attribute : entity.model->attributes) {
    const Entity* target = application.Find(attribute.references);
    if (target == nullptr) continue;
    TRY_ASSIGN(RelationPtr relation,
               Connect(entity, *target, model::PlanReference(model, *entity.model, attribute)));
    made->references.emplace(attribute.name, std::move(relation));
  }
  for (const model::CopyModel& copy : entity.model->copies) {
    const model::AttributeModel* via = entity.model->Find(copy.via);
    if (!copy.live || via == nullptr) continue;
    const Entity* source = application.Find(copy.source_entity);
    if (source == nullptr) continue;
    TRY(Connect(*source, entity, model::PlanReferring(model, *entity.model, *via)));
  }
  return std::shared_ptr<const Relations>(std::move(made));
}

}  // namespace monotable::entities
