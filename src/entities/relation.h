#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "entities/application.h"
#include "error/result.h"
#include "model/plan/relation.h"

namespace monotable::entities {

// How the items of one entity are found that belong to an item of another, and how they are told
// from those that belong to others. Immutable and thread-safe.
class Relation {
 public:
  Relation(const Entity& from, const Entity& to, model::Relation plan)
      : from_(from), to_(to), plan_(std::move(plan)) {}

  const Entity& from() const { return from_; }
  const Entity& to() const { return to_; }
  const model::Relation& plan() const { return plan_; }

  using Lookup = model::Template::Lookup;

  // What the items that belong to one item have in common, by the names of their own attributes; a
  // null is an attribute that they do not have. Nothing if a part of the key is missing.
  std::optional<item::Map> ValuesOf(const item::Map& from_attributes) const;
  // The same as far as the attributes are known.
  item::Map KnownValues(const Lookup& find_in_from) const;
  // The same of an item that is looked for, as far as it is known.
  item::Map KnownIn(const Lookup& find_in_to) const;
  // The attributes of the item that one of the others belongs to, by its own names.
  std::optional<item::Map> OwnerOf(const item::Map& to_attributes) const;

  // Whether an item belongs to the one that has these values. Values that are not known are not
  // compared.
  bool Fits(const item::Map& values, const Lookup& find_in_to) const;
  // The same for an item that was read by the keys of the plan.
  bool FitsBeyondKeys(const item::Map& values, const Lookup& find_in_to) const;
  bool Fits(const item::Map& values, const item::Map& to_attributes) const;

 private:
  const Entity& from_;
  const Entity& to_;
  const model::Relation plan_;
};

using RelationPtr = std::shared_ptr<const Relation>;

// All relations of one entity.
struct Relations {
  RelationPtr parent;  // from the parent to this entity
  std::vector<RelationPtr> children;
  std::map<std::string, RelationPtr, std::less<>> members;  // of collections whose root this is
  std::vector<RelationPtr> roots;  // whose derived values are made of this entity, to this entity
  std::map<std::string, RelationPtr, std::less<>> references;  // by attribute
};

// Refuses a model in which the items of two parents, sources or tenants cannot be told apart;
// `model check` has found that before. The application must have all its entities.
Result<std::shared_ptr<const Relations>> RelationsOf(const Application& application,
                                                     const Entity& entity);

}  // namespace monotable::entities
