#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "entities/problem.h"
#include "entities/rules/expressions.h"
#include "entities/rules/keys.h"
#include "entities/rules/rulebook.h"
#include "entities/rules/tenant.h"
#include "entities/write/planner.h"
#include "model/instant.h"

// Declared operations: steps that become changes of one draft. Each step sees the changes of the
// steps before it.
namespace monotable::entities {
namespace {

using Step = model::OperationModel::Step;

// A computed value in the form in which its attribute is stored.
item::Value Stored(const model::TypeModel& type, item::Value value) {
  const bool date = type.kind == model::TypeKind::kDate;
  if (type.kind != model::TypeKind::kInstant && !date) return value;
  const auto instant = model::ReadInstant(value);
  if (!instant) return value;
  if (date) return item::Value(model::Spell(*instant, "yyyy-MM-dd"));
  return model::StoreInstant(*instant, type.stored, type.milliseconds);
}

bool NamesInput(const model::Rule& rule) {
  return std::any_of(rule.paths().begin(), rule.paths().end(),
                     [](const std::string& path) { return path.starts_with("input."); });
}

std::vector<std::string> KeyAttributes(const Entity& entity) {
  std::vector<std::string> names;
  for (const auto& part : entity.model->primary().parts) {
    for (const std::string& name : part.text.attributes()) {
      if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    }
  }
  return names;
}

// The steps of one call.
class OperationRun {
 public:
  OperationRun(const OperationCall& call, Plan* plan, std::vector<Slot*>* results)
      : call_(call), plan_(*plan), results_(*results) {}

  Status RunStep(const Step& step);
  bool matched() const { return matched_; }

 private:
  Status RunPut(const Step& step);
  Status RunUpdate(const Step& step);
  Status RunDelete(const Step& step);
  Status RunCheck(const Step& step);
  Result<Slot*> FindFor(const Entity& entity, const item::Map& given);
  Result<item::Map> KeyFor(const Entity& entity, item::Map given) const;
  Result<item::Map> Computed(const Step& step, const Entity& entity, item::Map attributes);

  const OperationCall& call_;
  Plan& plan_;
  std::vector<Slot*>& results_;
  bool matched_ = false;  // If-Match was compared
};

// The given attributes with those of the path. Attributes of the key may also come from earlier
// steps: the lines of a sale that is just being created have its id.
Result<item::Map> OperationRun::KeyFor(const Entity& entity, item::Map given) const {
  for (const item::Attribute& parameter : call_.parameters) {
    const model::AttributeModel* attribute = entity.model->Find(parameter.name);
    if (attribute == nullptr) continue;
    item::Value value = Stored(attribute->type, parameter.value);
    const item::Value* known = given.Find(parameter.name);
    if (known != nullptr && !(*known == value)) {
      return InvalidFields({{"/" + parameter.name, "key", "The value differs from the path."}});
    }
    given.Set(parameter.name, std::move(value));
  }
  TRY(InjectTenant(plan_, entity, &given));
  for (const std::string& name : KeyAttributes(entity)) {
    if (given.Contains(name)) continue;
    for (const Slot* slot : results_) {
      const item::Value* value =
          slot->current() == nullptr ? nullptr : slot->current()->attributes.Find(name);
      if (value == nullptr) continue;
      given.Set(name, *value);
      break;
    }
  }
  return given;
}

// The attributes with those that the step sets. An input that was not given leaves its attribute
// as it is.
Result<item::Map> OperationRun::Computed(const Step& step, const Entity& entity,
                                         item::Map attributes) {
  Slot scope;
  scope.entity = &entity;
  scope.written = true;
  scope.after = Record{std::move(attributes), {}, 0};
  for (const auto& [name, rule] : step.set) {
    TRY_ASSIGN(auto value, Evaluate(&plan_, scope, rule, &call_.inputs.values));
    if (value && !value->is(item::Type::kNull)) {
      const model::AttributeModel* attribute = entity.model->Find(name);
      scope.after->attributes.Set(
          name, attribute == nullptr ? std::move(*value) : Stored(attribute->type, *value));
    } else if (!NamesInput(rule)) {
      scope.after->attributes.Remove(name);
    }
  }
  return std::move(scope.after->attributes);
}

// The item of a step. If-Match applies to the item of the first step.
Result<Slot*> OperationRun::FindFor(const Entity& entity, const item::Map& given) {
  TRY_ASSIGN(const item::Map key, KeyFor(entity, given));
  TRY_ASSIGN(Slot * slot, FindExisting(&plan_, entity, key));
  if (!call_.if_match || matched_ || !slot->image) return slot;
  matched_ = true;
  const std::string tag = EntityTag(entity, encoding::ItemView(*slot->image));
  if (*call_.if_match == "*" || *call_.if_match == tag) return slot;
  return Changed(tag);
}

Status OperationRun::RunPut(const Step& step) {
  const Entity& entity = *plan_.application.Find(step.entity);
  const std::string& input = step.each.empty() ? step.from : step.each;
  std::vector<item::Map> bodies = {{}};
  if (!input.empty()) {
    const auto found = call_.inputs.entities.find(input);
    bodies = found == call_.inputs.entities.end() ? std::vector<item::Map>() : found->second;
  }
  for (size_t i = 0; i < bodies.size(); ++i) {
    const std::string path =
        step.each.empty() ? (input.empty() ? "" : "/" + input) : fmt::format("/{}/{}", input, i);
    TRY_ASSIGN(item::Map attributes, KeyFor(entity, bodies[i]));
    TRY(entity.rules->Fill(&plan_, {entity, &attributes, /*is_new=*/true}));
    TRY_ASSIGN(attributes, Computed(step, entity, std::move(attributes)));
    TRY_ASSIGN(Slot * slot, PlaceNew(&plan_, entity, std::move(attributes), path));
    results_.push_back(slot);
  }
  return {};
}

Status OperationRun::RunUpdate(const Step& step) {
  const Entity& entity = *plan_.application.Find(step.entity);
  item::Map given;
  if (!step.from.empty()) {
    const auto found = call_.inputs.entities.find(step.from);
    if (found != call_.inputs.entities.end() && !found->second.empty()) {
      given = found->second.front();
    }
  }
  TRY_ASSIGN(Slot * slot, FindFor(entity, given));
  item::Map attributes = slot->current()->attributes;
  for (const item::Attribute& attribute : given) attributes.Set(attribute.name, attribute.value);
  TRY_ASSIGN(attributes, Computed(step, entity, std::move(attributes)));
  TRY_ASSIGN(
      slot, Rewrite(&plan_, slot, std::move(attributes), step.from.empty() ? "" : "/" + step.from));
  if (std::find(results_.begin(), results_.end(), slot) == results_.end()) {
    results_.push_back(slot);
  }
  return {};
}

Status OperationRun::RunDelete(const Step& step) {
  const Entity& entity = *plan_.application.Find(step.entity);
  TRY_ASSIGN(Slot * slot, FindFor(entity, {}));
  slot->written = true;
  slot->after.reset();
  results_.push_back(slot);
  return {};
}

Status OperationRun::RunCheck(const Step& step) {
  const Entity& entity = *plan_.application.Find(step.entity);
  TRY_ASSIGN(Slot * slot, FindFor(entity, {}));
  slot->any_image = false;
  if (!step.when) return {};
  slot->alone = true;  // the condition may be about its members
  TRY_ASSIGN(const bool holds, Test(&plan_, *slot, *step.when));
  if (holds) return {};
  auto detail = std::make_shared<ProblemDetail>(ProblemCode::kRuleFailed);
  detail->members = {{"rule", step.when->text()}};
  return Problem(std::move(detail),
                 fmt::format("The {} does not fulfil the condition of the operation: {}.",
                             entity.name(), step.when->text()));
}

Status OperationRun::RunStep(const Step& step) {
  switch (step.action) {
    case Step::Action::kPut:
      return RunPut(step);
    case Step::Action::kUpdate:
    case Step::Action::kMove:
      return RunUpdate(step);
    case Step::Action::kDelete:
      return RunDelete(step);
    case Step::Action::kCheck:
      return RunCheck(step);
  }
  return {};
}

}  // namespace

Status RunOperation(const OperationCall& call, Plan* plan, std::vector<Slot*>* results) {
  OperationRun run(call, plan, results);
  for (const Step& step : call.operation->steps) {
    TRY(Located(run.RunStep(step), call.parameters, ""));
  }
  if (call.if_match && !run.matched()) {
    return InvalidFields(
        {{"If-Match", "header", "The operation changes no item that exists. Leave If-Match out."}});
  }
  return {};
}

}  // namespace monotable::entities
