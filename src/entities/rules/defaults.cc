#include <utility>

#include "entities/codec/codec.h"
#include "entities/rules/rulebook.h"

namespace monotable::entities {
namespace {

using model::AttributeModel;

// Puts in the defaults that are literals of the model file, also those within objects.
Status FillLiterals(const Application& application, const std::vector<AttributeModel>& declared,
                    item::Map* attributes) {
  for (const AttributeModel& attribute : declared) {
    item::Value* present = attributes->Find(attribute.name);
    if (present == nullptr && attribute.default_value) {
      TRY_ASSIGN(item::Value value, DecodeParameter(application, attribute.type, attribute.name,
                                                    attribute.default_value->text));
      attributes->Set(attribute.name, std::move(value));
    } else if (present != nullptr && present->is(item::Type::kMap)) {
      TRY(FillLiterals(application, attribute.type.attributes, &present->map()));
    }
  }
  return {};
}

bool HasLiterals(const std::vector<AttributeModel>& declared) {
  for (const AttributeModel& attribute : declared) {
    if (attribute.default_value || HasLiterals(attribute.type.attributes)) return true;
  }
  return false;
}

// Defaults: an attribute that the client does not give has the value of the model file.
//
// Reads and locks: nothing. Changes: missing attributes of a new or replaced item. Refuses:
// nothing. Defaults that come from other items are a part of the references rule.
class DefaultsRule final : public WriteRule {
 public:
  std::vector<Phase> phases() const override { return {Phase::kFill}; }

  Status Fill(Plan* plan, const Filling& filling) const override {
    return FillLiterals(plan->application, filling.entity.model->attributes, filling.attributes);
  }
};

}  // namespace

std::unique_ptr<WriteRule> MakeDefaultsRule(const Entity& entity) {
  if (!HasLiterals(entity.model->attributes)) return nullptr;
  return std::make_unique<DefaultsRule>();
}

}  // namespace monotable::entities
