#include "api/rest/filter_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "entities/application_fixture.h"

namespace monotable::api::rest {
namespace {

using Comparison = entities::Filter::Comparison;

class FilterTextTest : public testing::Test {
 protected:
  // A filter as text: attribute, number of the comparison, values.
  static std::string Show(const entities::Filter& filter) {
    std::string text = filter.attribute + " " + Name(filter.comparison);
    for (const item::Value& value : filter.values) {
      text += value.is(item::Type::kNumber) ? " " + value.number().ToString()
              : value.is(item::Type::kBool) ? (value.boolean() ? " true" : " false")
                                            : " '" + value.string() + "'";
    }
    return text;
  }
  static std::string Name(Comparison comparison) {
    static const char* const kNames[] = {"=",        "!=", "<",       "<=",
                                         ">",        ">=", "between", "begins",
                                         "contains", "in", "exists",  "missing"};
    return kNames[static_cast<int>(comparison)];
  }
  std::string Parse(std::string_view attribute, std::string_view text) const {
    const auto filter = ParseFilter(*thing_, attribute, text);
    return filter ? Show(*filter) : "refused";
  }
  std::string ParseOr(std::string_view text) const {
    const auto filters = ParseAlternatives(*thing_, text);
    if (!filters) return "refused";
    std::string all;
    for (const auto& filter : *filters) all += Show(filter) + "; ";
    return all;
  }

  std::unique_ptr<entities::Application> every_ = entities::MakeApplication(entities::kEveryType);
  const entities::Entity* thing_ = every_->Find("Thing");
};

TEST_F(FilterTextTest, ReadsOperatorsAndTypes) {
  EXPECT_EQ(Parse("Name", "Ana"), "Name = 'Ana'");
  EXPECT_EQ(Parse("Name", "eq.Ana"), "Name = 'Ana'");
  EXPECT_EQ(Parse("Count", "gte.10"), "Count >= 10");
  EXPECT_EQ(Parse("Count", "ge.10"), "Count >= 10");
  EXPECT_EQ(Parse("Count", "lte.1"), "Count <= 1");
  EXPECT_EQ(Parse("Count", "le.1"), "Count <= 1");
  EXPECT_EQ(Parse("Price", "lt.1.50"), "Price < 1.5");
  EXPECT_EQ(Parse("Price", "1.50"), "Price = 1.5");
  EXPECT_EQ(Parse("Flag", "ne.true"), "Flag != true");
  EXPECT_EQ(Parse("Status", "DRAFT"), "Status = 'DRAFT'");
  EXPECT_EQ(Parse("Day", "gt.2026-01-30"), "Day > '2026-01-30'");
  EXPECT_EQ(Parse("AtBr", "lt.2026-01-30T14:30:00Z"), "AtBr < '30/01/2026 14:30:00'");
  EXPECT_EQ(Parse("Place.City", "Recife"), "Place.City = 'Recife'");
}

TEST_F(FilterTextTest, ReadsLists) {
  EXPECT_EQ(Parse("Status", "in.(DRAFT,DONE)"), "Status in 'DRAFT' 'DONE'");
  EXPECT_EQ(Parse("Status", "in.DRAFT,DONE"), "Status in 'DRAFT' 'DONE'");
  EXPECT_EQ(Parse("Name", R"(in.("a,b","c\"d",e))"), R"(Name in 'a,b' 'c"d' 'e')");
  EXPECT_EQ(Parse("Count", "between.1,5"), "Count between 1 5");
  EXPECT_EQ(Parse("Count", "between.(1,5)"), "Count between 1 5");
}

TEST_F(FilterTextTest, ReadsPartsOfTextsAndMembers) {
  EXPECT_EQ(Parse("Name", "begins_with.A"), "Name begins 'A'");
  EXPECT_EQ(Parse("Day", "begins_with.2026-"), "Day begins '2026-'");
  EXPECT_EQ(Parse("Name", "contains.n"), "Name contains 'n'");
  EXPECT_EQ(Parse("Tags", "contains.x"), "Tags contains 'x'");
  EXPECT_EQ(Parse("Numbers", "contains.7"), "Numbers contains 7");
  EXPECT_EQ(Parse("Count", "begins_with.1"), "refused");
  EXPECT_EQ(Parse("Numbers", "begins_with.1"), "refused");
}

TEST_F(FilterTextTest, ReadsWhetherAnAttributeIsThere) {
  EXPECT_EQ(Parse("Name", "exists.true"), "Name exists");
  EXPECT_EQ(Parse("Name", "exists.false"), "Name missing");
  EXPECT_EQ(Parse("Name", "missing.true"), "Name missing");
  EXPECT_EQ(Parse("Name", "missing.false"), "Name exists");
  EXPECT_EQ(Parse("Name", "exists.maybe"), "refused");
}

TEST_F(FilterTextTest, RefusesWhatIsNoValueOfTheType) {
  EXPECT_EQ(Parse("Count", "many"), "refused");
  EXPECT_EQ(Parse("Status", "UNKNOWN"), "refused");
  EXPECT_EQ(Parse("Count", "between.1"), "refused");
  EXPECT_EQ(Parse("Count", "between.1,2,3"), "refused");
  EXPECT_EQ(Parse("Name", "in.(a"), "refused");
  EXPECT_EQ(Parse("Name", "in.\"a"), "refused");
  EXPECT_EQ(Parse("Name", "in." + std::string(200, ',')), "refused");
}

TEST_F(FilterTextTest, HidesWhatIsHidden) {
  EXPECT_EQ(Parse("Password", "begins_with.a"), "refused");
  EXPECT_EQ(Parse("Place.Secret", "a"), "refused");
  EXPECT_EQ(Parse("PK", "THING#1"), "refused");
  EXPECT_EQ(Parse("None", "a"), "refused");
  EXPECT_EQ(VisibleType(*thing_, "Place.Street.More"), nullptr);
  EXPECT_EQ(ParseOr("(Password.eq.a)"), "refused");
}

TEST_F(FilterTextTest, ReadsAlternatives) {
  EXPECT_EQ(ParseOr("(Name.eq.Ana,Count.gt.5)"), "Name = 'Ana'; Count > 5; ");
  EXPECT_EQ(ParseOr("Place.City.eq.Recife"), "Place.City = 'Recife'; ");
  EXPECT_EQ(ParseOr("(Status.in.(DRAFT,DONE),Name.eq.\"a,b\")"),
            "Status in 'DRAFT' 'DONE'; Name = 'a,b'; ");
  for (const char* text : {"", "()", "(Name)", "(Name.Ana)", "(Name.eq.a", "(,)"}) {
    EXPECT_EQ(ParseOr(text), "refused") << text;
  }
}

}  // namespace
}  // namespace monotable::api::rest
