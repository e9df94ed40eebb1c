#include <algorithm>

#include <fmt/format.h>

#include "random_models/reference.h"

// The rules of a write: what follows from its changes, and what may not be. Every rule looks at the
// items as the whole write leaves them.
namespace monotable::random_models {
namespace {

bool AreEqual(const Value* one, const Value* other) {
  if (one == nullptr || other == nullptr) return one == other;
  return *one == *other;
}

const Value* In(const Item* item, std::string_view name) {
  return item == nullptr ? nullptr : Find(item->attributes, name);
}

void Assign(const std::string& name, const Value* value, Attributes* attributes) {
  if (value == nullptr) {
    attributes->erase(name);
  } else {
    (*attributes)[name] = *value;
  }
}

// The text of a value within the name of a marker.
std::string Escaped(const Value& value) {
  std::string text;
  for (const char c : TextOf(value)) {
    if (c == '#') {
      text += "%23";
    } else if (c == '%') {
      text += "%25";
    } else {
      text += c;
    }
  }
  return text;
}

}  // namespace

bool Draft::IsExpired(const Item& item) const {
  const EntityDesign& entity = *design_.Find(item.entity);
  if (!entity.ttl || !entity.ttl->hides) return false;
  const Value* state = Find(item.attributes, "state");
  if (!entity.ttl->in_state.empty() &&
      (state == nullptr || *state != Value(entity.ttl->in_state))) {
    return false;
  }
  const Value* base = Find(item.attributes, entity.ttl->base);
  return base != nullptr && now_ > *InstantSeconds(TextOf(*base)) + entity.ttl->seconds;
}

bool Draft::IsFrozen(const Item& item, const CopyDesign& copy) const {
  if (copy.frozen_in.empty()) return false;
  const Value* state = Find(item.attributes, "state");
  return state != nullptr && *state == Value(copy.frozen_in);
}

// A reference is the id of its target. The rest of the target's key, and its tenant, are what the
// referring item calls by the same name.
bool Draft::RefersTo(const Item& item, const AttributeDesign& attribute, const Item& target) const {
  const EntityDesign& to = *design_.Find(attribute.ref);
  const Value* id = Find(item.attributes, attribute.name);
  if (target.entity != to.name || id == nullptr) return false;
  std::vector<std::string> names = to.KeyAttributes();
  if (design_.has_tenants) names.emplace_back(kTenant);
  return std::all_of(names.begin(), names.end(), [&](const std::string& name) {
    const Value* own = name == to.id ? id : Find(item.attributes, name);
    return own != nullptr && AreEqual(own, Find(target.attributes, name));
  });
}

const Item* Draft::Referenced(const Item& item, const AttributeDesign& attribute) const {
  for (const auto& [key, target] : after_) {
    if (RefersTo(item, attribute, target)) return &target;
  }
  return nullptr;
}

bool Draft::RefersAnew(const Item* old, const Item& item, const AttributeDesign& attribute) const {
  if (!AreEqual(In(old, attribute.name), Find(item.attributes, attribute.name))) return true;
  const EntityDesign& to = *design_.Find(attribute.ref);
  const std::vector<std::string> names = to.KeyAttributes();
  return std::any_of(names.begin(), names.end(), [&](const std::string& name) {
    return name != to.id && !AreEqual(In(old, name), Find(item.attributes, name));
  });
}

// A child has the whole key of its parent in its own attributes, and is of the same tenant.
bool Draft::IsChildOf(const Item& child, const Item& parent) const {
  if (design_.Find(child.entity)->parent != parent.entity) return false;
  std::vector<std::string> names = design_.Find(parent.entity)->KeyAttributes();
  if (design_.has_tenants) names.emplace_back(kTenant);
  return std::all_of(names.begin(), names.end(), [&](const std::string& name) {
    return AreEqual(Find(child.attributes, name), Find(parent.attributes, name));
  });
}

std::optional<Key> Draft::ParentOf(const State& state, const Item& child) const {
  for (const auto& [key, item] : state) {
    if (IsChildOf(child, item)) return key;
  }
  return std::nullopt;
}

// cascade: collection. The children of a deleted item are deleted with it if the request says so
// and the model allows it, and so on below.
void Draft::CascadeDeletes() {
  for (bool more = true; std::exchange(more, false);) {
    for (const Key& key : std::set<Key>(cascading_)) {
      const Item* item = Before(key);
      if (item == nullptr || !design_.Find(item->entity)->cascades) continue;
      for (const auto& [child_key, child] : State(after_)) {
        // A child that this write makes has lost its parent.
        if (!IsChildOf(child, *item) || Before(child_key) == nullptr) continue;
        Remove(child_key, true);
        more = true;
      }
    }
  }
}

// An item is not deleted while it has children, or while others refer to it and restrict_if says
// so.
void Draft::RestrictDeletes() {
  std::set<Key> moved_away;
  for (const auto& [to, from] : moved_from_) moved_away.insert(from);
  for (const Key& key : touched_) {
    const Item* item = Before(key);
    if (item == nullptr || Now(key) != nullptr || moved_away.contains(key)) continue;
    const EntityDesign& entity = *design_.Find(item->entity);
    for (const auto& [other_key, other] : after_) {
      if (IsChildOf(other, *item)) Refuse("restricted");
    }
    // The pattern sees the table as it was before the write.
    for (const auto& [other_key, other] : before_) {
      if (other.entity != entity.restricted_by) continue;
      for (const AttributeDesign& attribute : design_.Find(other.entity)->attributes) {
        if (attribute.name == entity.id && attribute.ref == entity.name &&
            RefersTo(other, attribute, *item)) {
          Refuse("restricted");
        }
      }
    }
  }
}

// on_key_change: move. The children of a parent go where the parent goes.
void Draft::MoveChildren() {
  std::vector<std::pair<Key, Key>> moves(moved_from_.begin(), moved_from_.end());
  for (size_t i = 0; i < moves.size(); ++i) {
    const auto [to, from] = moves[i];
    const Item* old = Old(to);
    const Item* parent = Now(to);
    if (old == nullptr || parent == nullptr) continue;
    for (const auto& [child_key, child] : State(after_)) {
      // A child that this write makes has lost its parent.
      if (!IsChildOf(child, *old) || Before(child_key) == nullptr) continue;
      Attributes attributes = child.attributes;
      for (const std::string& name : design_.Find(parent->entity)->KeyAttributes()) {
        attributes[name] = after_.at(to).attributes.at(name);
      }
      const Key place = Reference::KeyOf(*design_.Find(child.entity), attributes).second;
      if (Now(place) != nullptr) return Refuse("already_exists");
      after_[place] = {child.entity, std::move(attributes), child.version};
      after_.erase(child_key);
      moved_from_[place] = child_key;
      touched_.insert(child_key);
      touched_.insert(place);
      moves.emplace_back(place, child_key);
    }
  }
}

// A child that is new, or that comes to another parent, needs that parent.
void Draft::CheckParents() {
  for (const Key& key : touched_) {
    const Item* item = Now(key);
    if (item == nullptr || design_.Find(item->entity)->parent.empty()) continue;
    const Item* old = Old(key);
    if (old != nullptr && !moved_from_.contains(key) &&
        AreEqual(In(old, kTenant), Find(item->attributes, kTenant))) {
      continue;
    }
    if (!ParentOf(after_, *item)) Refuse("missing_reference");
  }
}

// cardinality: one.
void Draft::CheckOnlyOnes() {
  for (const Key& key : touched_) {
    const Item* item = Now(key);
    if (item == nullptr || !design_.Find(item->entity)->only_one) continue;
    const auto parent = ParentOf(after_, *item);
    if (!parent) continue;
    for (const auto& [other_key, other] : after_) {
      if (other_key == key || other.entity != item->entity) continue;
      if (IsChildOf(other, after_.at(*parent))) Refuse("already_exists");
    }
  }
}

// A reference that is set or changed must lead to an item.
void Draft::CheckReferences() {
  for (const Key& key : touched_) {
    const Item* item = Now(key);
    if (item == nullptr) continue;
    for (const AttributeDesign& attribute : design_.Find(item->entity)->attributes) {
      if (attribute.ref.empty() || Find(item->attributes, attribute.name) == nullptr) continue;
      if (!RefersAnew(Old(key), *item, attribute)) continue;
      if (Referenced(*item, attribute) == nullptr) Refuse("missing_reference");
    }
  }
}

// An item takes its copies when it is new, when it refers to another source and when it moves. A
// frozen copy stays.
void Draft::TakeCopies() {
  for (const Key& key : touched_) {
    if (Now(key) == nullptr) continue;
    Item& item = after_.at(key);
    const Item* old = Old(key);
    const EntityDesign& entity = *design_.Find(item.entity);
    for (const CopyDesign& copy : entity.copies) {
      const AttributeDesign& via = *entity.Find(copy.via);
      const bool anew = old == nullptr || RefersAnew(old, item, via);
      const bool given = raw_.contains(key) && Find(item.attributes, copy.attribute) != nullptr;
      if (old == nullptr) {
        if (given) continue;
      } else if (!copy.live || (!anew && !moved_from_.contains(key)) || IsFrozen(item, copy)) {
        continue;
      }
      const Item* source = Referenced(item, via);
      if (source == nullptr && !anew) continue;
      Assign(copy.attribute, In(source, copy.source_attribute), &item.attributes);
    }
  }
}

// A change of a source reaches every live copy that is not frozen. Returns whether one changed.
bool Draft::FanOutCopies() {
  bool changed = false;
  for (const Key& source_key : std::set<Key>(touched_)) {
    if (Now(source_key) == nullptr || Old(source_key) == nullptr) continue;
    const Item source = *Now(source_key);
    for (auto& [key, item] : after_) {
      const EntityDesign& entity = *design_.Find(item.entity);
      for (const CopyDesign& copy : entity.copies) {
        if (!copy.live || copy.source != source.entity || IsFrozen(item, copy)) continue;
        if (!RefersTo(item, *entity.Find(copy.via), source)) continue;
        const Value* value = Find(source.attributes, copy.source_attribute);
        if (!moved_from_.contains(source_key) &&
            AreEqual(value, In(Old(source_key), copy.source_attribute))) {
          continue;
        }
        if (AreEqual(value, Find(item.attributes, copy.attribute))) continue;
        Assign(copy.attribute, value, &item.attributes);
        touched_.insert(key);
        changed = true;
      }
    }
  }
  return changed;
}

bool Draft::IsSummedUp(const EntityDesign& parent, const EntityDesign& child) const {
  return std::any_of(parent.attributes.begin(), parent.attributes.end(), [&](const auto& one) {
    if (!one.derive) return false;
    const Formula& formula = *one.derive;
    if (formula.kind != Formula::Kind::kSum && formula.kind != Formula::Kind::kCount) return false;
    return design_.FindMember(parent.name, formula.first)->entity == child.name;
  });
}

// A write of a child is a write of the parent that sums it up.
void Draft::TouchParents() {
  for (bool more = true; std::exchange(more, false);) {
    for (const Key& key : std::set<Key>(touched_)) {
      for (const Item* item : {Now(key), Before(key)}) {
        if (item == nullptr) continue;
        const EntityDesign& entity = *design_.Find(item->entity);
        if (entity.parent.empty() || !IsSummedUp(*design_.Find(entity.parent), entity)) continue;
        const auto parent = ParentOf(after_, *item);
        if (parent && touched_.insert(*parent).second) more = true;
      }
    }
  }
}

std::optional<Value> Draft::Evaluate(const Item& item, const Formula& formula) const {
  const EntityDesign& entity = *design_.Find(item.entity);
  if (formula.kind == Formula::Kind::kAdd) {
    const Value* first = Find(item.attributes, formula.first);
    const Value* second = Find(item.attributes, formula.second);
    if (first == nullptr || second == nullptr) return std::nullopt;
    return std::get<int64_t>(*first) + std::get<int64_t>(*second);
  }
  if (formula.kind == Formula::Kind::kRelated) {
    const Item* other = nullptr;
    for (const AttributeDesign& attribute : entity.attributes) {
      if (attribute.ref != formula.first) continue;
      other = Referenced(item, attribute);
      break;  // the first attribute that refers to the entity counts
    }
    if (entity.parent == formula.first) {
      const auto parent = ParentOf(after_, item);
      if (parent) other = Now(*parent);
    }
    const Value* value = In(other, formula.second);
    return value == nullptr ? std::nullopt : std::optional(*value);
  }
  int64_t sum = 0;
  int64_t count = 0;
  const MemberDesign& member = *design_.FindMember(entity.name, formula.first);
  for (const auto& [key, child] : after_) {
    if (child.entity != member.entity || !IsChildOf(child, item)) continue;
    ++count;
    const Value* value = Find(child.attributes, formula.second);
    if (value != nullptr) sum += std::get<int64_t>(*value);
  }
  return formula.kind == Formula::Kind::kCount ? count : sum;
}

// Derived values of what is written. Returns whether one changed.
bool Draft::DeriveAll() {
  bool changed = false;
  for (const Key& key : touched_) {
    if (Now(key) == nullptr) continue;
    Item& item = after_.at(key);
    for (const AttributeDesign& attribute : design_.Find(item.entity)->attributes) {
      if (!attribute.derive) continue;
      const auto value = Evaluate(item, *attribute.derive);
      const Value* made = value ? &*value : nullptr;
      if (AreEqual(made, Find(item.attributes, attribute.name))) continue;
      Assign(attribute.name, made, &item.attributes);
      changed = true;
    }
  }
  return changed;
}

void Draft::CheckFields(const EntityDesign& entity, const Item& item) {
  for (const AttributeDesign& attribute : entity.attributes) {
    const Value* value = Find(item.attributes, attribute.name);
    if (value == nullptr) {
      if (attribute.required) Refuse("invalid");
      continue;
    }
    const auto* number = std::get_if<int64_t>(value);
    if ((attribute.kind == Kind::kInteger) != (number != nullptr)) return Refuse("invalid");
    if (number != nullptr && attribute.max && *number > *attribute.max) Refuse("invalid");
    if (attribute.kind == Kind::kInstant && !InstantSeconds(TextOf(*value))) Refuse("invalid");
    if (attribute.kind == Kind::kState && !design_.transitions.contains(TextOf(*value))) {
      Refuse("invalid");
    }
  }
}

void Draft::CheckTransitions(const Item& old, const Item& item) {
  for (const AttributeDesign& attribute : design_.Find(item.entity)->attributes) {
    if (attribute.kind != Kind::kState) continue;
    const Value* from = Find(old.attributes, attribute.name);
    const Value* to = Find(item.attributes, attribute.name);
    if (from == nullptr || to == nullptr || *from == *to) continue;
    const auto allowed = design_.transitions.find(TextOf(*from));
    if (allowed == design_.transitions.end() ||
        std::find(allowed->second.begin(), allowed->second.end(), TextOf(*to)) ==
            allowed->second.end()) {
      Refuse("illegal_transition");
    }
  }
}

void Draft::CheckAsserts(const EntityDesign& entity, const Item& item) {
  for (const AssertDesign& rule : entity.asserts) {
    const Value* first = Find(item.attributes, rule.first);
    const Value* second = Find(item.attributes, rule.second);
    if (first == nullptr || second == nullptr) continue;
    if (std::get<int64_t>(*first) > std::get<int64_t>(*second)) Refuse("rule_failed");
  }
}

// Versions and stamps of what has changed, and the checks of what is written.
void Draft::Conclude() {
  for (const Key& key : touched_) {
    if (Now(key) == nullptr) continue;
    Item& item = after_.at(key);
    const Item* old = Old(key);
    const bool raw = raw_.contains(key);
    const bool same =
        old != nullptr && !moved_from_.contains(key) && old->attributes == item.attributes;
    if (same && !raw) {
      item.version = old->version;  // it may have been deleted and made again
      continue;
    }
    const EntityDesign& entity = *design_.Find(item.entity);
    StampItem(entity, old, raw, &item.attributes);
    if (design_.has_version) ++item.version;
    CheckFields(entity, item);
    if (old != nullptr) CheckTransitions(*old, item);
    CheckAsserts(entity, item);
  }
}

const Value* Draft::UniqueValue(const Item& item, const UniqueDesign& unique,
                                std::vector<Value>* scope) {
  for (const std::string& name : unique.scope) {
    const Value* value = Find(item.attributes, name);
    if (value == nullptr) return nullptr;
    scope->push_back(*value);
  }
  return Find(item.attributes, unique.attribute);
}

// No two items of an entity have the same value, unless one of them has expired.
void Draft::CheckUnique() {
  for (const Key& key : touched_) {
    const Item* item = Now(key);
    if (item == nullptr) continue;
    for (const UniqueDesign& unique : design_.Find(item->entity)->unique) {
      std::vector<Value> scope;
      const Value* value = UniqueValue(*item, unique, &scope);
      if (value == nullptr) continue;
      if (TextOf(*value).empty()) Refuse("invalid");
      for (const auto& [other_key, other] : after_) {
        if (other_key == key || other.entity != item->entity || IsExpired(other)) continue;
        std::vector<Value> other_scope;
        const Value* taken = UniqueValue(other, unique, &other_scope);
        if (taken != nullptr && *taken == *value && other_scope == scope) Refuse("not_unique");
      }
    }
  }
}

void Draft::Settle() {
  // What a change could not do would only lead to more refusals.
  CascadeDeletes();
  RestrictDeletes();
  MoveChildren();
  CheckParents();
  CheckOnlyOnes();
  CheckReferences();
  for (const auto& [key, item] : after_) {
    if (touched_.contains(key)) CheckFields(*design_.Find(item.entity), item);
  }
  TakeCopies();
  constexpr int kMostRounds = 100;  // a circle of copies would go on for ever
  for (int i = 0; i < kMostRounds; ++i) {
    TouchParents();
    // Copies follow what the derived values become in the end.
    while (DeriveAll()) {
    }
    if (!FanOutCopies()) break;
  }
  Conclude();
  CheckUnique();
}

std::vector<std::string> Draft::Audit(bool with_copies) const {
  std::vector<std::string> broken;
  for (const auto& [key, item] : after_) {
    const EntityDesign& entity = *design_.Find(item.entity);
    const std::string name = entity.name + " " + TextOf(key);
    if (!entity.parent.empty() && !ParentOf(after_, item))
      broken.push_back(name + " has no parent");
    for (const AttributeDesign& attribute : entity.attributes) {
      if (!attribute.derive || attribute.derive->kind == Formula::Kind::kRelated) continue;
      const auto value = Evaluate(item, *attribute.derive);
      if (AreEqual(value ? &*value : nullptr, Find(item.attributes, attribute.name))) continue;
      broken.push_back(fmt::format("{}: {} should be {}", name, attribute.name,
                                   value ? TextOf(*value) : "missing"));
    }
    for (const CopyDesign& copy : entity.copies) {
      if (!with_copies || !copy.live || !copy.frozen_in.empty()) continue;
      const Item* source = Referenced(item, *entity.Find(copy.via));
      if (source == nullptr) continue;
      const Value* value = Find(source->attributes, copy.source_attribute);
      if (AreEqual(value, Find(item.attributes, copy.attribute))) continue;
      broken.push_back(fmt::format("{}: the copy {} should be {}", name, copy.attribute,
                                   value != nullptr ? TextOf(*value) : "missing"));
    }
    for (const auto& [other_key, other] : after_) {
      if (!(key < other_key) || other.entity != item.entity) continue;
      if (entity.only_one && ParentOf(after_, item) &&
          ParentOf(after_, item) == ParentOf(after_, other)) {
        broken.push_back(name + " is not the only child of its parent");
      }
      for (const UniqueDesign& unique : entity.unique) {
        std::vector<Value> scope;
        std::vector<Value> other_scope;
        const Value* value = UniqueValue(item, unique, &scope);
        if (value != nullptr && AreEqual(value, UniqueValue(other, unique, &other_scope)) &&
            scope == other_scope) {
          broken.push_back(
              fmt::format("{} has the same {} as {}", name, unique.name, TextOf(other_key)));
        }
      }
    }
  }
  return broken;
}

std::vector<std::string> Reference::Audit(bool with_copies) const {
  return Draft(design_, state_, 0, "", std::nullopt).Audit(with_copies);
}

std::map<Key, Stored> Reference::Table() const {
  std::map<Key, Stored> table;
  for (const auto& [key, item] : state_) {
    table[key] = StoredOf(item);
    for (const UniqueDesign& unique : design_.Find(item.entity)->unique) {
      const Value* value = Find(item.attributes, unique.attribute);
      std::string name = "MONOTABLE#UNIQUE#" + unique.name;
      bool is_whole = value != nullptr;
      for (const std::string& scope : unique.scope) {
        const Value* part = Find(item.attributes, scope);
        is_whole = is_whole && part != nullptr;
        if (is_whole) name += "#" + Escaped(*part);
      }
      if (!is_whole) continue;
      name += "#" + Escaped(*value);
      table[{name, "MONOTABLE#"}] = {
          {"PK", name}, {"SK", "MONOTABLE#"}, {"owner.PK", key.hash}, {"owner.SK", key.range}};
    }
  }
  return table;
}

}  // namespace monotable::random_models
