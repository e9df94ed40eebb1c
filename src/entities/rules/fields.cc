#include <utility>

#include <fmt/format.h>

#include "entities/codec/codec.h"
#include "entities/problem.h"
#include "entities/rules/rulebook.h"

namespace monotable::entities {
namespace {

// Fields: values have the types and constraints that the model says, required attributes are there,
// and the item has no attributes that the model does not know, if the model rejects them.
//
// Reads and locks: nothing. Changes: nothing. Refuses: kInvalid, with every field that is wrong.
class FieldsRule final : public WriteRule {
 public:
  std::vector<Phase> phases() const override { return {Phase::kCheck}; }

  Status Apply(Phase /*phase*/, Plan* plan, Slot* slot) const override {
    const Entity& entity = *slot->entity;
    std::vector<FieldProblem> problems = CheckAttributes(entity, slot->after->attributes);
    const bool reject = entity.model->unknown_attributes == model::UnknownAttributes::kReject;
    if (plan->raw && reject) {
      for (const item::Attribute& attribute : slot->after->extra) {
        problems.push_back({"/" + attribute.name, "unknown",
                            fmt::format("{} has no attribute {}.", entity.name(), attribute.name)});
      }
    }
    if (problems.empty()) return {};
    for (FieldProblem& problem : problems) problem.path = slot->path + problem.path;
    return InvalidFields(std::move(problems));
  }
};

}  // namespace

std::unique_ptr<WriteRule> MakeFieldsRule(const Entity& /*entity*/) {
  return std::make_unique<FieldsRule>();
}

}  // namespace monotable::entities
