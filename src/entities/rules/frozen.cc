#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "entities/problem.h"
#include "entities/record.h"
#include "entities/rules/expressions.h"
#include "entities/rules/rulebook.h"

namespace monotable::entities {
namespace {

using model::AttributeModel;
using model::FrozenModel;

// Frozen: while a condition holds for an item as it was, its attributes stay as they are, and a
// frozen item is not deleted. Stamps and copies still follow, because others set them.
//
// Reads and locks: what the conditions name. Changes: nothing. Refuses: kRuleFailed with the
// fields.
class FrozenRule final : public WriteRule {
 public:
  struct Frozen {
    const FrozenModel* model = nullptr;
    std::vector<std::string> attributes;  // that must not change
  };
  explicit FrozenRule(std::vector<Frozen> frozen) : frozen_(std::move(frozen)) {}

  std::vector<Phase> phases() const override { return {Phase::kRemove, Phase::kCheck}; }

  Status Apply(Phase phase, Plan* plan, Slot* slot) const override {
    const Record* old_record = slot->old_record();
    if (old_record == nullptr) return {};
    for (const Frozen& frozen : frozen_) {
      std::vector<FieldProblem> changed;
      if (phase == Phase::kRemove) {
        if (!frozen.model->whole() || plan->expires) continue;
      } else {
        changed = Changed(frozen, *slot, *old_record);
        if (changed.empty()) continue;
      }
      TRY_ASSIGN(const bool holds, HeldBefore(plan, *slot, frozen.model->when));
      if (holds) return Refusal(*slot->entity, *frozen.model, std::move(changed));
    }
    return {};
  }

 private:
  static std::vector<FieldProblem> Changed(const Frozen& frozen, const Slot& slot,
                                           const Record& old_record) {
    std::vector<FieldProblem> changed;
    const auto compare = [&](const item::Map& before, const item::Map& after,
                             const std::string& name) {
      if (!AreSame(before.Find(name), after.Find(name)))
        changed.push_back({slot.path + "/" + name, "frozen", name + " cannot change now."});
    };
    for (const std::string& name : frozen.attributes) {
      compare(old_record.attributes, slot.after->attributes, name);
    }
    if (frozen.model->whole() && !(old_record.extra == slot.after->extra)) {
      changed.push_back({slot.path, "frozen", "The item cannot change now."});
    }
    return changed;
  }

  static Result<bool> HeldBefore(Plan* plan, const Slot& slot, const model::Rule& when) {
    Slot before;
    before.entity = slot.entity;
    before.key = slot.key;
    before.before = *slot.old_record();
    return Test(plan, before, when);
  }

  static Error Refusal(const Entity& entity, const FrozenModel& frozen,
                       std::vector<FieldProblem> changed) {
    auto detail = std::make_shared<ProblemDetail>(ProblemCode::kRuleFailed);
    detail->members = {{"rule", frozen.name}};
    detail->fields = std::move(changed);
    return Problem(std::move(detail), frozen.message.empty()
                                          ? fmt::format("The {} is frozen while {}.", entity.name(),
                                                        frozen.when.text())
                                          : frozen.message);
  }

  const std::vector<Frozen> frozen_;
};

bool IsCopy(const model::EntityModel& entity, const std::string& name) {
  return std::any_of(entity.copies.begin(), entity.copies.end(),
                     [&](const model::CopyModel& copy) { return copy.attribute == name; });
}

}  // namespace

std::unique_ptr<WriteRule> MakeFrozenRule(const Entity& entity) {
  if (entity.model->frozen.empty()) return nullptr;
  std::vector<FrozenRule::Frozen> all;
  for (const FrozenModel& model : entity.model->frozen) {
    FrozenRule::Frozen frozen{&model, model.attributes};
    for (const AttributeModel& attribute : entity.model->attributes) {
      const bool excepted =
          std::find(model.except.begin(), model.except.end(), attribute.name) != model.except.end();
      if (!model.whole() || excepted || attribute.set != model::SetBy::kClient) continue;
      if (!IsCopy(*entity.model, attribute.name)) frozen.attributes.push_back(attribute.name);
    }
    all.push_back(std::move(frozen));
  }
  return std::make_unique<FrozenRule>(std::move(all));
}

}  // namespace monotable::entities
