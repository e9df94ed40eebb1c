#include "model/template/template.h"

#include <string>

#include <gtest/gtest.h>

namespace monotable::model {
namespace {

using item::Item;
using item::Number;
using item::Value;

Template T(std::string_view text) {
  auto parsed = Template::Parse(text);
  EXPECT_TRUE(parsed) << text << ": " << (parsed ? "" : parsed.error().message());
  return parsed ? *parsed : Template();
}

std::string ParseError(std::string_view text) {
  const auto parsed = Template::Parse(text);
  return parsed ? "no error" : parsed.error().message();
}

Template::Lookup In(const Item& item) {
  return [&item](std::string_view path) { return item.Find(path); };
}

std::string Render(std::string_view text, const Item& item, const std::string& forbidden = "#") {
  const auto rendered = T(text).Render(In(item), {forbidden});
  if (!rendered) return rendered.error().message();
  return rendered->value_or("absent");
}

Item SampleSale() {
  Item item;
  item.Set("SaleId", Value("SALE001"));
  item.Set("LineNumber", Value(Number::FromInt(7)));
  item.Set("Price", Value(*Number::Parse("12.50")));
  item.Set("SaleDate", Value("2026-01-30T14:30:00Z"));
  item.Set("created_at", Value("30/01/2026 14:30:00"));
  item.Set("Due", Value("2026-02-15"));
  item.Set("Stamp", Value(Number::FromInt(1'769'783'400)));
  item.Set("Name", Value("Álvaro #1"));
  item.Set("Document", Value("12.345.678/0001-99"));
  item.Set("Active", Value(true));
  item.Set("Nothing", Value());
  item.Set("Empty", Value(""));
  item.Set("address.city", Value("Recife"));
  item.Set("Tags", Value(item::List{}));
  return item;
}

std::string Bound(const std::optional<std::vector<Template::Binding>>& bindings) {
  if (!bindings) return "no match";
  std::string text;
  for (const auto& binding : *bindings) text += binding.attribute + "=" + binding.text + ";";
  return text;
}

TEST(TemplateTest, ParsesLiteralsAttributesFormatsAndFilters) {
  const Template line = T("SALE#{SaleId}#LINE#{LineNumber:03}");
  ASSERT_EQ(line.parts().size(), 4);
  EXPECT_EQ(line.parts()[0].literal, "SALE#");
  EXPECT_EQ(line.parts()[1].attribute, "SaleId");
  EXPECT_EQ(line.parts()[3].attribute, "LineNumber");
  EXPECT_EQ(line.parts()[3].format, "03");
  EXPECT_EQ(line.attributes(), (std::vector<std::string>{"SaleId", "LineNumber"}));
  EXPECT_EQ(line.Prefix(), "SALE#");
  EXPECT_FALSE(line.is_constant());

  const Template shard = T("{address.city|fold|shard(8)}");
  using Filter = TemplatePart::Filter;
  EXPECT_EQ(shard.parts()[0].attribute, "address.city");
  EXPECT_EQ(shard.parts()[0].filters, (std::vector<Filter>{Filter::kFold, Filter::kShard}));
  EXPECT_EQ(shard.parts()[0].shards, 8);
  EXPECT_EQ(shard.Prefix(), "");

  EXPECT_TRUE(T("#METADATA#sale").is_constant());
  EXPECT_EQ(T("#METADATA#sale").Prefix(), "#METADATA#sale");
  EXPECT_EQ(T("{a}#{a}").attributes(), std::vector<std::string>{"a"});
}

TEST(TemplateTest, ReadsAngleBracketsAsBraces) {
  EXPECT_EQ(T("ORDER#<order-id>#{n}"), T("ORDER#{order-id}#{n}"));
  EXPECT_EQ(T("ORDER#<order-id>").text(), "ORDER#{order-id}");
  EXPECT_EQ(T("A{b:yyyy-MM|lower|shard(12)}").text(), "A{b:yyyy-MM|lower|shard(12)}");
}

TEST(TemplateTest, SaysWhatIsWrongAndWhere) {
  EXPECT_EQ(ParseError(""), "The template is empty");
  EXPECT_EQ(ParseError("SALE#{SaleId"), "There is a { without its }, at character 6");
  EXPECT_EQ(ParseError("SALE#{a{b}}"), "There is a { without its }, at character 6");
  EXPECT_EQ(ParseError("a}"), "There is a } that closes nothing, at character 2");
  EXPECT_EQ(ParseError("é>"), "There is a > that closes nothing, at character 2");
  EXPECT_EQ(ParseError("{a>"), "There is a { without its }, at character 1");
  EXPECT_EQ(ParseError("x{}"), "There is no attribute between the braces, at character 3");
  EXPECT_EQ(ParseError("{SampleSale Id}"),
            "\"SampleSale Id\" is not the name of an attribute, at character 2");
  EXPECT_EQ(ParseError("{a..b}"), "\"a..b\" is not the name of an attribute, at character 2");
  EXPECT_EQ(ParseError("{a.}"), "\"a.\" is not the name of an attribute, at character 2");
  for (const std::string_view format : {"3", "0", "00", "039", "yyy", "", "%d", "-3"}) {
    EXPECT_TRUE(ParseError("{a:" + std::string(format) + "}")
                    .starts_with("\"" + std::string(format) + "\" is not a format"))
        << format;
  }
  EXPECT_EQ(ParseError("{a|trim}"),
            "\"trim\" is not a filter; there are lower, upper, digits, fold, esc and shard(n), at "
            "character 4");
  EXPECT_EQ(ParseError("{a|lower(2)}"),
            "The filter lower takes nothing in brackets, at character 4");
  for (const std::string_view shard :
       {"shard", "shard()", "shard(1)", "shard(1001)", "shard(x)", "shard(8", "shard(-2)"}) {
    EXPECT_EQ(ParseError("{a|" + std::string(shard) + "}"),
              "shard needs a number from 2 to 1000, as in shard(8), at character 4");
  }
  EXPECT_EQ(ParseError("{a|shard(2)|lower}"), "shard must be the last filter, at character 13");
}

TEST(TemplateTest, RendersLiteralTextToTheByte) {
  EXPECT_EQ(Render("#METADATA#sale", SampleSale()), "#METADATA#sale");
  EXPECT_EQ(Render("SampleSale #{SaleId} ", SampleSale()), "SampleSale #SALE001 ");
  EXPECT_EQ(Render("{address.city}/{Price}/{Active}", SampleSale()), "Recife/12.5/true");
}

TEST(TemplateTest, RendersFormats) {
  EXPECT_EQ(Render("LINE#{LineNumber:03}", SampleSale()), "LINE#007");
  EXPECT_EQ(Render("{SaleDate:yyyy-MM}", SampleSale()), "2026-01");
  EXPECT_EQ(Render("{created_at:iso}", SampleSale()), "2026-01-30T14:30:00Z");
  EXPECT_EQ(Render("{created_at:isoms}", SampleSale()), "2026-01-30T14:30:00.000Z");
  EXPECT_EQ(Render("{Due:yyyyMMdd}", SampleSale()), "20260215");
  EXPECT_EQ(Render("{Stamp:yyyy-MM-ddTHH}", SampleSale()), "2026-01-30T14");
}

TEST(TemplateTest, RendersFilters) {
  EXPECT_EQ(Render("{Document|digits}", SampleSale()), "12345678000199");
  EXPECT_EQ(Render("{Name|esc}", SampleSale()), "Álvaro %231");
  EXPECT_EQ(Render("{SaleId|lower}", SampleSale()), "sale001");
  EXPECT_EQ(Render("{Name|fold|esc}", SampleSale()), "alvaro %231");
  EXPECT_EQ(Render("{address.city|upper}", SampleSale()), "RECIFE");
  const std::string shard = Render("{SaleId|shard(4)}", SampleSale());
  EXPECT_TRUE(shard == "0" || shard == "1" || shard == "2" || shard == "3") << shard;
}

TEST(TemplateTest, IsAbsentWithoutAnAttribute) {
  EXPECT_EQ(Render("A#{SaleId}#{Missing}", SampleSale()), "absent");
  EXPECT_EQ(Render("A#{Nothing}", SampleSale()), "absent");
}

TEST(TemplateTest, RefusesValuesThatCannotBeInKeys) {
  const std::string start = "The value of ";
  EXPECT_EQ(Render("{Name}", SampleSale()),
            start + "Name cannot be part of a key: it contains \"#\"");
  EXPECT_EQ(Render("{Name}", SampleSale(), ""), "Álvaro #1");
  EXPECT_EQ(Render("{Name|lower}", SampleSale(), "/#"),
            start + "Name cannot be part of a key: it contains \"#\"");
  EXPECT_EQ(Render("{Due:dd/MM}", SampleSale(), "/"), "15/02");
  EXPECT_EQ(Render("{Tags}", SampleSale()), start + "Tags cannot be part of a key: its type is L");
  EXPECT_EQ(Render("{Empty}", SampleSale()), start + "Empty cannot be part of a key: it is empty");
  EXPECT_EQ(Render("{address.city|digits}", SampleSale()),
            start + "address.city cannot be part of a key: it is empty");
  EXPECT_EQ(Render("{SaleId:03}", SampleSale()),
            start + "SaleId cannot be part of a key: its format :03 is for numbers");
  EXPECT_EQ(Render("{SaleId:iso}", SampleSale()),
            start +
                "SaleId cannot be part of a key: it is not a date or an instant, as its format "
                ":iso requires");
  Item item;
  item.Set("n", Value(Number::FromInt(1000)));
  EXPECT_EQ(Render("{n:03}", item),
            start + "n cannot be part of a key: 1000 has more than the 3 digits of its format");
  EXPECT_EQ(Render("{n:04}", item), "1000");
  item.Set("n", Value(Number::FromInt(-1)));
  EXPECT_EQ(Render("{n:03}", item),
            start +
                "n cannot be part of a key: -1 is not a whole number from zero up, as its format "
                "requires");
  item.Set("n", Value(*Number::Parse("1.5")));
  EXPECT_TRUE(Render("{n:03}", item).starts_with(start + "n cannot be part of a key: 1.5"));
  item.Set("n", Value());
  EXPECT_EQ(Render("{n:03}", item), "absent");
}

TEST(TemplateTest, TakesTextsApart) {
  const Template order = T("COMPANY#{cnpj}#ORDER#{order_id}");
  EXPECT_EQ(Bound(order.Match("COMPANY#12.345/1#ORDER#ORD-1")), "cnpj=12.345/1;order_id=ORD-1;");
  EXPECT_EQ(Bound(order.Match("COMPANY#1#ORDER#")), "no match");
  EXPECT_EQ(Bound(order.Match("COMPANY##ORDER#1")), "no match");
  EXPECT_EQ(Bound(order.Match("company#1#ORDER#2")), "no match");
  EXPECT_EQ(Bound(order.Match("")), "no match");
  EXPECT_EQ(Bound(T("METADATA").Match("METADATA")), "");
  EXPECT_EQ(Bound(T("METADATA").Match("METADATA2")), "no match");
  EXPECT_EQ(Bound(T("{a}#{a}").Match("x#x")), "a=x;");
  EXPECT_EQ(Bound(T("{a}#{a}").Match("x#y")), "no match");
}

TEST(TemplateTest, NeverGuessesWhereAValueEnds) {
  const Template order = T("COMPANY#{cnpj}#ORDER#{order_id}");
  EXPECT_EQ(Bound(order.Match("COMPANY#1#ORDER#2#ORDER#3")), "no match");
  EXPECT_EQ(Bound(T("{a}{b}").Match("xyz")), "no match");
  EXPECT_EQ(Bound(T("{a}{b}").Match("xy")), "a=x;b=y;");
  EXPECT_EQ(Bound(T("{a}-{b}").Match("x-y-z")), "no match");
  EXPECT_EQ(Bound(T("{a}-{b}").Match("x-y")), "a=x;b=y;");
  // A value that must not contain a # ends before the first one.
  EXPECT_EQ(Bound(T("{a}-#{b}").Match("x-#-#y")), "no match");
  EXPECT_EQ(Bound(T("{a}-#{b}").Match("x-#y#z", {"#"})), "no match");
  EXPECT_EQ(Bound(T("{a}-#{b}").Match("x--#y-", {"#"})), "a=x-;b=y-;");
}

TEST(TemplateTest, TakesFormatsAndFiltersApart) {
  EXPECT_EQ(Bound(T("LINE#{n:03}").Match("LINE#007")), "n=7;");
  EXPECT_EQ(Bound(T("LINE#{n:03}").Match("LINE#000")), "n=0;");
  EXPECT_EQ(Bound(T("LINE#{n:03}").Match("LINE#07")), "no match");
  EXPECT_EQ(Bound(T("LINE#{n:03}").Match("LINE#0x7")), "no match");
  EXPECT_EQ(Bound(T("{n:03}{a}").Match("0079")), "n=7;a=9;");
  EXPECT_EQ(Bound(T("{a}{n:03}").Match("x0079")), "a=x0;n=79;");
  EXPECT_EQ(Bound(T("{d:iso}#{a}").Match("2026-01-30T14:30:00Z#1")), "d=2026-01-30T14:30:00Z;a=1;");
  EXPECT_EQ(Bound(T("{d:iso}").Match("2026-02-30T14:30:00Z")), "no match");
  EXPECT_EQ(Bound(T("{d:iso}").Match("2026-01-30T14:30:00.000Z")), "no match");
  EXPECT_EQ(Bound(T("{d:isoms}").Match("2026-01-30T14:30:00.000Z")), "d=2026-01-30T14:30:00.000Z;");
  EXPECT_EQ(Bound(T("X#{a|esc}#Y").Match("X#1%232#Y")), "a=1#2;");
  EXPECT_EQ(Bound(T("X#{a|esc}#Y").Match("X#1%242#Y")), "no match");
  // What cannot be read back must fit, but gives nothing.
  EXPECT_EQ(Bound(T("{a|digits}#{b}").Match("12#x")), "b=x;");
  EXPECT_EQ(Bound(T("{a|digits}#{b}").Match("1x#x")), "no match");
  EXPECT_EQ(Bound(T("{d:yyyy-MM}#{b}").Match("2026-01#x")), "b=x;");
  EXPECT_EQ(Bound(T("{a|lower}").Match("ABC")), "no match");
}

TEST(TemplateTest, KnowsWhetherItIsReversible) {
  for (const std::string_view text : {"METADATA", "{a}", "A#{a}#B#{b}", "{a}-{b}", "{a}{n:03}",
                                      "{n:03}{d:iso}{a}#", "{d:isoms}", "{a|esc}"}) {
    EXPECT_TRUE(T(text).reversible()) << text;
  }
  for (const std::string_view text : {"{a}{b}", "{a}{n:03}{b}", "{a|lower}", "{a|digits}",
                                      "{a|fold}", "{a|shard(2)}", "{d:yyyy-MM}", "{a}{b|esc}"}) {
    EXPECT_FALSE(T(text).reversible()) << text;
  }
}

}  // namespace
}  // namespace monotable::model
