#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "model/check/check_passes.h"
#include "model/plan/keys.h"

// Operations that can never run: nobody says which item a step is about.
namespace monotable::model {
namespace {

using Step = OperationModel::Step;

bool HasName(const std::vector<std::string>& names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

// The attributes that the primary key of an entity is made of.
std::vector<std::string> KeyAttributesOf(const EntityModel& entity) {
  std::vector<std::string> names;
  if (entity.keys.empty()) return names;
  for (const KeyModel::Part& part : entity.primary().parts) {
    for (std::string& name : part.text.attributes()) {
      if (!HasName(names, name)) names.push_back(std::move(name));
    }
  }
  return names;
}

// Knows who supplies what in one operation.
class Suppliers {
 public:
  Suppliers(const Model& model, const OperationModel& operation)
      : model_(model), operation_(operation) {}

  // The first attribute of the key of a step's item that nobody gives; empty if all are given.
  std::string Missing(size_t step_index) const {
    const Step& step = operation_.steps[step_index];
    const EntityModel* entity = model_.FindEntity(step.entity);
    if (entity == nullptr) return "";
    std::vector<std::string> needed = KeyAttributesOf(*entity);
    const EntityModel* parent = model_.FindEntity(entity->parent);
    const bool creates = step.action == Step::Action::kPut;
    if (entity->cardinality == Cardinality::kOne && parent != nullptr && !creates) {
      needed = KeyAttributesOf(*parent);
    }
    for (const std::string& name : needed) {
      if (creates && (IsSet(step, name) || AlwaysPresentWhenNew(*entity, name))) continue;
      if (!IsGiven(step_index, *entity, name)) return name;
    }
    return "";
  }

 private:
  bool IsGiven(size_t step_index, const EntityModel& entity, std::string_view name) const {
    const Step& step = operation_.steps[step_index];
    for (const auto& [attribute, rule] : step.key) {
      if (attribute == name) return true;
    }
    if (operation_.route.find("{" + std::string(name) + "}") != std::string::npos) return true;
    if (model_.tenancy && model_.tenancy->attribute == name && entity.Find(name) != nullptr) {
      return true;
    }
    const std::string& source = step.each.empty() ? step.from : step.each;
    const auto input = std::ranges::find(operation_.inputs, source, &OperationModel::Input::name);
    if (input != operation_.inputs.end() && Holds(*input, name)) return true;
    const auto named = std::ranges::find(operation_.inputs, name, &OperationModel::Input::name);
    if (named != operation_.inputs.end() && named->entity.empty()) return true;
    // An earlier step has an item with an attribute of that name.
    for (size_t i = 0; i < step_index; ++i) {
      const EntityModel* before = model_.FindEntity(operation_.steps[i].entity);
      if (before != nullptr && before->Find(name) != nullptr) return true;
    }
    return false;
  }

  bool Holds(const OperationModel::Input& input, std::string_view name) const {
    if (const EntityModel* entity = model_.FindEntity(input.entity)) {
      return entity->Find(name) != nullptr;
    }
    const TypeModel* type = input.type.element ? input.type.element.get() : &input.type;
    return type->kind == TypeKind::kAny || type->FindPath(name) != nullptr;
  }

  static bool IsSet(const Step& step, std::string_view name) {
    return std::ranges::any_of(step.set, [&](const auto& each) { return each.first == name; });
  }

  // What the server itself gives to a new item.
  bool AlwaysPresentWhenNew(const EntityModel& entity, std::string_view path) const {
    const std::string_view name = path.substr(0, path.find('.'));
    const AttributeModel* attribute = entity.Find(name);
    if (attribute == nullptr) return true;
    const bool generated = entity.id && entity.id->attribute == name &&
                           entity.id->generate != IdModel::Generate::kNone;
    const EnumModel* values = model_.FindEnum(attribute->type.enum_name);
    return generated || attribute->generated || attribute->set != SetBy::kClient ||
           attribute->default_value || !attribute->default_from.empty() ||
           (values != nullptr && !values->initial.empty());
  }

  const Model& model_;
  const OperationModel& operation_;
};

}  // namespace

void CheckOperations(const Model& model, Report* report) {
  for (const OperationModel& operation : model.operations) {
    const Suppliers suppliers(model, operation);
    for (size_t i = 0; i < operation.steps.size(); ++i) {
      const std::string missing = suppliers.Missing(i);
      if (missing.empty()) continue;
      const Step& step = operation.steps[i];
      report->Error("key_not_given", step.place, "operations." + operation.name,
                    fmt::format("Nobody gives {}, so {} can never find or make its {}.", missing,
                                operation.name, step.entity),
                    fmt::format("Put {{{0}}} into the route, or add `key: {{{0}: input.…}}` to the "
                                "step.",
                                missing));
    }
  }
}

}  // namespace monotable::model
