#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "model/check/check_passes.h"

namespace monotable::model {
namespace {

// The first segments of the paths that every model has. `docs` is a page, `transact` takes several
// writes, `patterns` answers patterns by name.
constexpr std::array<std::string_view, 3> kTakenSegments = {"docs", "transact", "patterns"};
// The server keeps markers of unique values, counters and jobs under keys that begin so.
constexpr std::string_view kTakenPrefix = "MONOTABLE#";

// sales of /sales/{SaleId}:cancel
std::string_view FirstSegment(std::string_view route) {
  if (route.starts_with('/')) route.remove_prefix(1);
  return route.substr(0, route.find_first_of("/:?"));
}

void CheckSegment(std::string_view segment, Place place, const std::string& subject,
                  Report* report) {
  if (std::ranges::find(kTakenSegments, segment) == kTakenSegments.end()) return;
  report->Error("reserved_path", place, subject,
                "The path /" + std::string(segment) + " belongs to the server in every model.",
                "Choose another path.");
}

void CheckTakenNames(const Model& model, Report* report) {
  for (const EntityModel& entity : model.entities) {
    if (entity.parent.empty()) {
      CheckSegment(entity.path, entity.place, SubjectOf(entity), report);
    }
    for (const KeyModel& key : entity.keys) {
      for (const KeyModel::Part& part : key.parts) {
        if (!part.text.Prefix().starts_with(kTakenPrefix)) continue;
        report->Error("reserved_key", key.place, SubjectOfKey(entity, key.index),
                      part.attribute + " begins with " + std::string(kTakenPrefix) +
                          ", which belongs to the items of the server itself.",
                      "Let the key begin with another text.");
      }
    }
  }
  for (const PatternModel& pattern : model.patterns) {
    CheckSegment(FirstSegment(pattern.route), pattern.place, SubjectOf(pattern), report);
  }
  for (const OperationModel& operation : model.operations) {
    CheckSegment(FirstSegment(operation.route), operation.place, "operations." + operation.name,
                 report);
  }
}

// Finds derived attributes that need each other.
class DeriveCycles {
 public:
  DeriveCycles(const EntityModel& entity, Report* report) : entity_(entity), report_(*report) {}

  void Check() {
    for (const AttributeModel& attribute : entity_.attributes) Visit(attribute);
  }

 private:
  void Visit(const AttributeModel& attribute) {
    if (!attribute.derive || Contains(done_, attribute.name)) return;
    const auto begin = std::ranges::find(open_, attribute.name);
    if (begin != open_.end()) return Tell(attribute, begin - open_.begin());
    open_.push_back(attribute.name);
    for (const std::string& path : attribute.derive->paths()) {
      const AttributeModel* needed = entity_.Find(path.substr(0, path.find('.')));
      if (needed != nullptr) Visit(*needed);
    }
    open_.pop_back();
    done_.push_back(attribute.name);
  }

  void Tell(const AttributeModel& attribute, std::ptrdiff_t begin) {
    std::string way;
    for (auto name = open_.begin() + begin; name != open_.end(); ++name) way += *name + " needs ";
    report_.Error("circular_derive", attribute.place, SubjectOf(entity_, attribute),
                  attribute.name + " is derived from itself: " + way + attribute.name + ".",
                  "Derive one of them from attributes that are given.");
  }

  static bool Contains(const std::vector<std::string>& names, std::string_view name) {
    return std::ranges::find(names, name) != names.end();
  }

  const EntityModel& entity_;
  Report& report_;
  std::vector<std::string> open_;  // the attributes on the way from the first to this one
  std::vector<std::string> done_;
};

// The server overwrites a live copy with the value of its source at the next change.
void CheckSteps(const Model& model, const OperationModel& operation, Report* report) {
  for (const OperationModel::Step& step : operation.steps) {
    const EntityModel* entity = model.FindEntity(step.entity);
    if (entity == nullptr) continue;
    for (const auto& [name, value] : step.set) {
      const auto copy = std::ranges::find(entity->copies, name, &CopyModel::attribute);
      if (copy == entity->copies.end() || !copy->live) continue;
      report->Error("sets_copy", step.place, "operations." + operation.name,
                    operation.name + " sets " + entity->name + "." + name +
                        ", which is a copy of " + copy->source_entity + "." +
                        copy->source_attribute + ".",
                    "Change the source, or write `mode: once` for the copy.");
    }
  }
}

void CheckExamples(const Model& model, const PatternModel& pattern, Report* report) {
  const EntityModel* entity = model.FindEntity(pattern.entity);
  if (entity == nullptr) return;
  for (const PatternModel::Example& example : pattern.examples) {
    for (const auto& [name, text] : example.given) {
      const TypeModel* type = entity->FindPath(name);
      const EnumModel* values = type == nullptr ? nullptr : model.FindEnum(type->enum_name);
      if (values == nullptr || values->open || values->Find(text) != nullptr) continue;
      report->Error("example_not_in_enum", pattern.place, SubjectOf(pattern),
                    "An example gives " + name + " the value " + text + ", which " + values->name +
                        " does not have.",
                    "Use one of the values of " + values->name + ".");
    }
  }
}

}  // namespace

void CheckRules(const Model& model, Report* report) {
  CheckTakenNames(model, report);
  for (const EntityModel& entity : model.entities) DeriveCycles(entity, report).Check();
  for (const OperationModel& operation : model.operations) CheckSteps(model, operation, report);
  for (const PatternModel& pattern : model.patterns) CheckExamples(model, pattern, report);
}

}  // namespace monotable::model
