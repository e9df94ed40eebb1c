#include "entities/rules/family.h"

#include <utility>

#include <fmt/format.h>

#include "encoding/keyspace.h"
#include "entities/problem.h"
#include "entities/read/find_entities.h"
#include "entities/read/pattern_reader.h"
#include "entities/rules/relations.h"
#include "entities/rules/rulebook.h"

namespace monotable::entities {
namespace {

using Mode = KeyLocks::Mode;

// Parents and children: a child needs its parent, a parent with cardinality: one has one child, and
// a parent is not deleted without its children.
//
// Reads and locks: a child that comes loads its parent (shared; exclusive if the parent sums the
// child up), so that a delete of the parent sees the child. A second child of cardinality: one may
// have another key, so the rule reads the range of children and locks its name. A delete reads the
// ranges of all children. Changes: with a cascade, children are deleted. Refuses:
// kMissingReference, kAlreadyExists, kRestricted.
class FamilyRule final : public WriteRule {
 public:
  explicit FamilyRule(const Entity& entity) {
    for (const auto& child : entity.application->entities()) {
      if (child->parent == &entity) children_.push_back(child.get());
    }
    const Entity* parent = entity.parent;
    has_parent_ = parent != nullptr;
    is_only_one_ = has_parent_ && entity.model->cardinality == model::Cardinality::kOne;
    is_summed_up_ = has_parent_ && IsSummedUp(*parent, entity);
    if (!entity.model->restrict_delete_if.empty()) {
      restriction_ = entity.application->model().FindPattern(entity.model->restrict_delete_if);
    }
  }

  std::vector<Phase> phases() const override {
    std::vector<Phase> phases;
    if (has_parent_) phases.push_back(Phase::kRelate);
    if (!children_.empty() || restriction_ != nullptr) phases.push_back(Phase::kRemove);
    return phases;
  }

  Status Apply(Phase phase, Plan* plan, Slot* slot) const override {
    if (phase == Phase::kRelate) {
      TRY(CheckParent(plan, slot));
      return is_only_one_ ? CheckOnlyOne(plan, slot) : Status();
    }
    if (!slot->before) return {};
    if (restriction_ != nullptr) TRY(CheckRestriction(plan, *slot));
    for (const Entity* child : children_) TRY(RemoveChildren(plan, slot, *child));
    return {};
  }

 private:
  // A child that comes to a parent, as a new item or by a move, needs that parent. The write names
  // the parent's key even if the child stays with it, so that a delete of the parent sees the
  // child.
  Status CheckParent(Plan* plan, const Slot* slot) const {
    if (!slot->created() && slot->moved_from == nullptr) return {};
    // The lock is exclusive from the start: two writes that first share it and then both want it
    // alone would be in each other's way.
    TRY_ASSIGN(const Slot* parent,
               ParentOf(plan, *slot, is_summed_up_ ? Mode::kExclusive : Mode::kShared));
    if (parent == nullptr || parent->current() != nullptr) return {};
    if (const Record* old_record = slot->old_record()) {
      TRY_ASSIGN(const auto key_before, PrimaryKey(*slot->entity->parent, old_record->attributes));
      if (key_before && *key_before == parent->key) return {};
    }
    return Problem(ProblemCode::kMissingReference,
                   fmt::format("There is no {} that the {} could belong to.",
                               slot->entity->parent->name(), slot->entity->name()));
  }

  // Another one may have another key, so this is about a range of keys.
  static Status CheckOnlyOne(Plan* plan, const Slot* slot) {
    const Entity& entity = *slot->entity;
    Draft& draft = plan->draft;
    if (slot->before) return {};  // only a new key can be a second one
    TRY(LockOnlyOne(plan, entity, slot->after->attributes));
    TRY_ASSIGN(const auto found, FindMembers(draft.engine(), draft.reader(), *entity.parent, entity,
                                             slot->after->attributes));
    for (const Found& one : found) {
      TRY_ASSIGN(const Slot* known, draft.FindLoaded(entity, one.item));
      if (known != nullptr && known->current() == nullptr) continue;  // this write deletes it
      if (known == slot) continue;
      return Problem(ProblemCode::kAlreadyExists,
                     fmt::format("The {} has its {} already; change that one.",
                                 entity.parent->name(), entity.name()));
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

  static Status RemoveChildren(Plan* plan, const Slot* slot, const Entity& child) {
    const Entity& entity = *slot->entity;
    Draft& draft = plan->draft;
    TRY_ASSIGN(const auto members, FindMembers(draft.engine(), draft.reader(), entity, child,
                                               slot->before->attributes));
    for (const Found& member : members) {
      TRY_ASSIGN(Slot * below, draft.Load(child, member.item, Mode::kExclusive));
      if (below->current() == nullptr) continue;
      if (!slot->cascade || !entity.model->cascade_collection) {
        return Problem(ProblemCode::kRestricted,
                       fmt::format("The {} still has its {}; {}.", entity.name(), child.name(),
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

  std::vector<const Entity*> children_;
  bool has_parent_ = false;
  bool is_only_one_ = false;
  bool is_summed_up_ = false;
  const model::PatternModel* restriction_ = nullptr;  // finds what keeps an item from its deletion
};

}  // namespace

Status LockOnlyOne(Plan* plan, const Entity& child, const item::Map& attributes) {
  TRY_ASSIGN(const auto key, PrimaryKey(*child.parent, attributes));
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
