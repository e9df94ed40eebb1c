#include "entities/rules/expressions.h"

#include <string_view>
#include <utility>

#include "entities/problem.h"
#include "entities/rules/relations.h"
#include "model/instant.h"

namespace monotable::entities {

namespace {

// A value below one that was given: note, address.City, sale.SaleDate.
const item::Value* FindGiven(const Inputs& inputs, std::string_view path) {
  const std::string_view name = path.substr(0, path.find('.'));
  const auto entity = inputs.entities.find(std::string(name));
  if (entity == inputs.entities.end()) return FindPath(inputs.values, path);
  if (entity->second.size() != 1 || name.size() == path.size()) return nullptr;
  return FindPath(entity->second.front(), path.substr(name.size() + 1));
}

const item::Value* FindEach(const item::Value& each, std::string_view path) {
  if (path == "each") return &each;
  if (!each.is(item::Type::kMap)) return nullptr;
  return FindPath(each.map(), path.substr(path.find('.') + 1));
}

}  // namespace

Result<std::optional<item::Value>> Evaluate(Plan* plan, const Slot& slot, const model::Rule& rule,
                                            const CallScope& given) {
  Status failed;
  model::Rule::Scope scope;
  scope.now_ms = plan->now_ms();
  scope.find = [&](std::string_view path) -> const item::Value* {
    constexpr std::string_view kInput = "input.";
    if (given.inputs != nullptr && path.starts_with(kInput)) {
      return FindGiven(*given.inputs, path.substr(kInput.size()));
    }
    if (given.each != nullptr && (path == "each" || path.starts_with("each."))) {
      return FindEach(*given.each, path);
    }
    const Record* record = slot.current() != nullptr ? slot.current() : slot.old_record();
    const item::Value* value = record == nullptr ? nullptr : FindPath(record->attributes, path);
    const size_t dot = path.find('.');
    if (value != nullptr || dot == std::string_view::npos) return value;
    if (record != nullptr && path.substr(0, dot) == slot.entity->name()) {
      return FindPath(record->attributes, path.substr(dot + 1));
    }
    auto related = Related(plan, slot, path.substr(0, dot));
    if (!related) {
      failed = std::move(related).error();
      return nullptr;
    }
    if (*related == nullptr || (*related)->current() == nullptr) return nullptr;
    (*related)->any_image = false;
    return FindPath((*related)->current()->attributes, path.substr(dot + 1));
  };
  scope.each = [&](std::string_view collection, const model::Rule::Visit& visit) -> Status {
    auto members = Members(plan, slot, collection);
    if (!members) {
      failed = std::move(members).error();
      return {};
    }
    for (const Record* member : *members) {
      TRY_ASSIGN(const bool goes_on, visit([member](std::string_view path) {
                   return FindPath(member->attributes, path);
                 }));
      if (!goes_on) break;
    }
    return {};
  };
  auto value = rule.Evaluate(scope);
  if (!failed) return std::move(failed).error();
  if (!value) return Problem(ProblemCode::kRuleFailed, value.error().message());
  return std::move(*value);
}

Result<bool> Test(Plan* plan, const Slot& slot, const model::Rule& rule, const CallScope& given) {
  TRY_ASSIGN(const auto value, Evaluate(plan, slot, rule, given));
  return value && value->is(item::Type::kBool) && value->boolean();
}

item::Value StoredAs(const model::TypeModel& type, item::Value value) {
  if (value.is(item::Type::kNumber) && type.scale) {
    return item::Value(value.number().RoundToScale(*type.scale));
  }
  const bool date = type.kind == model::TypeKind::kDate;
  if (type.kind != model::TypeKind::kInstant && !date) return value;
  const auto instant = model::ReadInstant(value);
  if (!instant) return value;
  if (date) return item::Value(model::Spell(*instant, "yyyy-MM-dd"));
  return model::StoreInstant(*instant, type.stored, type.milliseconds);
}

}  // namespace monotable::entities
