#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "entities/codec/codec.h"
#include "entities/problem.h"
#include "entities/rules/rulebook.h"

namespace monotable::entities {
namespace {

// The value at a JSON pointer; null if there is none.
const item::Value* FindPointer(const item::Map& attributes, std::string_view pointer) {
  const item::Map* map = &attributes;
  const item::Value* value = nullptr;
  while (pointer.starts_with('/')) {
    pointer.remove_prefix(1);
    const size_t end = std::min(pointer.find('/'), pointer.size());
    std::string name(pointer.substr(0, end));
    for (size_t at = name.find("~1"); at != std::string::npos; at = name.find("~1")) {
      name.replace(at, 2, "/");
    }
    for (size_t at = name.find("~0"); at != std::string::npos; at = name.find("~0", at + 1)) {
      name.replace(at, 2, "~");
    }
    pointer.remove_prefix(end);
    value = map == nullptr ? nullptr : map->Find(name);
    if (value == nullptr) return nullptr;
    map = value->is(item::Type::kMap) ? &value->map() : nullptr;
  }
  return value;
}

// Fields: values have the types and constraints that the model says, required attributes are there,
// and no write adds or changes attributes that the model does not know, if the model rejects them.
// Unknown attributes that raw clients have left in an item stay as they are.
//
// Reads and locks: nothing. Changes: nothing. Refuses: kInvalid, with every field that is wrong.
class FieldsRule final : public WriteRule {
 public:
  std::vector<Phase> phases() const override { return {Phase::kCheck}; }

  Status Apply(Phase /*phase*/, Plan* /*plan*/, Slot* slot) const override {
    const Entity& entity = *slot->entity;
    std::vector<FieldProblem> problems = CheckAttributes(entity, slot->after->attributes);
    const Record* old_record = slot->old_record();
    if (old_record != nullptr) {
      std::erase_if(problems, [&](const FieldProblem& problem) {
        if (problem.code != "unknown") return false;
        const item::Value* before = FindPointer(old_record->attributes, problem.path);
        const item::Value* now = FindPointer(slot->after->attributes, problem.path);
        return before != nullptr && now != nullptr && *before == *now;
      });
    }
    if (slot->raw && entity.model->unknown_attributes == model::UnknownAttributes::kReject) {
      for (const item::Attribute& attribute : slot->after->extra) {
        const item::Value* before =
            old_record == nullptr ? nullptr : old_record->extra.Find(attribute.name);
        if (before != nullptr && *before == attribute.value) continue;
        problems.push_back({"/" + attribute.name, "unknown",
                            fmt::format("{} has no attribute {}.", entity.name(), attribute.name)});
      }
    }
    if (problems.empty()) return {};
    for (FieldProblem& problem : problems) problem.path = slot->path + problem.path;
    return InvalidFields(std::move(problems));
  }
};

}  // namespace

std::unique_ptr<WriteRule> MakeFieldsRule(const Entity& /*entity*/) {
  return std::make_unique<FieldsRule>();
}

}  // namespace monotable::entities
