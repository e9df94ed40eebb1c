#include <algorithm>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "model/check/passes.h"
#include "text/words.h"

namespace monotable::model {
namespace {

// Whether the name says that the attribute is a state: Status, item_status, orderState.
bool NamesState(std::string_view name) {
  const std::string lower = text::Lower(name);
  return lower.ends_with("status") || lower.ends_with("state");
}

using Visit = std::function<void(const AttributeModel&)>;

void VisitAttributes(const std::vector<AttributeModel>& attributes, const Visit& visit);

void VisitType(const TypeModel& type, const Visit& visit) {
  VisitAttributes(type.attributes, visit);
  if (type.element) VisitType(*type.element, visit);
}

void VisitAttributes(const std::vector<AttributeModel>& attributes, const Visit& visit) {
  for (const AttributeModel& attribute : attributes) {
    visit(attribute);
    VisitType(attribute.type, visit);
  }
}

// The enum of a type, or of its elements; empty if it has none.
const std::string& EnumOf(const TypeModel& type) {
  return type.element && type.enum_name.empty() ? EnumOf(*type.element) : type.enum_name;
}

void CheckReachable(const EnumModel& type, Report* report) {
  if (type.transitions != EnumModel::Transitions::kListed) return;
  for (const EnumModel::Value& value : type.values) {
    const bool listed = std::ranges::any_of(
        type.listed, [&](const EnumModel::Transition& each) { return each.from == value.text; });
    if (listed) continue;
    report->Info("dead_end_state", type.place, "enums." + type.name,
                 "The transitions of " + type.name + " do not mention what " + value.text +
                     " may become, so it stays for ever.",
                 "If that is meant, write `" + value.text + ": []`.");
  }
  if (type.initial.empty()) return;
  std::vector<std::string> reached = {type.initial};
  for (size_t at = 0; at < reached.size(); ++at) {
    for (std::string& next : type.AllowedFrom(reached[at])) {
      if (std::ranges::find(reached, next) == reached.end()) reached.push_back(std::move(next));
    }
  }
  for (const EnumModel::Value& value : type.values) {
    if (std::ranges::find(reached, value.text) != reached.end()) continue;
    report->Warning("unreachable_state", type.place, "enums." + type.name,
                    "No transitions lead from " + type.initial + " to " + value.text + ".",
                    "Add the transition that does, or remove the value.");
  }
}

}  // namespace

void CheckStates(const Model& model, Report* report) {
  std::vector<std::string> used;
  const Visit remember = [&](const AttributeModel& attribute) {
    if (const std::string& name = EnumOf(attribute.type); !name.empty()) used.push_back(name);
  };
  for (const EntityModel& entity : model.entities) {
    VisitAttributes(entity.attributes, remember);
    VisitAttributes(entity.attributes, [&](const AttributeModel& attribute) {
      const EnumModel* type = model.FindEnum(attribute.type.enum_name);
      if (type == nullptr || type->transitions != EnumModel::Transitions::kNone) return;
      if (!NamesState(attribute.name)) return;
      report->Warning("state_without_transitions", attribute.place, SubjectOf(entity, attribute),
                      attribute.name + " looks like a state, but " + type->name +
                          " has no transitions, so every change is allowed and none is checked.",
                      "Write `transitions: {…}`, or `transitions: any` if that is meant.");
    });
  }
  for (const OperationModel& operation : model.operations) {
    for (const OperationModel::Input& input : operation.inputs) {
      if (const std::string& name = EnumOf(input.type); !name.empty()) used.push_back(name);
    }
  }
  for (const EnumModel& type : model.enums) {
    CheckReachable(type, report);
    if (std::ranges::find(used, type.name) != used.end()) continue;
    report->Warning("unused_enum", type.place, "enums." + type.name,
                    "No attribute has the type " + type.name + ".", "Use it or remove it.");
  }
}

}  // namespace monotable::model
