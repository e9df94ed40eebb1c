#include "model/rule/rule.h"

#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "model/rule/rule_check.h"

namespace monotable::model {
namespace {

using item::Item;
using item::Number;
using item::Value;

Value N(std::string_view text) {
  return Value(*Number::Parse(text));
}

Item Sale() {
  Item item;
  item.Set("Status", Value("CONFIRMED"));
  item.Set("Quantity", N("100"));
  item.Set("UnitPrice", N("55.10"));
  item.Set("Discount", N("0.05"));
  item.Set("SaleDate", Value("2026-01-30T14:30:00Z"));
  item.Set("DeliveryDate", Value("2026-01-30T14:30:00.500Z"));
  item.Set("executed_at", Value("02/02/2026 08:00:00"));
  item.Set("created_at", Value("30/01/2026 14:30:00"));
  item.Set("Day", Value("2026-01-30"));
  item.Set("ttl", Value(Number::FromInt(1'769'783'400)));
  item.Set("Active", Value(true));
  item.Set("Nothing", Value());
  item.Set("Tags", Value(item::MakeStringSet({"a", "b"})));
  item.Set("Sizes", Value(item::MakeNumberSet({*Number::Parse("1"), *Number::Parse("2")})));
  item.Set("Buyer.Status", Value("ACTIVE"));
  return item;
}

std::vector<Item> Lines() {
  std::vector<Item> lines(3);
  lines[0].Set("Total", N("10.50"));
  lines[0].Set("Product", Value("Soja"));
  lines[0].Set("At", Value("30/01/2026 14:30:00"));
  lines[1].Set("Total", N("0.25"));
  lines[1].Set("Product", Value("Milho"));
  lines[1].Set("At", Value("02/02/2026 08:00:00"));
  return lines;
}

// Nothing is known about the types of the sale, and any word may be a value of an enum.
class SaleWords : public RuleVocabulary {
 public:
  explicit SaleWords(const Item& sale) : sale_(sale) { any_.kind = TypeKind::kAny; }
  const TypeModel* FindAttribute(std::string_view path) const override {
    return sale_.Contains(path) || path == "X" ? &any_ : nullptr;
  }
  std::unique_ptr<RuleVocabulary> FindMembers(std::string_view) const override {
    return std::make_unique<SaleWords>(Lines().front());
  }
  const EnumModel* FindEnum(std::string_view) const override { return nullptr; }
  bool IsEnumValue(std::string_view) const override { return true; }
  std::vector<std::string> Known() const override { return {}; }

 private:
  const Item sale_;
  TypeModel any_;
};

// Words that are no attributes of the sale are texts, as a model's are after loading.
std::string Answer(std::string_view text) {
  const Item item = Sale();
  const auto parsed = Rule::Parse(text);
  if (!parsed) return parsed.error().message();
  const Rule rule = CheckRule(*parsed, SaleWords(item), {}).rule;
  Rule::Scope scope;
  scope.find = [&item](std::string_view path) { return item.Find(path); };
  scope.each = [](std::string_view collection, const Rule::Visit& visit) -> Status {
    if (collection != "lines") return {};
    for (const Item& line : Lines()) {
      TRY_ASSIGN(const bool goes_on,
                 visit([&line](std::string_view path) { return line.Find(path); }));
      if (!goes_on) break;
    }
    return {};
  };
  scope.now_ms = 1'769'904'000'000;  // 2026-02-01T00:00:00Z
  const auto result = rule.Evaluate(scope);
  if (!result) return result.error().message();
  if (!*result) return "null";
  switch ((*result)->type()) {
    case item::Type::kBool:
      return (*result)->boolean() ? "true" : "false";
    case item::Type::kNumber:
      return (*result)->number().ToString();
    case item::Type::kString:
      return "'" + (*result)->string() + "'";
    default:
      return std::string(item::TypeName((*result)->type()));
  }
}

TEST(RuleTest, HasTheUsualPrecedence) {
  EXPECT_EQ(Answer("1 + 2 * 3"), "7");
  EXPECT_EQ(Answer("(1 + 2) * 3"), "9");
  EXPECT_EQ(Answer("10 - 2 - 3"), "5");
  EXPECT_EQ(Answer("12 / 2 / 3"), "2");
  EXPECT_EQ(Answer("-2 * -3 + -1"), "5");
  EXPECT_EQ(Answer("1 + 1 == 2 and 3 > 2"), "true");
  EXPECT_EQ(Answer("true or false and false"), "true");
  EXPECT_EQ(Answer("not false and false"), "false");
  EXPECT_EQ(Answer("not 1 == 2"), "true");
  EXPECT_EQ(Answer("not not true"), "true");
}

TEST(RuleTest, CalculatesExactly) {
  EXPECT_EQ(Answer("Quantity * UnitPrice"), "5510");
  EXPECT_EQ(Answer("0.1 + 0.2"), "0.3");
  EXPECT_EQ(Answer("UnitPrice - Discount"), "55.05");
  EXPECT_EQ(Answer("1 / 3"), "0." + std::string(38, '3'));
  EXPECT_EQ(Answer("sum(lines.Total)"), "10.75");
  EXPECT_EQ(Answer("sum(none.Total)"), "0");
  EXPECT_EQ(Answer("count(none)"), "0");
  EXPECT_EQ(Answer("sum(lines.Total) - Discount + 1"), "11.7");
}

TEST(RuleTest, ReadsBareWordsAsAttributesOrText) {
  EXPECT_EQ(Answer("Status == CONFIRMED"), "true");
  EXPECT_EQ(Answer("Status != DRAFT"), "true");
  EXPECT_EQ(Answer("Status == 'CONFIRMED'"), "true");
  EXPECT_EQ(Answer("'Status' == CONFIRMED"), "false");
  EXPECT_EQ(Answer("Status in [DRAFT, CONFIRMED]"), "true");
  EXPECT_EQ(Answer("not Status in [DRAFT]"), "true");
  EXPECT_EQ(Answer("Status in []"), "false");
  EXPECT_EQ(Answer("15_DAYS"), "'15_DAYS'");
  EXPECT_EQ(Answer("Buyer.Status == ACTIVE"), "true");
  EXPECT_EQ(Answer("São"), "'São'");
  EXPECT_EQ(Answer("'it''s'"), "'it's'");
  EXPECT_EQ(Answer("a in Tags"), "true");
  EXPECT_EQ(Answer("c in Tags"), "false");
  EXPECT_EQ(Answer("2.0 in Sizes"), "true");
  EXPECT_EQ(Answer("[1, a]"), "L");
  EXPECT_EQ(Answer("Active and Status == CONFIRMED"), "true");
}

TEST(RuleTest, TreatsWhatIsMissingAsNull) {
  EXPECT_EQ(Answer("X == null"), "true");
  EXPECT_EQ(Answer("Nothing == null"), "true");
  EXPECT_EQ(Answer("Status == null"), "false");
  EXPECT_EQ(Answer("Status != null"), "true");
  EXPECT_EQ(Answer("X == null or X >= SaleDate"), "true");
  EXPECT_EQ(Answer("X != DRAFT"), "true");
  for (const std::string_view rule : {"X < 1", "X <= 1", "X > 1", "1 >= X", "X == 1", "X in [1]",
                                      "X in [null]", "1 in X", "X and true", "null < null"}) {
    EXPECT_EQ(Answer(rule), "false") << rule;
  }
  EXPECT_EQ(Answer("not X"), "true");
  // A missing number counts as zero in sums, so that counters begin at zero.
  EXPECT_EQ(Answer("X + 1"), "1");
  EXPECT_EQ(Answer("X - 1"), "-1");
  EXPECT_EQ(Answer("5 - X"), "5");
  EXPECT_EQ(Answer("X + X"), "null");
  EXPECT_EQ(Answer("X * 2"), "null");
  EXPECT_EQ(Answer("X + 4h"), "null");
  EXPECT_EQ(Answer("-X"), "null");
  EXPECT_EQ(Answer("1 / X"), "null");
}

TEST(RuleTest, ComparesMomentsWhateverTheirForm) {
  EXPECT_EQ(Answer("DeliveryDate > SaleDate"), "true");   // bytes would say otherwise
  EXPECT_EQ(Answer("executed_at > created_at"), "true");  // likewise
  EXPECT_EQ(Answer("created_at == SaleDate"), "true");
  EXPECT_EQ(Answer("ttl == SaleDate"), "true");
  EXPECT_EQ(Answer("ttl < now"), "true");
  EXPECT_EQ(Answer("SaleDate < now and now < executed_at"), "true");
  EXPECT_EQ(Answer("SaleDate >= '2026-01-30'"), "true");
  EXPECT_EQ(Answer("Day < SaleDate"), "true");
  EXPECT_EQ(Answer("now"), "'2026-02-01T00:00:00.000Z'");
  EXPECT_EQ(Answer("'b' > 'a' and 'B' < 'a'"), "true");
  EXPECT_EQ(Answer("'2026-01-30' < 'a'"), "true");
}

TEST(RuleTest, CalculatesWithTime) {
  EXPECT_EQ(Answer("SaleDate + 4h"), "'2026-01-30T18:30:00.000Z'");
  EXPECT_EQ(Answer("90m + SaleDate"), "'2026-01-30T16:00:00.000Z'");
  EXPECT_EQ(Answer("now - 30d"), "'2026-01-02T00:00:00.000Z'");
  EXPECT_EQ(Answer("created_at + 1d == SaleDate + 24h"), "true");
  EXPECT_EQ(Answer("Day + 2d > SaleDate"), "true");
  EXPECT_EQ(Answer("now - SaleDate > 33h"), "true");
  EXPECT_EQ(Answer("now - SaleDate > 34h"), "false");
  EXPECT_EQ(Answer("(now - SaleDate) / 1h"), "33.5");
  EXPECT_EQ(Answer("2 * 4h == 8h and 1d / 2 == 12h and -1h < 0s"), "true");
  EXPECT_EQ(Answer("1d - 1h == 23h and 500ms + 500ms == 1s"), "true");
  EXPECT_EQ(Answer("days(Day, now)"), "2");
  EXPECT_EQ(Answer("days(now, Day)"), "-2");
  EXPECT_EQ(Answer("days(X, now)"), "null");
  EXPECT_EQ(Answer("15_DAYS == '15_DAYS'"), "true");
}

TEST(RuleTest, ChoosesAndJoins) {
  EXPECT_EQ(Answer("if(Quantity > 50, LARGE, SMALL)"), "'LARGE'");
  EXPECT_EQ(Answer("if(Quantity > 500, LARGE, SMALL)"), "'SMALL'");
  EXPECT_EQ(Answer("if(X, 1, 1 / 1)"), "1");
  EXPECT_EQ(Answer("if(true, 1, 1 / 0)"), "1");  // the other value is not calculated
  EXPECT_EQ(Answer("coalesce(X, Nothing, 7)"), "7");
  EXPECT_EQ(Answer("coalesce(X, Nothing)"), "null");
  EXPECT_EQ(Answer("max(0, Discount - 1)"), "0");
  EXPECT_EQ(Answer("min(Quantity, X, UnitPrice)"), "55.1");
  EXPECT_EQ(Answer("concat(Status, ' – ', Quantity, ' à ', UnitPrice, ' ', Active)"),
            "'CONFIRMED – 100 à 55.1 true'");
  EXPECT_EQ(Answer("concat('Nº ', X)"), "null");
  EXPECT_EQ(Answer("concat(X, Day)"), "'2026-01-30'");
  EXPECT_EQ(Answer("concat(now)"), "'2026-02-01T00:00:00Z'");
}

TEST(RuleTest, LooksAtTheMembersOfCollections) {
  EXPECT_EQ(Answer("sum(lines.Total, Product == Soja)"), "10.5");
  EXPECT_EQ(Answer("count(lines, Total > 1)"), "1");
  EXPECT_EQ(Answer("count(lines)"), "3");
  EXPECT_EQ(Answer("count(lines.Total)"), "2");
  EXPECT_EQ(Answer("min(lines.Total)"), "0.25");
  EXPECT_EQ(Answer("max(lines.Total)"), "10.5");
  EXPECT_EQ(Answer("avg(lines.Total)"), "5.375");
  EXPECT_EQ(Answer("max(lines.At)"), "'02/02/2026 08:00:00'");  // in time, not in bytes
  EXPECT_EQ(Answer("any(lines, Product == Milho and Total < Discount * 6)"), "true");
  EXPECT_EQ(Answer("all(lines, Total > 0)"), "false");  // one has no total
  EXPECT_EQ(Answer("all(lines, Total == null or Total > 0)"), "true");
  EXPECT_EQ(Answer("all(none, false)"), "true");
  EXPECT_EQ(Answer("any(none, true)"), "false");
  EXPECT_EQ(Answer("avg(none.Total)"), "null");
}

TEST(RuleTest, SaysWhatCannotBeEvaluated) {
  const auto why = [](std::string_view rule) {
    const std::string answer = Answer(rule);
    const std::string start = "The rule \"" + std::string(rule) + "\" cannot be evaluated: ";
    EXPECT_TRUE(answer.starts_with(start)) << answer;
    return answer.substr(std::min(start.size(), answer.size()));
  };
  EXPECT_EQ(why("1 / 0"), "A number cannot be divided by zero");
  EXPECT_EQ(why("1 + 'a'"), "type S cannot be calculated with");
  EXPECT_EQ(why("Active < 1"), "type BOOL and type N have no order");
  EXPECT_EQ(why("1 in 'abc'"), "in needs a list or a set, and not type S");
  EXPECT_EQ(why("1 and true"), "type N stands where true or false is needed");
  EXPECT_EQ(why("not Status"), "type S stands where true or false is needed");
  EXPECT_EQ(why("SaleDate + 1000000d + 1000000d + 1000000d"),
            "the moment is not between the years 1 and 9999");
  EXPECT_EQ(why("Status + 4h"), "type S cannot be calculated with");
  EXPECT_EQ(why("sum(lines.Product)"), "type S cannot be calculated with");
  EXPECT_EQ(Answer("false and 1"), "false");  // the left side has decided
  EXPECT_EQ(Answer("1 == 'a'"), "false");

  Rule::Scope scope;
  scope.find = [](std::string_view) { return nullptr; };
  EXPECT_FALSE(Rule::Parse("count(lines)")->Evaluate(scope));
  EXPECT_FALSE(Rule::Parse("1")->Test(scope));
  EXPECT_FALSE(Rule().Test(scope));
  EXPECT_EQ(*Rule::Parse("null")->Test(scope), false);
  EXPECT_EQ(*Rule::Parse("now == null")->Test(scope), true);
  EXPECT_EQ(*Rule::Parse("1 == 1")->Test(scope), true);
}

TEST(RuleTest, NamesItsPaths) {
  const Rule rule =
      *Rule::Parse("Status in [DRAFT, DRAFT] and Total > sum(lines.Total) + count(lines) * Total");
  EXPECT_EQ(rule.text(),
            "Status in [DRAFT, DRAFT] and Total > sum(lines.Total) + count(lines) * Total");
  EXPECT_EQ(rule.paths(), (std::vector<std::string>{"Status", "DRAFT", "Total"}));
  EXPECT_EQ(rule.aggregates(), (std::vector<std::string>{"lines.Total", "lines"}));
  const Rule resolved = CheckRule(rule, SaleWords(Sale()), {}).rule;
  EXPECT_EQ(resolved.paths(), (std::vector<std::string>{"Status"}));
  EXPECT_EQ(resolved.aggregates(), rule.aggregates());
  EXPECT_EQ(resolved.text(), rule.text());
  EXPECT_EQ(rule.paths().size(), 3);  // the original is untouched
}

TEST(RuleTest, SaysWhatIsWrongAndWhere) {
  const auto error = [](std::string_view text) {
    const auto rule = Rule::Parse(text);
    return rule ? "no error" : rule.error().message();
  };
  EXPECT_EQ(error(""), "The rule is empty");
  EXPECT_EQ(error("  "), "The rule is empty");
  EXPECT_EQ(error("a = 1"), "Equality is written ==, at character 3");
  EXPECT_EQ(error("a == \"x\""), "Text is written in single quotes, at character 6");
  EXPECT_EQ(error("a == 'x"), "The text that begins here has no closing quote, at character 6");
  EXPECT_EQ(error("é $ 1"), "\"$\" means nothing in a rule, at character 3");
  EXPECT_EQ(error("a =="), "Expected an attribute or a value, found the end, at character 5");
  EXPECT_EQ(error("a b"), "Expected nothing more, or an operator, found \"b\", at character 3");
  EXPECT_EQ(error("a < b < c"),
            "Expected nothing more, or an operator, found \"<\", at character 7");
  EXPECT_EQ(error("(a"), "Expected ), found the end, at character 3");
  EXPECT_EQ(error("a in [b"), "Expected ], found the end, at character 8");
  EXPECT_EQ(error("and a"), "Expected an attribute or a value, found \"and\", at character 1");
  EXPECT_EQ(error("median(lines.Total)"),
            "There is no function median; the functions are sum, count, min, max, avg, all, any, "
            "if, concat, coalesce, days, at character 1");
  EXPECT_EQ(error("sum(1)"), "sum needs the name of a collection or a list first, at character 5");
  EXPECT_EQ(error("sum(a, b, c)"),
            "sum takes a collection and at most one condition, at character 1");
  EXPECT_EQ(error("1 + all(lines)"),
            "all needs a collection and a condition, as in all(lines, Quantity > 0), at character "
            "5");
  EXPECT_EQ(error("if(a, b)"),
            "if needs a condition, a value for when it holds, and another value, at character 1");
  EXPECT_EQ(error("days(a)"),
            "days needs two dates, as in days(CheckIn, CheckOut), at character 1");
  EXPECT_EQ(error("coalesce(a)"), "coalesce needs at least two values, at character 1");
  EXPECT_EQ(error("a..b"), "\"a..b\" lacks a name beside one of its points, at character 1");
  EXPECT_EQ(error(".5"), "\".5\" lacks a name beside one of its points, at character 1");
  EXPECT_EQ(error(std::string(39, '1')),
            "Attempting to store more than 38 significant digits in a Number");
}

TEST(RuleTest, WithstandsHostileText) {
  EXPECT_FALSE(Rule::Parse(std::string(3000, '(')));
  EXPECT_FALSE(Rule::Parse(std::string(3000, '[')));
  EXPECT_FALSE(Rule::Parse(std::string(5000, 'a')));
  std::string nots;
  for (int i = 0; i < 1000; ++i) nots += "not ";
  EXPECT_FALSE(Rule::Parse(nots + "a"));
  EXPECT_TRUE(Rule::Parse(std::string(60, '(') + "a" + std::string(60, ')')));
  std::string sum = "1";
  for (int i = 0; i < 1000; ++i) sum += "+1";
  EXPECT_EQ(Answer(sum), "1001");
}

}  // namespace
}  // namespace monotable::model
