#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/check/passes.h"
#include "model/plan/keys.h"

namespace monotable::model {
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
                        "Make it required, if every item should have one.");
      }
    }
  }
}

// Whether the server can find all items with a given value of the attribute: some partition is
// made of it alone.
bool CanFindBy(const TableModel& table, const EntityModel& entity, const std::string& attribute) {
  std::vector<std::string> indexes = {""};
  for (const IndexModel& index : table.indexes) indexes.push_back(index.name);
  return std::ranges::any_of(indexes, [&](const std::string& index) {
    const std::optional<KeyTexts> texts = KeyTextsOf(table, entity, index);
    return texts && texts->hash.attributes() == std::vector{attribute} &&
           (texts->declared == nullptr || !texts->declared->when);
  });
}

void CheckCopies(const Model& model, const EntityModel& entity, Report* report) {
  const TableModel* table = model.FindTable(entity.table);
  for (const CopyModel& copy : entity.copies) {
    if (!copy.live || table == nullptr || CanFindBy(*table, entity, copy.via)) continue;
    report->Warning("copy_without_index", copy.place,
                    SubjectOf(entity) + ".copies." + copy.attribute,
                    "No partition holds the items of one " + copy.via + ", so a change of " +
                        copy.source_entity + "." + copy.source_attribute + " cannot be copied to " +
                        copy.attribute + ".",
                    "Give " + entity.name + " keys in an index whose hash is made of " + copy.via +
                        " alone, or write `mode: once`.");
  }
}

// The largest that a value may be, in bytes; what has no declared limit counts as nothing.
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
                      " KB, and DynamoDB takes 400 KB.",
                  "Lower the max, or keep the large value elsewhere and store where it is.");
}

// The writes of one item: itself, and a marker for each unique value.
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
      times = input->most;
    }
    actions += times * WritesOf(model, step);
  }
  if (actions <= kMostActions) return;
  report->Error("transaction_too_large", operation.place, subject,
                operation.name + " may have " + std::to_string(actions) +
                    " actions, with those for unique values; a transaction has 100.",
                "Lower the limit of its lists.");
}

}  // namespace

void CheckWrites(const Model& model, Report* report) {
  for (const EntityModel& entity : model.entities) {
    CheckUnique(model, entity, report);
    CheckCopies(model, entity, report);
    CheckItemSize(entity, report);
  }
  for (const OperationModel& operation : model.operations) {
    CheckOperation(model, operation, report);
  }
}

}  // namespace monotable::model
