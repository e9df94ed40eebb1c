// Expressions of every kind, parsed, bound and applied to items. The first byte chooses the kind;
// up to a line feed follows the text, then the value of :s.

#include <string>
#include <vector>

#include "encoding/item.h"
#include "expression/condition.h"
#include "expression/key_condition.h"
#include "expression/projection.h"
#include "expression/substitutions.h"
#include "expression/update.h"
#include "fuzz/fuzz_target.h"
#include "item/value.h"

using namespace monotable::expression;  // NOLINT: a program of its own
using monotable::fuzz::Check;
using monotable::fuzz::TakeByte;
using monotable::fuzz::TakeUntil;
using monotable::item::Item;
using monotable::item::Number;
using monotable::item::Type;
using monotable::item::Value;

namespace {

Value List() {
  return Value(monotable::item::List{Value("x"), Value(Number::FromInt(7)), Value(true)});
}

Value Map() {
  Item map;
  map.Set("x", Value("inner"));
  map.Set("l", List());
  return Value(map);
}

Substitutions MakeSubstitutions(std::string_view text) {
  Substitutions::Values values = {
      {":s", Value(text)},
      {":t", Value("x")},
      {":n", Value(Number::FromInt(5))},
      {":b", Value(monotable::item::Binary{"\x01\x02"})},
      {":f", Value(false)},
      {":z", Value(monotable::item::Null{})},
      {":l", List()},
      {":m", Map()},
      {":ss", Value(monotable::item::MakeStringSet({"x", "y"}))},
      {":ns", Value(monotable::item::MakeNumberSet({Number::FromInt(1), Number::FromInt(5)}))},
  };
  return Substitutions(Substitutions::Names{{"#a", "a"}, {"#n", "n"}, {"#m", "m"}, {"#d", "a.b"}},
                       std::move(values));
}

const std::vector<Item>& Items() {
  static const std::vector<Item> items = [] {
    Item full;
    full.Set("a", Value("text"));
    full.Set("n", Value(Number::FromInt(42)));
    full.Set("b", Value(monotable::item::Binary{"bytes"}));
    full.Set("f", Value(true));
    full.Set("z", Value(monotable::item::Null{}));
    full.Set("l", List());
    full.Set("m", Map());
    full.Set("ss", Value(monotable::item::MakeStringSet({"x"})));
    full.Set("ns", Value(monotable::item::MakeNumberSet({Number::FromInt(1)})));
    Item odd;
    odd.Set("a", Value(Number::FromInt(-1)));
    odd.Set("m", List());
    odd.Set("l", Map());
    return std::vector<Item>{Item(), full, odd};
  }();
  return items;
}

void TryCondition(std::string_view text, std::string_view value, ConditionKind kind) {
  auto substitutions = MakeSubstitutions(value);
  const auto condition = ParseCondition(text, kind, substitutions);
  auto other = MakeSubstitutions(value);
  const auto again = ParseCondition(text, kind, other);
  Check(condition.has_value() == again.has_value(), "parsing again gives the same");
  if (!condition) {
    Check(condition.error().message() == again.error().message(), "and the same error");
    return;
  }
  const auto negated = ParseCondition("NOT (" + std::string(text) + ")", kind, other);
  for (const Item& item : Items()) {
    const bool holds = condition->Evaluate(item);
    Check(again->Evaluate(item) == holds, "a condition has one meaning");
    // The negation may be too long, or its parentheses too many.
    if (negated) Check(negated->Evaluate(item) != holds, "NOT turns the meaning around");
  }
  Check(condition->Paths().size() == condition->TopLevelNames().size(), "every path has a name");
}

void TryUpdate(std::string_view text, std::string_view value) {
  auto substitutions = MakeSubstitutions(value);
  const auto update = ParseUpdate(text, substitutions);
  if (!update) return;
  Check(update->write_actions() + update->clear_actions() > 0, "an update does something");
  static_cast<void>(update->TopLevelNames());
  for (const Item& item : Items()) {
    const auto updated = update->Apply(item);
    if (!updated) continue;
    const auto record = monotable::encoding::EncodeItem(*updated);
    const auto decoded = monotable::encoding::DecodeItem(record.bytes);
    Check(decoded.has_value() && *decoded == *updated, "an updated item can be stored");
    Check(monotable::item::SizeOf(update->ProjectUpdated(*updated)) <=
              monotable::item::SizeOf(*updated),
          "what was updated is a part of the item");
    const auto again = update->Apply(item);
    Check(again.has_value() && *again == *updated, "an update has one result");
  }
}

void TryProjection(std::string_view text, std::string_view value) {
  auto substitutions = MakeSubstitutions(value);
  const auto projection = ParseProjection(text, substitutions);
  if (!projection) return;
  const auto names = projection->TopLevelNames();
  for (const Item& item : Items()) {
    const Item part = projection->Apply(item);
    Check(part.size() <= names.size(), "a projection shows only what it names");
    for (const auto& attribute : part) {
      Check(item.Contains(attribute.name), "a projection invents nothing");
    }
  }
}

void TryKeyCondition(std::string_view text, std::string_view value, bool numbers) {
  monotable::table::KeySchema schema;
  schema.hash = {{"a", Type::kString}};
  schema.range = {{"n", numbers ? Type::kNumber : Type::kString}};
  auto substitutions = MakeSubstitutions(value);
  const auto condition = ParseKeyCondition(text, substitutions, schema);
  if (!condition) return;
  Check(condition->hash.size() == 1 && condition->hash[0].is(Type::kString),
        "a query names one partition");
  Check(condition->range_equal.size() + (condition->range ? 1 : 0) <= 1,
        "a query has one condition on the range");
}

}  // namespace

FUZZ_TARGET(expression) {
  const unsigned kind = TakeByte(&input) % 6;
  const std::string_view text = TakeUntil(&input, '\n');
  switch (kind) {
    case 0:
      return TryCondition(text, input, ConditionKind::kCondition);
    case 1:
      return TryCondition(text, input, ConditionKind::kFilter);
    case 2:
      return TryUpdate(text, input);
    case 3:
      return TryProjection(text, input);
    case 4:
      return TryKeyCondition(text, input, false);
    default:
      return TryKeyCondition(text, input, true);
  }
}
