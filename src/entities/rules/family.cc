#include "entities/rules/family.h"

#include <utility>

#include <fmt/format.h>

#include "encoding/keyspace.h"
#include "entities/problem.h"
#include "entities/read/find_entities.h"
#include "entities/read/pattern_reader.h"
#include "entities/rules/keys.h"
#include "entities/rules/relations.h"
#include "entities/rules/rulebook.h"

namespace monotable::entities {
namespace {

using Mode = KeyLocks::Mode;

// The most children, and children of children, that follow one write to other keys.
constexpr size_t kMaxTakenAlong = 1000;

// Parents and children: a child needs its parent, a parent with cardinality: one has one child, and
// a parent is not deleted without its children.
//
// Reads and locks: a child that comes loads its parent (shared; exclusive if the parent sums the
// child up), so that a delete of the parent sees the child. A second child of cardinality: one may
// have another key, so the rule reads the range of children and locks its name. A delete reads the
// ranges of all children, and so does a change of the parent's key. Changes: with a cascade,
// children are deleted; with the key of their parent, children get another key. Refuses:
// kMissingReference, kAlreadyExists, kRestricted, and kKeyChange for a parent with too many
// children.
class FamilyRule final : public WriteRule {
 public:
  explicit FamilyRule(const Entity& entity)
      : parent_(entity.relations->parent), children_(entity.relations->children) {
    is_only_one_ = parent_ != nullptr && entity.model->cardinality == model::Cardinality::kOne;
    for (const RelationPtr& root : entity.relations->roots) {
      if (&root->from() == entity.parent) is_summed_up_ = true;
    }
    if (!entity.model->restrict_delete_if.empty()) {
      restriction_ = entity.application->model().FindPattern(entity.model->restrict_delete_if);
    }
  }

  std::vector<Phase> phases() const override {
    std::vector<Phase> phases;
    if (parent_ != nullptr || !children_.empty()) phases.push_back(Phase::kRelate);
    if (!children_.empty() || restriction_ != nullptr) phases.push_back(Phase::kRemove);
    if (parent_ != nullptr) phases.push_back(Phase::kRetake);
    return phases;
  }

  Status Apply(Phase phase, Plan* plan, Slot* slot) const override {
    if (phase == Phase::kRelate) {
      if (parent_ != nullptr && ComesToParent(*slot)) {
        TRY(CheckParent(plan, *slot));
        if (is_only_one_) TRY(CheckOnlyOne(plan, *slot));
      }
      for (const RelationPtr& child : children_) TRY(TakeAlong(plan, *slot, *child));
      return {};
    }
    // Another change of this write may have moved the parent away after the child came to it.
    if (phase == Phase::kRetake) {
      return ComesToParent(*slot) ? CheckParent(plan, *slot) : Status();
    }
    if (!slot->before) return {};
    if (plan->expires && !slot->entity->model->cascade_collection) return {};
    if (restriction_ != nullptr && !plan->expires) TRY(CheckRestriction(plan, *slot));
    for (const RelationPtr& child : children_) TRY(RemoveChildren(plan, *slot, *child));
    return {};
  }

 private:
  // An item comes to a parent as a new item, by a move, or by naming another parent.
  bool ComesToParent(const Slot& slot) const {
    const Record* old_record = slot.old_record();
    if (old_record == nullptr || slot.moved_from != nullptr) return true;
    return parent_->OwnerOf(old_record->attributes) != parent_->OwnerOf(slot.after->attributes);
  }

  // The write names the parent's key even if the child stays with it, so that a delete of the
  // parent sees the child.
  Status CheckParent(Plan* plan, const Slot& slot) const {
    // The lock is exclusive from the start: two writes that first share it and then both want it
    // alone would be in each other's way.
    TRY_ASSIGN(const Slot* parent, OwnerOf(plan, *parent_, *slot.after,
                                           is_summed_up_ ? Mode::kExclusive : Mode::kShared));
    if (parent != nullptr && Owns(*plan, *parent_, *parent, *slot.after)) return {};
    if (const Record* old_record = slot.old_record()) {
      // An orphan that was written past the rules may change, but not come to another parent.
      if (parent_->OwnerOf(old_record->attributes) == parent_->OwnerOf(slot.after->attributes)) {
        return {};
      }
    }
    return Problem(ProblemCode::kMissingReference,
                   fmt::format("There is no {} that the {} could belong to.",
                               parent_->from().name(), slot.entity->name()));
  }

  // Another one may have another key, so this is about a range of keys.
  Status CheckOnlyOne(Plan* plan, const Slot& slot) const {
    const Entity& entity = *slot.entity;
    Draft& draft = plan->draft;
    TRY(LockOnlyOne(plan, entity, slot.after->attributes));
    const auto owner = parent_->OwnerOf(slot.after->attributes);
    const auto values = owner ? parent_->ValuesOf(*owner) : std::nullopt;
    if (!values) return {};
    TRY_ASSIGN(const FoundPage page,
               FindRelated(draft.engine(), draft.reader(), *parent_, *values));
    for (const Found& one : page.items) {
      TRY_ASSIGN(const Slot* known, draft.FindLoaded(entity, one.item));
      if (known == &slot) continue;
      if (known != nullptr && !BelongsTo(*parent_, *values, *known)) continue;
      return OneIsThere(entity);
    }
    for (const auto& other : draft.slots()) {
      if (other.get() == &slot || other->entity != &entity || !other->written) continue;
      if (BelongsTo(*parent_, *values, *other)) return OneIsThere(entity);
    }
    return {};
  }

  Error OneIsThere(const Entity& entity) const {
    return Problem(ProblemCode::kAlreadyExists,
                   fmt::format("The {} has its {} already; change that one.",
                               parent_->from().name(), entity.name()));
  }

  // Whether an item has these values after the write.
  static bool BelongsTo(const Relation& relation, const item::Map& values, const Slot& slot) {
    return slot.current() != nullptr && relation.Fits(values, slot.current()->attributes);
  }

  // Children of an item whose key changes go along, and so do their children. All of them are in
  // the same write, so there may be only so many.
  static Status TakeAlong(Plan* plan, const Slot& slot, const Relation& relation) {
    const Record* old_record = slot.old_record();
    if (old_record == nullptr) return {};
    const auto before = relation.ValuesOf(old_record->attributes);
    const auto after = relation.ValuesOf(slot.after->attributes);
    if (!before || !after || *before == *after) return {};
    Draft& draft = plan->draft;
    TRY_ASSIGN(const FoundPage page,
               FindRelated(draft.engine(), draft.reader(), relation, *before, kMaxTakenAlong));
    plan->taken_along += page.items.size();
    if (page.next || plan->taken_along > kMaxTakenAlong) {
      return Problem(ProblemCode::kKeyChange,
                     fmt::format("The {} has more than {} children, which cannot follow it to "
                                 "another key in one write; move or delete some of them first.",
                                 slot.entity->name(), kMaxTakenAlong));
    }
    for (const Found& one : page.items) {
      TRY_ASSIGN(Slot * child, draft.Load(relation.to(), one.item, Mode::kExclusive));
      if (!BelongsTo(relation, *before, *child)) continue;
      item::Map attributes = child->current()->attributes;
      for (const item::Attribute& value : *after) {
        if (value.name.find('.') != std::string::npos) {
          return Problem(ProblemCode::kKeyChange,
                         fmt::format("The {} cannot follow: its {} is within an object.",
                                     relation.to().name(), value.name));
        }
        if (value.value.is(item::Type::kNull)) {
          attributes.Remove(value.name);
        } else {
          attributes.Set(value.name, value.value);
        }
      }
      TRY(Rewrite(plan, child, std::move(attributes), child->path, KeyChangeBy::kParent));
    }
    return {};
  }

  Status CheckRestriction(Plan* plan, const Slot& slot) const {
    Draft& draft = plan->draft;
    TRY_ASSIGN(const bool used, FindsAnything(draft.engine(), draft.reader(), plan->application,
                                              *restriction_, slot.before->attributes));
    if (!used) return {};
    auto detail = std::make_shared<ProblemDetail>(ProblemCode::kRestricted);
    detail->members = {{"pattern", restriction_->name}};
    return Problem(std::move(detail), fmt::format("The {} is still in use: {} finds something.",
                                                  slot.entity->name(), restriction_->name));
  }

  static Status RemoveChildren(Plan* plan, const Slot& slot, const Relation& relation) {
    const Entity& entity = *slot.entity;
    Draft& draft = plan->draft;
    const auto values = relation.ValuesOf(slot.before->attributes);
    if (!values) return {};
    TRY_ASSIGN(const FoundPage page,
               FindRelated(draft.engine(), draft.reader(), relation, *values));
    for (const Found& member : page.items) {
      TRY_ASSIGN(Slot * below, draft.Load(relation.to(), member.item, Mode::kExclusive));
      if (!BelongsTo(relation, *values, *below)) continue;
      if ((!slot.cascade && !plan->expires) || !entity.model->cascade_collection) {
        return Problem(
            ProblemCode::kRestricted,
            fmt::format("The {} still has its {}; {}.", entity.name(), relation.to().name(),
                        entity.model->cascade_collection && !plan->raw
                            ? "delete it with ?cascade=collection"
                            : "delete them first"));
      }
      below->written = true;
      below->after.reset();
      below->cascade = true;
    }
    return {};
  }

  const RelationPtr parent_;  // null if the entity has none
  const std::vector<RelationPtr> children_;
  bool is_only_one_ = false;
  bool is_summed_up_ = false;
  const model::PatternModel* restriction_ = nullptr;  // finds what keeps an item from its deletion
};

}  // namespace

Status LockOnlyOne(Plan* plan, const Entity& child, const item::Map& attributes) {
  const auto owner = child.relations->parent->OwnerOf(attributes);
  if (!owner) return {};
  TRY_ASSIGN(const auto key, PrimaryKey(*child.parent, *owner));
  if (!key) return {};
  TRY_ASSIGN(const engine::TablePtr table,
             plan->draft.engine().FindTable(child.parent->table_name));
  return plan->draft.Lock("one " + child.name() + " " + encoding::ItemKey(*table, *key));
}

std::unique_ptr<WriteRule> MakeFamilyRule(const Entity& entity) {
  auto rule = std::make_unique<FamilyRule>(entity);
  if (rule->phases().empty()) return nullptr;
  return rule;
}

}  // namespace monotable::entities
