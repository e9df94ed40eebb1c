#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "model/check/check_passes.h"
#include "model/plan/keys.h"
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
                     " may become, so it never changes again.",
                 "If you intend that, write `" + value.text + ": []`.");
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
                    "Add a transition to it, or remove the value.");
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
                      "Write `transitions: {…}`, or `transitions: any` if you intend that.");
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
                    "No attribute has the type " + type.name + ".", "Use the enum or remove it.");
  }
}

namespace {

constexpr int64_t kMostActions = 100;            // of TransactWriteItems
constexpr double kMostItemBytes = 400.0 * 1024;  // with names
constexpr double kMaxBytesOfCharacter = 4;       // in UTF-8

void CheckUnique(const Model& model, const EntityModel& entity, Report* report) {
  for (const UniqueModel& unique : entity.unique) {
    for (const Template& field : unique.fields) {
      for (const std::string& path : field.attributes()) {
        if (AlwaysPresent(model, entity, path)) continue;
        report->Warning("unique_on_optional", unique.place,
                        SubjectOf(entity) + ".unique." + unique.name,
                        "Items without " + path + " are not compared, so any number of them pass " +
                            unique.name + ".",
                        "Make it required if every item should have one.");
      }
    }
  }
}

// The largest size of a value in bytes. A value without a declared limit counts as zero.
double LargestOf(const TypeModel& type) {
  const double length = type.max_length ? static_cast<double>(*type.max_length) : 0;
  switch (type.kind) {
    case TypeKind::kString:
      return length * kMaxBytesOfCharacter;
    case TypeKind::kBinary:
      return length;
    case TypeKind::kObject: {
      double bytes = 3;
      for (const AttributeModel& attribute : type.attributes) {
        bytes += static_cast<double>(attribute.name.size()) + 1 + LargestOf(attribute.type);
      }
      return bytes;
    }
    case TypeKind::kList:
    case TypeKind::kSet:
    case TypeKind::kMap:
      return type.element ? 3 + length * (1 + LargestOf(*type.element)) : 3;
    default:
      return 21;  // as much as a number of 38 digits or an instant takes
  }
}

void CheckItemSize(const EntityModel& entity, Report* report) {
  double bytes = 0;
  const AttributeModel* largest = nullptr;
  for (const AttributeModel& attribute : entity.attributes) {
    bytes += static_cast<double>(attribute.name.size()) + LargestOf(attribute.type);
    if (largest == nullptr || LargestOf(attribute.type) > LargestOf(largest->type)) {
      largest = &attribute;
    }
  }
  if (bytes <= kMostItemBytes || largest == nullptr) return;
  report->Warning("item_size", largest->place, SubjectOf(entity, *largest),
                  "With all attributes at their max, an item of " + entity.name + " has " +
                      std::to_string(static_cast<int64_t>(bytes / 1024)) +
                      " KB, but DynamoDB allows 400 KB.",
                  "Lower the max, or keep the large value elsewhere and store its address.");
}

// The number of writes for one item: the item and a marker for each unique value.
int64_t WritesOf(const Model& model, const OperationModel::Step& step) {
  using Action = OperationModel::Step::Action;
  if (step.action == Action::kCheck) return 1;
  const EntityModel* entity = model.FindEntity(step.entity);
  const auto markers = entity != nullptr ? static_cast<int64_t>(entity->unique.size()) : 0;
  if (step.action == Action::kMove) return 2;
  if (step.action == Action::kUpdate) return 1;
  return 1 + markers;
}

void CheckOperation(const Model& model, const OperationModel& operation, Report* report) {
  const std::string subject = "operations." + operation.name;
  int64_t actions = 0;
  for (const OperationModel::Step& step : operation.steps) {
    int64_t times = 1;
    if (!step.each.empty()) {
      const auto input =
          std::ranges::find(operation.inputs, step.each, &OperationModel::Input::name);
      if (input == operation.inputs.end()) continue;
      times = input->many ? input->most : input->type.max_length.value_or(kMostActions);
    }
    actions += times * WritesOf(model, step);
  }
  if (actions <= kMostActions) return;
  report->Error("transaction_too_large", operation.place, subject,
                operation.name + " may need " + std::to_string(actions) +
                    " actions, including those for unique values; a transaction allows 100.",
                "Lower the limit of its lists.");
}

}  // namespace

void CheckWrites(const Model& model, Report* report) {
  for (const EntityModel& entity : model.entities) {
    CheckUnique(model, entity, report);
    CheckItemSize(entity, report);
  }
  for (const OperationModel& operation : model.operations) {
    CheckOperation(model, operation, report);
  }
}

}  // namespace monotable::model
