#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "entities/codec/codec.h"
#include "entities/problem.h"
#include "entities/record.h"
#include "entities/rules/rulebook.h"

namespace monotable::entities {
namespace {

using model::AttributeModel;
using model::ChangePolicy;

// Changes: an attribute with `change: never` has the value that its item was created with, one with
// `change: once` keeps its first value, and one with `change: by_operation` has only values that
// the set of an operation gave it.
//
// Reads and locks: nothing. Changes: nothing. Refuses: kInvalid with the field, code read_only.
class ChangesRule final : public WriteRule {
 public:
  struct Kept {
    const AttributeModel* attribute = nullptr;
    std::optional<item::Value> initial;  // what a new item has, of one that operations change
  };
  explicit ChangesRule(std::vector<Kept> kept) : kept_(std::move(kept)) {}

  std::vector<Phase> phases() const override { return {Phase::kCheck}; }

  Status Apply(Phase /*phase*/, Plan* /*plan*/, Slot* slot) const override {
    std::vector<FieldProblem> problems;
    for (const Kept& kept : kept_) {
      const std::string why = WhyNot(kept, *slot);
      if (why.empty()) continue;
      problems.push_back({slot->path + "/" + kept.attribute->name, "read_only", why});
    }
    if (problems.empty()) return {};
    return InvalidFields(std::move(problems));
  }

 private:
  static std::string WhyNot(const Kept& kept, const Slot& slot) {
    const std::string& name = kept.attribute->name;
    const Record* old_record = slot.old_record();
    const item::Value* before = old_record == nullptr ? nullptr : old_record->attributes.Find(name);
    const item::Value* after = slot.after->attributes.Find(name);
    switch (kept.attribute->change) {
      case ChangePolicy::kNever:
        if (old_record == nullptr || AreSame(before, after)) return "";
        return name + " cannot change after the item was created.";
      case ChangePolicy::kOnce:
        if (before == nullptr || AreSame(before, after)) return "";
        return name + " has a value, which cannot change.";
      case ChangePolicy::kByOperation: {
        const auto& set = slot.set_by_operation;
        if (std::find(set.begin(), set.end(), name) != set.end()) return "";
        if (old_record == nullptr) {
          const bool is_initial = after == nullptr || (kept.initial && *after == *kept.initial);
          return is_initial ? "" : name + " is set by operations only. Leave it out.";
        }
        return AreSame(before, after) ? "" : name + " is changed by operations only.";
      }
      case ChangePolicy::kAlways:
        break;
    }
    return "";
  }

  const std::vector<Kept> kept_;
};

// What the server gives to a new item.
std::optional<item::Value> InitialOf(const Application& application,
                                     const AttributeModel& attribute) {
  if (attribute.default_value) {
    auto value =
        DecodeParameter(application, attribute.type, attribute.name, attribute.default_value->text);
    if (value) return *std::move(value);
  }
  const model::EnumModel* values = application.model().FindEnum(attribute.type.enum_name);
  if (values == nullptr || values->initial.empty()) return std::nullopt;
  return item::Value(values->initial);
}

}  // namespace

std::unique_ptr<WriteRule> MakeChangesRule(const Entity& entity) {
  std::vector<ChangesRule::Kept> kept;
  for (const AttributeModel& attribute : entity.model->attributes) {
    if (attribute.change == ChangePolicy::kAlways) continue;
    kept.push_back({&attribute, InitialOf(*entity.application, attribute)});
  }
  if (kept.empty()) return nullptr;
  return std::make_unique<ChangesRule>(std::move(kept));
}

}  // namespace monotable::entities
