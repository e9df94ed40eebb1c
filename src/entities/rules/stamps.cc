#include <utility>

#include "entities/rules/rulebook.h"
#include "model/instant.h"

namespace monotable::entities {
namespace {

using model::AttributeModel;
using model::SetBy;

item::Value MomentOf(const model::TypeModel& type, int64_t now_ms) {
  model::Instant now{now_ms};
  if (type.kind == model::TypeKind::kDate) return item::Value(model::Spell(now, "yyyy-MM-dd"));
  return model::StoreInstant(now, type.stored, type.milliseconds);
}

// Stamps: an item says when and by whom it was created and last written.
//
// Reads and locks: nothing. Changes: the attributes with `set:`. A stamp of the creation is there
// before the key is made, because the key may contain it. Refuses: nothing.
class StampsRule final : public WriteRule {
 public:
  explicit StampsRule(std::vector<const AttributeModel*> stamps) : stamps_(std::move(stamps)) {}

  std::vector<Phase> phases() const override { return {Phase::kFill, Phase::kStamp}; }

  Status Fill(Plan* plan, const Filling& filling) const override {
    if (filling.is_new) Stamp(*plan, nullptr, filling.attributes);
    return {};
  }

  Status Apply(Phase /*phase*/, Plan* plan, Slot* slot) const override {
    Stamp(*plan, slot->old_record(), &slot->after->attributes);
    return {};
  }

 private:
  void Stamp(const Plan& plan, const Record* old_record, item::Map* attributes) const {
    for (const AttributeModel* attribute : stamps_) {
      if (plan.raw && attributes->Contains(attribute->name)) continue;
      const bool on_create =
          attribute->set == SetBy::kOnCreate || attribute->set == SetBy::kCallerOnCreate;
      if (on_create && old_record != nullptr) {
        const item::Value* value = old_record->attributes.Find(attribute->name);
        if (value != nullptr) attributes->Set(attribute->name, *value);
        continue;
      }
      // An operation or a bumped key has set the value already.
      if (on_create && attributes->Contains(attribute->name)) continue;
      if (attribute->set == SetBy::kOnCreate || attribute->set == SetBy::kOnWrite) {
        attributes->Set(attribute->name, MomentOf(attribute->type, plan.now_ms()));
      } else if (!plan.caller.name.empty()) {
        attributes->Set(attribute->name, item::Value(plan.caller.name));
      }
    }
  }

  const std::vector<const AttributeModel*> stamps_;
};

}  // namespace

std::unique_ptr<WriteRule> MakeStampsRule(const Entity& entity) {
  std::vector<const AttributeModel*> stamps;
  for (const AttributeModel& attribute : entity.model->attributes) {
    if (attribute.set != SetBy::kClient) stamps.push_back(&attribute);
  }
  if (stamps.empty()) return nullptr;
  return std::make_unique<StampsRule>(std::move(stamps));
}

}  // namespace monotable::entities
