#include <fmt/format.h>

#include "entities/problem.h"
#include "entities/record.h"
#include "entities/rules/rulebook.h"

namespace monotable::entities {
namespace {

// Choices: of several attributes, an item has exactly one or at most one.
//
// Reads and locks: nothing. Changes: nothing. Refuses: kInvalid with the fields that are too many,
// or with all of them if one must be given.
class ChoicesRule final : public WriteRule {
 public:
  std::vector<Phase> phases() const override { return {Phase::kCheck}; }

  Status Apply(Phase /*phase*/, Plan* /*plan*/, Slot* slot) const override {
    std::vector<FieldProblem> problems;
    for (const model::ChoiceModel& choice : slot->entity->model->choices) {
      std::vector<std::string> given;
      for (const std::string& name : choice.attributes) {
        const item::Value* value = FindPath(slot->after->attributes, name);
        if (value != nullptr && !value->is(item::Type::kNull)) given.push_back(name);
      }
      if (given.size() == 1 || (given.empty() && !choice.required)) continue;
      const std::string all = fmt::format("{}", fmt::join(choice.attributes, ", "));
      for (const std::string& name : given.empty() ? choice.attributes : given) {
        problems.push_back(
            {slot->path + "/" + name, choice.required ? "exactly_one" : "at_most_one",
             fmt::format("Give {} one of {}.", choice.required ? "exactly" : "at most", all)});
      }
    }
    if (problems.empty()) return {};
    return InvalidFields(std::move(problems));
  }
};

}  // namespace

std::unique_ptr<WriteRule> MakeChoicesRule(const Entity& entity) {
  if (entity.model->choices.empty()) return nullptr;
  return std::make_unique<ChoicesRule>();
}

}  // namespace monotable::entities
