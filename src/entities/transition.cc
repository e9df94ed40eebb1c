#include "entities/transition.h"

namespace monotable::entities {

std::optional<IllegalTransition> FindIllegalTransition(const Entity& entity,
                                                       const item::Map& before,
                                                       const item::Map& after) {
  for (const model::AttributeModel& attribute : entity.model->attributes) {
    if (attribute.type.kind != model::TypeKind::kEnum) continue;
    const model::EnumModel* states = entity.application->model().FindEnum(attribute.type.enum_name);
    if (states == nullptr || states->transitions == model::EnumModel::Transitions::kNone) continue;
    const item::Value* from = before.Find(attribute.name);
    const item::Value* to = after.Find(attribute.name);
    if (from == nullptr || to == nullptr || *from == *to) continue;
    if (!from->is(item::Type::kString) || !to->is(item::Type::kString)) continue;
    if (states->Allows(from->string(), to->string())) continue;
    return IllegalTransition{&attribute, states, from->string(), to->string()};
  }
  return std::nullopt;
}

}  // namespace monotable::entities
