#include "model/plan/relation.h"

#include <algorithm>
#include <utility>

#include "model/plan/keys.h"

namespace monotable::model {
namespace {

using Pair = Relation::Pair;

TemplatePart WholeValue(const std::string& attribute) {
  TemplatePart part;
  part.attribute = attribute;
  return part;
}

// The parts of the primary key that hold attributes, each attribute once; a part that keeps the
// whole value is better than one that does not.
std::vector<TemplatePart> IdentityOf(const EntityModel& entity) {
  std::vector<TemplatePart> identity;
  for (const KeyModel::Part& key : entity.primary().parts) {
    for (const TemplatePart& part : key.text.parts()) {
      if (part.is_literal()) continue;
      const auto same = std::ranges::find(identity, part.attribute, &TemplatePart::attribute);
      if (same == identity.end()) {
        identity.push_back(part);
      } else if (part.is_lossless() && !same->is_lossless()) {
        *same = part;
      }
    }
  }
  return identity;
}

// The attribute by which items are referred to; empty if nothing says which one that is.
std::string IdOf(const EntityModel& entity) {
  if (entity.id) return entity.id->attribute;
  const std::vector<TemplatePart> identity = IdentityOf(entity);
  return identity.size() == 1 ? identity.front().attribute : "";
}

// Whether an attribute of the entity can name another item: the server does not set it to the
// entity's own moment or caller.
bool CanName(const EntityModel& entity, const std::string& attribute) {
  const AttributeModel* found = FindAttribute(entity, attribute);
  return found != nullptr && found->set == SetBy::kClient;
}

// Items of two tenants are never related, also where their keys do not contain the tenant.
void AddTenant(const Model& model, const EntityModel& from, const EntityModel& to,
               std::vector<Pair>* pairs) {
  if (!model.tenancy) return;
  const std::string& tenant = model.tenancy->attribute;
  if (FindAttribute(from, tenant) == nullptr || FindAttribute(to, tenant) == nullptr) return;
  const bool is_there = std::ranges::any_of(
      *pairs, [&](const Pair& pair) { return pair.from == tenant && pair.to == tenant; });
  if (!is_there) pairs->push_back({tenant, tenant, WholeValue(tenant), /*is_key=*/false});
}

const Pair* FindTo(const std::vector<Pair>& pairs, std::string_view attribute) {
  const auto found = std::ranges::find(pairs, attribute, &Pair::to);
  return found == pairs.end() ? nullptr : &*found;
}

// Whether the text that the first parts make is made by no other values: each value ends where a
// character stands that values must not contain, or with the whole key.
bool IsSeparated(const std::vector<TemplatePart>& parts, size_t count, std::string_view forbidden) {
  for (size_t i = 0; i < count; ++i) {
    if (parts[i].is_literal()) continue;
    if (i + 1 == parts.size()) continue;
    const bool ends = i + 1 < count && parts[i + 1].is_literal() &&
                      forbidden.find(parts[i + 1].literal.front()) != std::string_view::npos;
    if (!ends) return false;
  }
  return true;
}

// How much of one key the known values make.
class KeyReach {
 public:
  KeyReach(const Model& model, const EntityModel& to, const KeyModel& key,
           const std::vector<Pair>& known)
      : key_(key) {
    const std::vector<TemplatePart>& hash = key.parts.front().text.parts();
    is_usable_ = !key.when && std::ranges::all_of(hash, [&](const TemplatePart& part) {
      return part.is_literal() || FindTo(known, part.attribute) != nullptr;
    });
    if (!is_usable_) return;
    Note(hash, hash.size(), model.forbidden_in_keys);
    is_whole_ = key.index.empty();
    if (key.parts.size() > 1) {
      const std::vector<TemplatePart>& range = key.parts.back().text.parts();
      while (range_parts_ < range.size() &&
             (range[range_parts_].is_literal() ||
              FindTo(known, range[range_parts_].attribute) != nullptr)) {
        ++range_parts_;
      }
      is_whole_ = is_whole_ && range_parts_ == range.size();
      Note(range, range_parts_, model.forbidden_in_keys);
    }
    if (key.index.empty()) return;
    // An item that lacks another part of the key is not in the index.
    for (const KeyModel::Part& part : key.parts) {
      for (const std::string& name : part.text.attributes()) {
        if (FindTo(known, name) != nullptr || AlwaysPresent(model, to, name)) continue;
        is_usable_ = false;
      }
    }
  }

  bool is_usable() const { return is_usable_; }
  size_t covered() const { return covered_.size(); }

  Relation Make(const EntityModel& from, const EntityModel& to, std::vector<Pair> known) const {
    Relation relation{&from, &to, std::move(known), &key_, range_parts_, is_whole_, {}};
    for (size_t i = 0; i < relation.equal.size(); ++i) {
      if (!Contains(proven_, relation.equal[i].to)) relation.compared.push_back(i);
    }
    return relation;
  }

 private:
  void Note(const std::vector<TemplatePart>& parts, size_t count, std::string_view forbidden) {
    const bool separated = IsSeparated(parts, count, forbidden);
    for (size_t i = 0; i < count; ++i) {
      if (parts[i].is_literal()) continue;
      if (!Contains(covered_, parts[i].attribute)) covered_.push_back(parts[i].attribute);
      if (separated && parts[i].is_lossless()) proven_.push_back(parts[i].attribute);
    }
  }

  const KeyModel& key_;
  bool is_usable_ = false;
  bool is_whole_ = false;
  size_t range_parts_ = 0;
  std::vector<std::string> covered_;
  std::vector<std::string> proven_;
};

// The narrowest read: the key of which the known values make most. The table's own key is better
// than an index that is as narrow.
std::optional<Relation> Narrowest(const Model& model, const EntityModel& from,
                                  const EntityModel& to, std::vector<Pair> known) {
  std::optional<KeyReach> best;
  for (const KeyModel& key : to.keys) {
    const KeyReach reach(model, to, key, known);
    if (!reach.is_usable()) continue;
    if (!best || reach.covered() > best->covered()) best.emplace(reach);
  }
  if (!best) return std::nullopt;
  return best->Make(from, to, std::move(known));
}

std::string Listed(const std::vector<Pair>& pairs) {
  std::string text;
  for (const Pair& pair : pairs) {
    if (pair.is_key) text += (text.empty() ? "" : ", ") + pair.to;
  }
  return text;
}

// What the items that refer to a target have in common with it, as pairs of referring and target.
// Empty, with a problem, if nothing says which item is meant.
std::vector<Pair> ReferencePairs(const Model& model, const EntityModel& referring,
                                 const AttributeModel& attribute, const EntityModel& target,
                                 RelationPlan* plan) {
  const std::string id = IdOf(target);
  if (id.empty()) {
    plan->problem = target.name + " has no id, so " + attribute.name + " does not name one.";
    plan->fix = "Give " + target.name + " an id: {attribute: …}.";
    return {};
  }
  std::vector<Pair> pairs;
  const std::vector<TemplatePart> identity = IdentityOf(target);
  const auto in_key = std::ranges::find(identity, id, &TemplatePart::attribute);
  pairs.push_back({attribute.name, id, in_key == identity.end() ? WholeValue(id) : *in_key});
  for (const TemplatePart& part : identity) {
    if (part.attribute == id || !CanName(referring, part.attribute)) continue;
    pairs.push_back({part.attribute, part.attribute, part});
  }
  AddTenant(model, referring, target, &pairs);
  return pairs;
}

}  // namespace

RelationPlan PlanChildren(const Model& model, const EntityModel& parent, const EntityModel& child) {
  RelationPlan plan;
  std::vector<Pair> pairs;
  const std::string id = IdOf(parent);
  for (const TemplatePart& part : IdentityOf(parent)) {
    std::string own = part.attribute;
    if (part.attribute == id && child.parent == parent.name) {
      const auto refers =
          std::ranges::find(child.attributes, parent.name, &AttributeModel::references);
      if (refers != child.attributes.end()) own = refers->name;
    }
    if (!CanName(child, own)) {
      plan.problem = child.name + " does not say which " + parent.name +
                     " it belongs to: the key of " + parent.name + " is made of " + part.attribute +
                     ", and " + child.name +
                     (FindAttribute(child, own) == nullptr ? " has no attribute of that name."
                                                           : " has its own " + own + ".");
      plan.fix = "Give " + child.name + " all attributes of the key of " + parent.name + ".";
      return plan;
    }
    pairs.push_back({part.attribute, std::move(own), part});
  }
  AddTenant(model, parent, child, &pairs);
  const std::string names = Listed(pairs);
  plan.relation = Narrowest(model, parent, child, std::move(pairs));
  if (!plan.relation) {
    plan.problem = "No key finds each " + child.name + " of one " + parent.name + ".";
    plan.fix = "Make a partition key of " + child.name + " of some of " + names +
               ", without when and with a sort key that every item has.";
  }
  return plan;
}

RelationPlan PlanReference(const Model& model, const EntityModel& referring,
                           const AttributeModel& attribute) {
  RelationPlan plan;
  const EntityModel* target = model.FindEntity(attribute.references);
  if (target == nullptr) return plan;
  std::vector<Pair> pairs = ReferencePairs(model, referring, attribute, *target, &plan);
  if (pairs.empty()) return plan;
  plan.relation = Narrowest(model, referring, *target, std::move(pairs));
  if (!plan.relation) {
    plan.problem = "No key finds the " + target->name + " that " + attribute.name + " names.";
    plan.fix = "Give " + target->name + " a key whose partition is made of " + IdOf(*target) +
               ", or give " + referring.name + " the other attributes of its key.";
  }
  return plan;
}

RelationPlan PlanReferring(const Model& model, const EntityModel& referring,
                           const AttributeModel& attribute) {
  RelationPlan plan;
  const EntityModel* target = model.FindEntity(attribute.references);
  if (target == nullptr) return plan;
  std::vector<Pair> pairs = ReferencePairs(model, referring, attribute, *target, &plan);
  if (pairs.empty()) return plan;
  for (Pair& pair : pairs) std::swap(pair.from, pair.to);
  plan.relation = Narrowest(model, *target, referring, std::move(pairs));
  if (!plan.relation) {
    plan.problem = "No key finds each " + referring.name + " of one " + attribute.name + ".";
    plan.fix = "Give " + referring.name + " keys in an index whose hash is made of " +
               attribute.name + " and whose sort key every item has.";
  }
  return plan;
}

}  // namespace monotable::model
