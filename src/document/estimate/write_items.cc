#include "document/estimate/write_items.h"

#include <algorithm>
#include <utility>

#include "document/estimate/item_sizes.h"

namespace monotable::document {
namespace {

using Did = WriteItem::Action;

// Stands for the attribute of a reference; no attribute has this name.
constexpr std::string_view kFollower = "(copies)";

std::string FirstSegment(std::string_view path) {
  return std::string(path.substr(0, path.find('.')));
}

bool NamesAny(const std::vector<std::string>& paths, const std::set<std::string>& attributes) {
  return std::any_of(paths.begin(), paths.end(), [&](const std::string& path) {
    return attributes.contains(FirstSegment(path));
  });
}

// What sums of a root are made of: the member's attributes, by the sum.
struct SumOf {
  const model::AttributeModel* sum;
  std::string attribute;  // empty if the members are counted
};

std::vector<SumOf> SumsOf(const model::Model& model, const model::EntityModel& root,
                          const model::EntityModel& member) {
  std::vector<SumOf> sums;
  for (const model::CollectionModel& collection : model.collections) {
    if (collection.root != root.name) continue;
    for (const auto& named : collection.members) {
      if (named.entity != member.name) continue;
      for (const model::AttributeModel& attribute : root.attributes) {
        if (!attribute.derive) continue;
        for (const std::string& path : attribute.derive->aggregates()) {
          const size_t dot = path.find('.');
          if (path.substr(0, dot) != named.name) continue;
          sums.push_back(
              {&attribute, dot == std::string::npos ? "" : FirstSegment(path.substr(dot + 1))});
        }
      }
    }
  }
  return sums;
}

// The attributes that change, with stamps, copies and derived values that follow from them.
std::set<std::string> WithWhatFollows(const model::EntityModel& entity,
                                      std::set<std::string> changed) {
  for (const model::AttributeModel& attribute : entity.attributes) {
    const bool stamped =
        attribute.set == model::SetBy::kOnWrite || attribute.set == model::SetBy::kCallerOnWrite;
    if (stamped) changed.insert(attribute.name);
  }
  for (const model::CopyModel& copy : entity.copies) {
    if (copy.live && changed.contains(copy.via)) changed.insert(copy.attribute);
  }
  for (size_t before = 0; before != changed.size();) {
    before = changed.size();
    for (const model::AttributeModel& attribute : entity.attributes) {
      if (!attribute.derive) continue;
      if (NamesAny(attribute.derive->paths(), changed)) changed.insert(attribute.name);
    }
  }
  return changed;
}

bool IsKeyOf(const model::EntityModel& entity, const std::string& attribute) {
  return UsesAny(entity.primary(), {attribute});
}

}  // namespace

bool UsesAny(const model::KeyModel& key, const std::set<std::string>& attributes) {
  return std::any_of(key.parts.begin(), key.parts.end(), [&](const model::KeyModel::Part& part) {
    return NamesAny(part.text.attributes(), attributes);
  });
}

std::set<std::string> SummedUp(const model::Model& model, const model::EntityModel& entity) {
  std::set<std::string> attributes;
  const model::EntityModel* parent = model.FindEntity(entity.parent);
  if (parent == nullptr) return attributes;
  for (const SumOf& sum : SumsOf(model, *parent, entity)) {
    if (!sum.attribute.empty()) attributes.insert(sum.attribute);
  }
  return attributes;
}

WriteItem* WriteItems::Find(const model::EntityModel& entity, std::string_view via) {
  for (WriteItem& item : items_) {
    if (item.entity == &entity && !item.marker && item.via == via) return &item;
  }
  return nullptr;
}

WriteItem* WriteItems::Add(const model::EntityModel& entity, Did action, double count) {
  items_.push_back({&entity, false, action, {}, count, ""});
  return &items_.back();
}

void WriteItems::Check(const model::EntityModel& entity) {
  if (FindStep(entity) == nullptr) Add(entity, Did::kCheck, 1);
}

WriteItem* WriteItems::FindStep(const model::EntityModel& entity) {
  if (WriteItem* known = Find(entity, "")) return known;
  WriteItem* referred = entity.id ? Find(entity, entity.id->attribute) : nullptr;
  if (referred != nullptr) referred->via.clear();
  return referred;
}

// References to items that must exist. Without `changed`, all of them are new.
void WriteItems::AddReferences(const model::EntityModel& entity,
                               const std::set<std::string>* changed, double count) {
  const model::EntityModel* parent = model_.FindEntity(entity.parent);
  for (const model::AttributeModel& attribute : entity.attributes) {
    const model::EntityModel* target = model_.FindEntity(attribute.references);
    if (target == nullptr || (changed != nullptr && !changed->contains(attribute.name))) continue;
    // The parent and the items of earlier steps have their ids under the same name.
    const bool same_name = target->id && target->id->attribute == attribute.name;
    if (same_name && Find(*target, "") != nullptr) continue;
    if (Find(*target, attribute.name) != nullptr) continue;
    // All items of one request have the tenant and the parent in common.
    const bool shared = (parent != nullptr && IsKeyOf(*parent, attribute.name)) ||
                        (model_.tenancy && model_.tenancy->attribute == attribute.name);
    Add(*target, Did::kCheck, shared ? 1 : count)->via = attribute.name;
  }
}

// Items that a rule of this one looks at: Buyer in Buyer.Status == ACTIVE.
void WriteItems::AddRelated(const model::EntityModel& entity, bool is_new, double count) {
  std::vector<std::string> paths;
  for (const model::AssertModel& rule : entity.rules) {
    if (rule.on_create_only && !is_new) continue;
    paths.insert(paths.end(), rule.assertion.paths().begin(), rule.assertion.paths().end());
  }
  for (const model::AttributeModel& attribute : entity.attributes) {
    if (attribute.derive) {
      const auto& used = attribute.derive->paths();
      paths.insert(paths.end(), used.begin(), used.end());
    }
    if (is_new && !attribute.default_from.empty()) paths.push_back(attribute.default_from);
  }
  for (const std::string& path : paths) {
    if (path.find('.') == std::string::npos || entity.Find(FirstSegment(path)) != nullptr) continue;
    const model::EntityModel* target = model_.FindEntity(FirstSegment(path));
    if (target == nullptr) continue;
    if (target->name == entity.parent) {
      Check(*target);
      continue;
    }
    for (const model::AttributeModel& attribute : entity.attributes) {
      if (attribute.references != target->name) continue;
      const bool same_name = target->id && target->id->attribute == attribute.name;
      const bool known =
          Find(*target, attribute.name) != nullptr || (same_name && Find(*target, "") != nullptr);
      if (!known) Add(*target, Did::kCheck, count)->via = attribute.name;
      break;
    }
  }
}

// A value that stays is checked, because the item may have been written past the rules. A value
// that changes leaves one marker and takes another.
void WriteItems::AddMarkers(const model::EntityModel& entity, Did action,
                            const std::set<std::string>& changed, double count) {
  for (const model::UniqueModel& unique : entity.unique) {
    bool changes = std::any_of(unique.scope.begin(), unique.scope.end(),
                               [&](const std::string& name) { return changed.contains(name); });
    for (const model::Template& field : unique.fields) {
      changes = changes || NamesAny(field.attributes(), changed);
    }
    const Did of_marker = action == Did::kChange && changes ? Did::kMove
                          : action == Did::kMove            ? Did::kPut
                                                            : action;
    items_.push_back(
        {&entity, true, changes && action == Did::kMove ? Did::kMove : of_marker, {}, count, ""});
  }
}

void WriteItems::AddFollowers(const model::EntityModel& source,
                              const std::set<std::string>& changed, double count) {
  for (const model::EntityModel& entity : model_.entities) {
    std::set<std::string> copied;
    for (const model::CopyModel& copy : entity.copies) {
      if (copy.live && copy.source_entity == source.name &&
          changed.contains(FirstSegment(copy.source_attribute))) {
        copied.insert(copy.attribute);
      }
    }
    if (copied.empty()) continue;
    const double each = followers_ > 0 ? followers_ : FollowersPer(model_, entity, source);
    if (Find(entity, "") == nullptr) {
      Update(entity, std::move(copied), count * each);
    } else if (Find(entity, kFollower) == nullptr) {
      // Other items of an entity that the write names already, such as those with the same source.
      WriteItem* follower = Add(entity, Did::kChange, count * each);
      follower->changed = WithWhatFollows(entity, std::move(copied));
      follower->via = kFollower;
    }
  }
}

// A child that comes to a parent names the parent, so that a delete of the parent sees the child.
void WriteItems::AddParent(const model::EntityModel& entity) {
  if (const model::EntityModel* parent = model_.FindEntity(entity.parent)) Check(*parent);
}

void WriteItems::FollowInParent(const model::EntityModel& entity,
                                const std::set<std::string>* changed) {
  const model::EntityModel* parent = model_.FindEntity(entity.parent);
  if (parent == nullptr) return;
  const std::vector<SumOf> sums = SumsOf(model_, *parent, entity);
  if (sums.empty()) return;
  std::set<std::string> followed;
  for (const SumOf& sum : sums) {
    const bool differs = changed == nullptr || changed->contains(sum.attribute);
    if (differs) followed.insert(sum.sum->name);
  }
  if (followed.empty()) {
    Check(*parent);
  } else {
    Update(*parent, std::move(followed), 1);
  }
}

void WriteItems::Create(const model::EntityModel& entity, double count) {
  // A child of an earlier step may have named the item as its parent.
  WriteItem* known = FindStep(entity);
  if (known != nullptr && known->action == Did::kCheck && count == 1) {
    known->action = Did::kPut;
  } else {
    Add(entity, Did::kPut, count);
  }
  if (entity.id && entity.id->generate == model::IdModel::Generate::kCounter) counted_ += count;
  AddParent(entity);
  AddReferences(entity, nullptr, count);
  AddRelated(entity, true, count);
  FollowInParent(entity, nullptr);
  AddMarkers(entity, Did::kPut, {}, count);
}

void WriteItems::Update(const model::EntityModel& entity, std::set<std::string> changed,
                        double count) {
  changed = WithWhatFollows(entity, std::move(changed));
  // An item that an earlier step or rule has named is still one item.
  WriteItem* known = FindStep(entity);
  if (known != nullptr && known->action != Did::kCheck) {
    const bool more = !std::includes(known->changed.begin(), known->changed.end(), changed.begin(),
                                     changed.end());
    if (known->action != Did::kChange || !more) return;
    known->changed.insert(changed.begin(), changed.end());
    return;
  }
  const bool moves = UsesAny(entity.primary(), changed);
  const Did action = moves ? Did::kMove : Did::kChange;
  if (known == nullptr) known = Add(entity, action, count);
  known->action = action;
  known->changed = changed;
  if (moves) AddParent(entity);
  AddReferences(entity, &changed, count);
  AddRelated(entity, false, count);
  AddFollowers(entity, changed, count);
  if (moves) {
    FollowInParent(entity, nullptr);
  } else {
    FollowInParent(entity, &changed);
  }
  AddMarkers(entity, action, changed, count);
}

void WriteItems::Delete(const model::EntityModel& entity, double count, bool cascade) {
  WriteItem* known = FindStep(entity);
  if (known == nullptr) known = Add(entity, Did::kDelete, count);
  known->action = Did::kDelete;
  AddMarkers(entity, Did::kDelete, {}, count);
  if (cascade && entity.cascade_collection) {
    for (const model::EntityModel& child : model_.entities) {
      if (child.parent != entity.name) continue;
      const double each =
          child.cardinality == model::Cardinality::kOne ? 1 : ItemsPer(model_, child, entity);
      Delete(child, count * each, cascade);
    }
  }
  const WriteItem* parent = nullptr;
  if (const model::EntityModel* above = model_.FindEntity(entity.parent)) parent = Find(*above, "");
  if (parent == nullptr || parent->action != Did::kDelete) FollowInParent(entity, nullptr);
}

}  // namespace monotable::document
