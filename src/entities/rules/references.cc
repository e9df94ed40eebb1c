#include <utility>

#include <fmt/format.h>

#include "entities/problem.h"
#include "entities/record.h"
#include "entities/rules/relations.h"
#include "entities/rules/rulebook.h"

namespace monotable::entities {
namespace {

using model::AttributeModel;

bool DiffersFrom(const Record* old_record, const Record& record, std::string_view name) {
  const item::Value* before = old_record == nullptr ? nullptr : old_record->attributes.Find(name);
  const item::Value* after = record.attributes.Find(name);
  if (before == nullptr || after == nullptr) return before != after;
  return !(*before == *after);
}

// References: an item that comes to refer to another needs the other, and takes defaults from it.
//
// Reads and locks: the item that it refers to (shared; compared by its existence, or as a whole if
// a default comes from it). Changes: missing attributes with `default: {from: …}` of a new or
// replaced item. Refuses: kMissingReference, with every attribute that refers to nothing.
class ReferencesRule final : public WriteRule {
 public:
  ReferencesRule(std::vector<const AttributeModel*> references,
                 std::vector<const AttributeModel*> defaults)
      : references_(std::move(references)), defaults_(std::move(defaults)) {}

  std::vector<Phase> phases() const override { return {Phase::kRelate}; }

  Status Apply(Phase /*phase*/, Plan* plan, Slot* slot) const override {
    TRY(CheckReferences(plan, *slot));
    return slot->created() || slot->replaced ? TakeDefaults(plan, slot) : Status();
  }

 private:
  Status CheckReferences(Plan* plan, const Slot& slot) const {
    std::vector<FieldProblem> missing;
    for (const AttributeModel* attribute : references_) {
      if (!DiffersFrom(slot.old_record(), *slot.after, attribute->name)) continue;
      if (slot.after->attributes.Find(attribute->name) == nullptr) continue;
      TRY_ASSIGN(const Slot* target, Referenced(plan, slot, *attribute));
      if (target != nullptr && target->current() != nullptr) continue;
      missing.push_back({slot.path + "/" + attribute->name, "missing_reference",
                         fmt::format("There is no {} of this id.", attribute->references)});
    }
    if (missing.empty()) return {};
    auto detail = std::make_shared<ProblemDetail>(ProblemCode::kMissingReference);
    detail->fields = std::move(missing);
    std::string sentence = detail->fields.front().message;
    return Problem(std::move(detail), std::move(sentence));
  }

  Status TakeDefaults(Plan* plan, Slot* slot) const {
    for (const AttributeModel* attribute : defaults_) {
      if (slot->after->attributes.Contains(attribute->name)) continue;
      const size_t dot = attribute->default_from.find('.');
      TRY_ASSIGN(Slot * source, Related(plan, *slot, attribute->default_from.substr(0, dot)));
      if (source == nullptr || source->current() == nullptr) continue;
      const item::Value* value =
          FindPath(source->current()->attributes, attribute->default_from.substr(dot + 1));
      if (value == nullptr) continue;
      source->any_image = false;
      slot->after->attributes.Set(attribute->name, *value);
    }
    return {};
  }

  const std::vector<const AttributeModel*> references_;
  const std::vector<const AttributeModel*> defaults_;
};

}  // namespace

std::unique_ptr<WriteRule> MakeReferencesRule(const Entity& entity) {
  std::vector<const AttributeModel*> references;
  std::vector<const AttributeModel*> defaults;
  for (const AttributeModel& attribute : entity.model->attributes) {
    if (!attribute.references.empty()) references.push_back(&attribute);
    if (!attribute.default_from.empty()) defaults.push_back(&attribute);
  }
  if (references.empty() && defaults.empty()) return nullptr;
  return std::make_unique<ReferencesRule>(std::move(references), std::move(defaults));
}

}  // namespace monotable::entities
