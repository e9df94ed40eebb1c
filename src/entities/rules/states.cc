#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "entities/problem.h"
#include "entities/rules/rulebook.h"

namespace monotable::entities {
namespace {

using model::AttributeModel;
using model::EnumModel;

// States: an attribute of an enum type begins with the initial value of the enum and changes only
// along its transitions.
//
// Reads and locks: nothing. Changes: a missing state of a new or replaced item. Refuses:
// kIllegalTransition, with the values that are allowed.
class StatesRule final : public WriteRule {
 public:
  struct State {
    const AttributeModel* attribute = nullptr;
    const EnumModel* values = nullptr;
  };
  StatesRule(std::vector<State> initial, std::vector<State> checked)
      : initial_(std::move(initial)), checked_(std::move(checked)) {}

  std::vector<Phase> phases() const override {
    std::vector<Phase> phases;
    if (!initial_.empty()) phases.push_back(Phase::kFill);
    const bool begins = std::any_of(initial_.begin(), initial_.end(),
                                    [](const State& state) { return state.values->initial_only; });
    if (!checked_.empty() || begins) phases.push_back(Phase::kCheck);
    return phases;
  }

  Status Fill(Plan* /*plan*/, const Filling& filling) const override {
    for (const State& state : initial_) {
      const std::string& name = state.attribute->name;
      if (filling.attributes->Contains(name)) continue;
      filling.attributes->Set(name, item::Value(state.values->initial));
    }
    return {};
  }

  Status Apply(Phase /*phase*/, Plan* /*plan*/, Slot* slot) const override {
    const Record* old_record = slot->old_record();
    if (old_record == nullptr) return CheckFirst(*slot);
    for (const State& state : checked_) {
      const item::Value* from = old_record->attributes.Find(state.attribute->name);
      const item::Value* to = slot->after->attributes.Find(state.attribute->name);
      if (from == nullptr || to == nullptr || *from == *to) continue;
      if (!from->is(item::Type::kString) || !to->is(item::Type::kString)) continue;
      if (state.values->Allows(from->string(), to->string())) continue;
      return Illegal(*slot, state, from->string(), to->string());
    }
    return {};
  }

 private:
  // A client cannot begin in the middle. An operation says itself where its items begin.
  Status CheckFirst(const Slot& slot) const {
    for (const State& state : initial_) {
      if (!state.values->initial_only) continue;
      const std::string& name = state.attribute->name;
      const auto& set = slot.set_by_operation;
      if (std::find(set.begin(), set.end(), name) != set.end()) continue;
      const item::Value* value = slot.after->attributes.Find(name);
      if (value == nullptr || *value == item::Value(state.values->initial)) continue;
      auto detail = std::make_shared<ProblemDetail>(ProblemCode::kIllegalTransition);
      detail->allowed = {state.values->initial};
      detail->fields = {
          {slot.path + "/" + name, "transition",
           fmt::format("A new {} begins as {}.", slot.entity->name(), state.values->initial)}};
      std::string sentence = detail->fields.front().message;
      return Problem(std::move(detail), std::move(sentence));
    }
    return {};
  }

  static Error Illegal(const Slot& slot, const State& state, const std::string& from,
                       const std::string& to) {
    const std::string& name = state.attribute->name;
    auto detail = std::make_shared<ProblemDetail>(ProblemCode::kIllegalTransition);
    detail->allowed = state.values->AllowedFrom(from);
    detail->members = {{"from", from}, {"to", to}};
    detail->fields = {
        {slot.path + "/" + name, "transition", fmt::format("{} cannot become {}.", from, to)}};
    return Problem(std::move(detail),
                   fmt::format("{}.{} {} cannot become {}", slot.entity->name(), name, from, to));
  }

  const std::vector<State> initial_;
  const std::vector<State> checked_;  // with transitions
};

}  // namespace

std::unique_ptr<WriteRule> MakeStatesRule(const Entity& entity) {
  std::vector<StatesRule::State> initial;
  std::vector<StatesRule::State> checked;
  for (const AttributeModel& attribute : entity.model->attributes) {
    if (attribute.type.kind != model::TypeKind::kEnum) continue;
    const EnumModel* values = entity.application->model().FindEnum(attribute.type.enum_name);
    if (values == nullptr) continue;
    if (!values->initial.empty()) initial.push_back({&attribute, values});
    if (values->transitions != EnumModel::Transitions::kNone)
      checked.push_back({&attribute, values});
  }
  if (initial.empty() && checked.empty()) return nullptr;
  return std::make_unique<StatesRule>(std::move(initial), std::move(checked));
}

}  // namespace monotable::entities
