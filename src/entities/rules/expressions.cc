#include "entities/rules/expressions.h"

#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "entities/problem.h"
#include "entities/rules/relations.h"
#include "model/instant.h"

namespace monotable::entities {

Result<std::optional<item::Value>> Evaluate(Plan* plan, const Slot& slot, const model::Rule& rule,
                                            const item::Map* inputs) {
  Status failed;
  std::vector<std::unique_ptr<item::Value>> made;
  model::Rule::Scope scope;
  scope.now = model::StoreInstant({plan->now_ms()}, model::InstantForm::kIso, true);
  scope.find = [&](std::string_view path) -> const item::Value* {
    constexpr std::string_view kInput = "input.";
    if (inputs != nullptr && path.starts_with(kInput)) {
      return FindPath(*inputs, path.substr(kInput.size()));
    }
    const Record* record = slot.current() != nullptr ? slot.current() : slot.old_record();
    const item::Value* value = record == nullptr ? nullptr : FindPath(record->attributes, path);
    const size_t dot = path.find('.');
    if (value != nullptr || dot == std::string_view::npos) return value;
    auto related = Related(plan, slot, path.substr(0, dot));
    if (!related) {
      failed = std::move(related).error();
      return nullptr;
    }
    if (*related == nullptr || (*related)->current() == nullptr) return nullptr;
    (*related)->any_image = false;
    return FindPath((*related)->current()->attributes, path.substr(dot + 1));
  };
  scope.find_all = [&](std::string_view path) {
    std::vector<const item::Value*> values;
    const size_t dot = path.find('.');
    auto members = Members(plan, slot, path.substr(0, dot));
    if (!members) {
      failed = std::move(members).error();
      return values;
    }
    for (const Record* member : *members) {
      if (dot == std::string_view::npos) {
        made.push_back(std::make_unique<item::Value>(true));  // only counted
        values.push_back(made.back().get());
      } else if (const item::Value* value = FindPath(member->attributes, path.substr(dot + 1))) {
        values.push_back(value);
      }
    }
    return values;
  };
  auto value = rule.Evaluate(scope);
  if (!failed) return std::move(failed).error();
  if (!value) return Problem(ProblemCode::kRuleFailed, value.error().message());
  return std::move(*value);
}

Result<bool> Test(Plan* plan, const Slot& slot, const model::Rule& rule) {
  TRY_ASSIGN(const auto value, Evaluate(plan, slot, rule, nullptr));
  return value && value->is(item::Type::kBool) && value->boolean();
}

}  // namespace monotable::entities
