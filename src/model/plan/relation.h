#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "model/model.h"
#include "model/template/template.h"

// How the items of one entity are found that belong to an item of another: the children of a
// parent, what a reference names, the followers of a source. An item is known by its full key and,
// where the model has tenants, by its tenant.
namespace monotable::model {

struct Relation {
  // Attributes that have the same value in both items. Values are compared as the part of the key
  // spells them, so {email|lower} does not tell two cases apart.
  struct Pair {
    std::string from;
    std::string to;
    TemplatePart part;
    bool is_key = true;  // false: the tenant of items whose keys do not contain it; may be missing
  };

  const EntityModel* from = nullptr;  // the item that is known
  const EntityModel* to = nullptr;    // the items that are looked for
  std::vector<Pair> equal;
  const KeyModel* key = nullptr;  // of `to`: the table's key or that of an index
  size_t range_parts = 0;         // of the template of the sort key that the known values make
  bool is_whole = false;          // the known values make the whole key of the table: one item
  std::vector<size_t> compared;   // of `equal`: the keys that are read do not prove these
};

// A relation, or why there is none.
struct RelationPlan {
  std::optional<Relation> relation;
  std::string problem;  // a sentence
  std::string fix;
};

// From a parent, or the root of a collection, to its children or members.
RelationPlan PlanChildren(const Model& model, const EntityModel& parent, const EntityModel& child);

// From an item to the one that its attribute refers to.
RelationPlan PlanReference(const Model& model, const EntityModel& referring,
                           const AttributeModel& attribute);

// From an item to all those that refer to it by that attribute.
RelationPlan PlanReferring(const Model& model, const EntityModel& referring,
                           const AttributeModel& attribute);

}  // namespace monotable::model
