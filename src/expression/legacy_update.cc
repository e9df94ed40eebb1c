#include "expression/legacy_update.h"

#include <memory>
#include <string>
#include <utility>

#include "expression/set_algebra.h"
#include "expression/update_tree.h"
#include "item/attribute_name.h"

namespace monotable::expression {
namespace {

using item::Type;
using Action = ParsedUpdate::Action;
using UpdateOperand = ParsedUpdate::Operand;

Status Check(const LegacyUpdate& update) {
  const std::string prefix = "One or more parameter values were invalid: ";
  if (!update.value) {
    if (update.action == LegacyAction::kDelete) return {};
    return Error::Validation(prefix +
                             "Only DELETE action is allowed when no attribute value is specified");
  }
  const Type type = update.value->type();
  const std::string type_name(TypeName(type));
  if (update.action == LegacyAction::kDelete && !IsSet(type)) {
    return Error::Validation(prefix + "DELETE action with value is not supported for the type " +
                             type_name);
  }
  const bool can_add = IsSet(type) || type == Type::kNumber || type == Type::kList;
  if (update.action == LegacyAction::kAdd && !can_add) {
    return Error::Validation(prefix + "ADD action is not supported for the type " + type_name);
  }
  return {};
}

Action::Kind KindOf(const LegacyUpdate& update) {
  switch (update.action) {
    case LegacyAction::kPut:
      return Action::Kind::kSet;
    case LegacyAction::kAdd:
      return Action::Kind::kAdd;
    case LegacyAction::kDelete:
      break;
  }
  return update.value ? Action::Kind::kDelete : Action::Kind::kRemove;
}

}  // namespace

Result<BoundUpdate> UpdateFromLegacy(LegacyUpdates updates) {
  const auto parsed = std::make_shared<ParsedUpdate>();
  parsed->is_legacy = true;
  for (auto& [attribute, update] : updates) {
    TRY(item::CheckAttributeName(attribute));
    TRY(Check(update));
    Action action;
    action.kind = KindOf(update);
    action.path = parsed->references.AddTopLevelPath(attribute);
    if (update.value) {
      const uint32_t slot = parsed->references.AddConstant(*std::move(update.value));
      action.operand = parsed->AddOperand({UpdateOperand::Kind::kValue, slot, 0});
    }
    parsed->actions.push_back(action);
  }
  Binding binding = BindConstants(parsed->references);
  TRY_ASSIGN(PathTree targets, UpdateTargets(*parsed, binding));
  return BoundUpdate(parsed, std::move(binding), std::move(targets));
}

}  // namespace monotable::expression
