#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "entities/problem.h"
#include "entities/rules/expressions.h"
#include "entities/rules/keys.h"
#include "entities/rules/rulebook.h"
#include "entities/rules/tenant.h"
#include "entities/write/planner.h"

// Declared operations: steps that become changes of one draft. Each step sees the changes of the
// steps before it.
namespace monotable::entities {
namespace {

using Step = model::OperationModel::Step;

bool NamesInput(const model::Rule& rule) {
  return std::any_of(rule.paths().begin(), rule.paths().end(), [](const std::string& path) {
    return path.starts_with("input.") || path.starts_with("each.");
  });
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

// One time that a step is done: for the member of a list, or just so.
struct Turn {
  const Step& step;
  const Entity& entity;
  item::Map given;                  // attributes of the item that the client gave
  std::optional<item::Value> each;  // the member of the list
  std::string path;                 // JSON pointer of what was given

  CallScope scope(const Inputs& inputs) const { return {&inputs, each ? &*each : nullptr}; }
};

// The steps of one call.
class OperationRun {
 public:
  OperationRun(const OperationCall& call, Plan* plan, std::vector<Slot*>* results)
      : call_(call), plan_(*plan), results_(*results) {}

  Status RunStep(const Step& step);
  bool matched() const { return matched_; }

 private:
  std::vector<Turn> TurnsOf(const Step& step) const;
  Status RunTurn(const Turn& turn);
  Status RunPut(const Turn& turn, item::Map key);
  Status RunUpdate(const Turn& turn);
  Status RunUpsert(const Turn& turn);
  Status RunDelete(const Turn& turn);
  Status RunCheck(const Turn& turn);
  Result<Slot*> FindFor(const Turn& turn);
  Result<item::Map> KeyFor(const Turn& turn) const;
  Result<item::Map> Computed(const Turn& turn, item::Map attributes);
  Status ChangeTo(const Turn& turn, Slot* slot);
  void Remember(const Turn& turn, Slot* slot);

  const OperationCall& call_;
  Plan& plan_;
  std::vector<Slot*>& results_;
  bool matched_ = false;  // If-Match was compared
};

// Whether a step changes the attribute of an item that exists: an input of its name is then the new
// value, and does not say which item is meant.
bool GivesAnother(const Step& step, std::string_view attribute) {
  if (step.action == Step::Action::kPut || step.action == Step::Action::kUpsert) return false;
  return std::any_of(step.set.begin(), step.set.end(),
                     [&](const auto& one) { return one.first == attribute; });
}

// A list of the step's own entity holds its items. The members of any other list only say which
// items are meant, and what expressions need.
std::vector<Turn> OperationRun::TurnsOf(const Step& step) const {
  const Entity& entity = *plan_.application.Find(step.entity);
  std::vector<Turn> turns;
  const std::string& input = step.each.empty() ? step.from : step.each;
  if (input.empty()) {
    turns.push_back({step, entity, {}, std::nullopt, ""});
    return turns;
  }
  const auto bodies = call_.inputs.entities.find(input);
  const auto declared = std::find_if(call_.operation->inputs.begin(), call_.operation->inputs.end(),
                                     [&](const auto& one) { return one.name == input; });
  const bool own = declared != call_.operation->inputs.end() && declared->entity == step.entity;
  const auto add = [&](const item::Value& member) {
    const std::string path =
        step.each.empty() ? "/" + input : fmt::format("/{}/{}", input, turns.size());
    Turn turn{step, entity, {}, std::nullopt, path};
    if (own && member.is(item::Type::kMap)) turn.given = member.map();
    if (!step.each.empty()) turn.each = member;
    turns.push_back(std::move(turn));
  };
  if (bodies != call_.inputs.entities.end()) {
    for (const item::Map& body : bodies->second) add(item::Value(body));
  } else if (const item::Value* list = call_.inputs.values.Find(input);
             list != nullptr && list->is(item::Type::kList)) {
    for (const item::Value& member : list->list()) add(member);
  }
  return turns;
}

// The given attributes with those of the path. Attributes of the key may also come from the member
// of a list, from an input of their name, and from earlier steps: the lines of a sale that is just
// being created have its id.
Result<item::Map> OperationRun::KeyFor(const Turn& turn) const {
  const Entity& entity = turn.entity;
  item::Map given = turn.given;
  for (const auto& [name, rule] : turn.step.key) {
    Slot scope;
    scope.entity = &entity;
    TRY_ASSIGN(auto value, Evaluate(&plan_, scope, rule, turn.scope(call_.inputs)));
    const model::AttributeModel* attribute = entity.model->Find(name);
    if (value && attribute != nullptr)
      given.Set(name, StoredAs(attribute->type, *std::move(value)));
  }
  for (const item::Attribute& parameter : call_.parameters) {
    const model::AttributeModel* attribute = entity.model->Find(parameter.name);
    if (attribute == nullptr) continue;
    item::Value value = StoredAs(attribute->type, parameter.value);
    const item::Value* known = given.Find(parameter.name);
    if (known != nullptr && !(*known == value)) {
      return InvalidFields({{"/" + parameter.name, "key", "The value differs from the path."}});
    }
    given.Set(parameter.name, std::move(value));
  }
  TRY(InjectTenant(plan_, entity, &given));
  for (const std::string& name : KeyAttributes(entity)) {
    if (given.Contains(name)) continue;
    const item::Value* known =
        turn.each && turn.each->is(item::Type::kMap) ? turn.each->map().Find(name) : nullptr;
    if (known == nullptr && !GivesAnother(turn.step, name)) known = call_.inputs.values.Find(name);
    if (known != nullptr) {
      given.Set(name, *known);
      continue;
    }
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
Result<item::Map> OperationRun::Computed(const Turn& turn, item::Map attributes) {
  Slot scope;
  scope.entity = &turn.entity;
  scope.written = true;
  scope.after = Record{std::move(attributes), {}, 0};
  for (const auto& [name, rule] : turn.step.set) {
    TRY_ASSIGN(auto value, Evaluate(&plan_, scope, rule, turn.scope(call_.inputs)));
    if (value && !value->is(item::Type::kNull)) {
      const model::AttributeModel* attribute = turn.entity.model->Find(name);
      scope.after->attributes.Set(
          name, attribute == nullptr ? std::move(*value) : StoredAs(attribute->type, *value));
    } else if (!NamesInput(rule)) {
      scope.after->attributes.Remove(name);
    }
  }
  return std::move(scope.after->attributes);
}

// The item of a step. If-Match applies to the item of the first step.
Result<Slot*> OperationRun::FindFor(const Turn& turn) {
  TRY_ASSIGN(const item::Map key, KeyFor(turn));
  TRY_ASSIGN(Slot * slot, FindExisting(&plan_, turn.entity, key));
  if (!call_.if_match || matched_ || !slot->image) return slot;
  matched_ = true;
  const std::string tag = EntityTag(turn.entity, encoding::ItemView(*slot->image));
  if (*call_.if_match == "*" || *call_.if_match == tag) return slot;
  return Changed(tag);
}

// Notes what the step has set, and that its item is a part of the answer.
void OperationRun::Remember(const Turn& turn, Slot* slot) {
  if (slot->moved_from != nullptr) {
    const auto& before = slot->moved_from->set_by_operation;
    slot->set_by_operation.insert(slot->set_by_operation.end(), before.begin(), before.end());
  }
  for (const auto& [name, rule] : turn.step.set) slot->set_by_operation.push_back(name);
  if (std::find(results_.begin(), results_.end(), slot) == results_.end()) {
    results_.push_back(slot);
  }
}

Status OperationRun::RunPut(const Turn& turn, item::Map key) {
  TRY(turn.entity.rules->Fill(&plan_, {turn.entity, &key, /*is_new=*/true}));
  TRY_ASSIGN(item::Map attributes, Computed(turn, std::move(key)));
  TRY_ASSIGN(Slot * slot, PlaceNew(&plan_, turn.entity, std::move(attributes), turn.path));
  Remember(turn, slot);
  return {};
}

Status OperationRun::ChangeTo(const Turn& turn, Slot* slot) {
  item::Map attributes = slot->current()->attributes;
  for (const item::Attribute& attribute : turn.given) {
    attributes.Set(attribute.name, attribute.value);
  }
  TRY_ASSIGN(attributes, Computed(turn, std::move(attributes)));
  TRY_ASSIGN(slot, Rewrite(&plan_, slot, std::move(attributes), turn.path));
  Remember(turn, slot);
  return {};
}

Status OperationRun::RunUpdate(const Turn& turn) {
  TRY_ASSIGN(Slot * slot, FindFor(turn));
  return ChangeTo(turn, slot);
}

Status OperationRun::RunUpsert(const Turn& turn) {
  auto slot = FindFor(turn);
  if (slot) return ChangeTo(turn, *slot);
  const ProblemDetail* problem = ProblemOf(slot.error());
  if (problem == nullptr || problem->code != ProblemCode::kNotFound) return slot.error();
  TRY_ASSIGN(item::Map key, KeyFor(turn));
  return RunPut(turn, std::move(key));
}

Status OperationRun::RunDelete(const Turn& turn) {
  TRY_ASSIGN(Slot * slot, FindFor(turn));
  slot->written = true;
  slot->after.reset();
  results_.push_back(slot);
  return {};
}

Status OperationRun::RunCheck(const Turn& turn) {
  TRY_ASSIGN(Slot * slot, FindFor(turn));
  slot->any_image = false;
  const auto& when = turn.step.when;
  if (!when) return {};
  slot->alone = true;  // the condition may be about its members
  TRY_ASSIGN(const bool holds, Test(&plan_, *slot, *when, turn.scope(call_.inputs)));
  if (holds) return {};
  auto detail = std::make_shared<ProblemDetail>(ProblemCode::kRuleFailed);
  detail->members = {{"rule", when->text()}};
  return Problem(std::move(detail),
                 fmt::format("The {} does not fulfil the condition of the operation: {}.",
                             turn.entity.name(), when->text()));
}

Status OperationRun::RunTurn(const Turn& turn) {
  switch (turn.step.action) {
    case Step::Action::kPut: {
      TRY_ASSIGN(item::Map key, KeyFor(turn));
      return RunPut(turn, std::move(key));
    }
    case Step::Action::kUpdate:
    case Step::Action::kMove:
      return RunUpdate(turn);
    case Step::Action::kUpsert:
      return RunUpsert(turn);
    case Step::Action::kDelete:
      return RunDelete(turn);
    case Step::Action::kCheck:
      return RunCheck(turn);
  }
  return {};
}

Status OperationRun::RunStep(const Step& step) {
  for (const Turn& turn : TurnsOf(step)) TRY(RunTurn(turn));
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
