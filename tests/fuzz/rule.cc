// Rules of models: parsed, checked against a few attributes, and evaluated.

#include "model/rule/rule.h"

#include <memory>
#include <string>
#include <vector>

#include "fuzz/fuzz_target.h"
#include "model/rule/rule_check.h"

using monotable::Status;
using monotable::fuzz::Check;
using monotable::item::Item;
using monotable::item::Number;
using monotable::item::Value;
using monotable::model::CheckedRule;
using monotable::model::CheckRule;
using monotable::model::EnumModel;
using monotable::model::Rule;
using monotable::model::RuleVocabulary;
using monotable::model::TypeKind;
using monotable::model::TypeModel;

namespace {

// An attribute of each type, by the first letter of its name.
class RuleWords final : public RuleVocabulary {
 public:
  const TypeModel* FindAttribute(std::string_view path) const override {
    static const std::vector<TypeModel> types = [] {
      std::vector<TypeModel> all;
      for (int kind = 0; kind <= static_cast<int>(TypeKind::kAny); ++kind) {
        TypeModel type;
        type.kind = static_cast<TypeKind>(kind);
        if (type.kind == TypeKind::kList) type.element = std::make_shared<TypeModel>();
        all.push_back(std::move(type));
      }
      return all;
    }();
    const auto kind = static_cast<size_t>(path.front() - 'a');
    return kind < types.size() ? &types[kind] : nullptr;
  }
  std::unique_ptr<RuleVocabulary> FindMembers(std::string_view name) const override {
    return name == "x" ? std::make_unique<RuleWords>() : nullptr;
  }
  const EnumModel* FindEnum(std::string_view) const override { return nullptr; }
  bool IsEnumValue(std::string_view word) const override { return word.starts_with('E'); }
  std::vector<std::string> Known() const override { return {"a", "b"}; }
};

const std::vector<Item>& RuleItems() {
  static const std::vector<Item> items = [] {
    Item full;
    for (const char* name : {"a", "b", "c", "d", "e", "f"}) {
      full.Set(name, Value("2026-01-30T14:30:00Z"));
    }
    full.Set("b", Value(Number::FromInt(7)));
    full.Set("d", Value(true));
    full.Set("j", Value(monotable::item::List{Value("x"), Value(Number::FromInt(7))}));
    return std::vector<Item>{Item(), full};
  }();
  return items;
}

}  // namespace

FUZZ_TARGET(rule) {
  const auto parsed = Rule::Parse(input);
  const auto again = Rule::Parse(input);
  Check(parsed.has_value() == again.has_value(), "parsing again gives the same");
  if (!parsed) {
    Check(parsed.error().message() == again.error().message(), "and the same error");
    return;
  }
  const CheckedRule checked = CheckRule(*parsed, RuleWords(), {.condition = true});
  for (const Item& item : RuleItems()) {
    Rule::Scope scope;
    scope.find = [&item](std::string_view path) { return item.Find(path); };
    scope.each = [](std::string_view, const Rule::Visit& visit) -> Status {
      for (const Item& member : RuleItems()) {
        const auto goes_on = visit([&member](std::string_view path) { return member.Find(path); });
        if (!goes_on) return goes_on.error();
        if (!*goes_on) break;
      }
      return {};
    };
    scope.now_ms = 1'769'904'000'000;
    static_cast<void>(parsed->Evaluate(scope));
    const auto value = checked.rule.Evaluate(scope);
    const auto holds = checked.rule.Test(scope);
    if (!value || !holds) continue;
    const bool is_true =
        *value && (*value)->is(monotable::item::Type::kBool) && (*value)->boolean();
    Check(*holds == is_true, "what holds evaluates to true");
  }
}
