#include "entities/codec/codec_fixture.h"

namespace monotable::entities {
namespace {

using item::Value;
using Strings = std::vector<std::string>;

class CheckTest : public CodecTest {
 protected:
  static Strings Named(const std::vector<FieldProblem>& problems) {
    Strings found;
    for (const FieldProblem& problem : problems) found.push_back(problem.path + " " + problem.code);
    return found;
  }

  // What is wrong with a stored value of an attribute of Thing.
  Strings Check(const std::string& attribute, const Value& value) const {
    std::vector<FieldProblem> problems;
    CheckValue(*application_, entity("Thing").model->Find(attribute)->type, value, "/" + attribute,
               &problems);
    return Named(problems);
  }
};

TEST_F(CheckTest, WhatWasDecodedIsGood) {
  const item::Map attributes = Good(R"({"Id":"x","Group":"g#","Rank":7,"Name":"Ana","Code":"ABC1",
      "Place":{"Street":"A","Country":"BR","Since":"2026-01-30T14:30:00Z"},
      "Count":3,"Price":1.25,"Exact":0.1,"Flag":true,"At":"2026-01-30T14:30:00Z",
      "AtMs":"2026-01-30T14:30:00.123Z","AtBr":"2026-01-30T14:30:00Z",
      "AtEpoch":"2026-01-30T14:30:00Z","AtMillis":"2026-01-30T14:30:00.123Z","Day":"2026-01-30",
      "Data":"AAEC","Status":"DRAFT","Color":"BLUE","Numbers":[1,2],"Tags":["a"],"Primes":[2],
      "Moments":["2026-01-30T14:30:00Z"],"Blobs":["AA=="],"Prices":{"a":1},
      "Times":{"x":"2026-01-30T14:30:00Z"},"Anything":[null,{"a":1}]})");
  EXPECT_EQ(Named(CheckAttributes(entity("Thing"), attributes)), Strings{});
}

TEST_F(CheckTest, TypesOfStoredValues) {
  EXPECT_EQ(Check("Name", Number("1")), Strings{"/Name type"});
  EXPECT_EQ(Check("Count", Value("1")), Strings{"/Count type"});
  EXPECT_EQ(Check("Flag", Value("true")), Strings{"/Flag type"});
  EXPECT_EQ(Check("Data", Value("AAEC")), Strings{"/Data type"});
  EXPECT_EQ(Check("Status", Number("1")), Strings{"/Status type"});
  EXPECT_EQ(Check("Place", Value("x")), Strings{"/Place type"});
  EXPECT_EQ(Check("Numbers", Value("x")), Strings{"/Numbers type"});
  EXPECT_EQ(Check("Tags", Value(item::List{Value("a")})), Strings{"/Tags type"});
  EXPECT_EQ(Check("Primes", Value(item::MakeStringSet({"2"}))), Strings{"/Primes type"});
  EXPECT_EQ(Check("Prices", Value(item::List())), Strings{"/Prices type"});
  EXPECT_EQ(Check("Anything", Value(item::MakeBinarySet({"x"}))), Strings{});
  EXPECT_EQ(Check("Name", Value()), Strings{});  // a null is nothing
}

TEST_F(CheckTest, ConstraintsOfStoredValues) {
  EXPECT_EQ(Check("Name", Value("a")), Strings{"/Name length"});
  EXPECT_EQ(Check("Count", Number("101")), Strings{"/Count range"});
  EXPECT_EQ(Check("Price", Number("1.001")), Strings{"/Price scale"});
  EXPECT_EQ(Check("Status", Value("NEW")), Strings{"/Status enum"});
  EXPECT_EQ(Check("Color", Value("BLUE")), Strings{});
  EXPECT_EQ(Check("Numbers", Value(item::List{})), Strings{"/Numbers length"});
  EXPECT_EQ(Check("Numbers", Value(item::List{Number("0.5")})), Strings{"/Numbers/0 type"});
  EXPECT_EQ(Check("Tags", Value(item::MakeStringSet({"a", "b", "c", "d"}))),
            Strings{"/Tags length"});
  EXPECT_EQ(Check("Primes", Value(item::MakeNumberSet({*item::Number::Parse("2.5")}))),
            Strings{"/Primes/0 type"});
  item::Map prices;
  prices.Set("a", Value("x"));
  EXPECT_EQ(Check("Prices", Value(prices)), Strings{"/Prices/a type"});
}

TEST_F(CheckTest, FormsOfInstants) {
  EXPECT_EQ(Check("At", Value("2026-01-30T14:30:00.000Z")), Strings{"/At precision"});
  EXPECT_EQ(Check("AtMs", Value("2026-01-30T14:30:00Z")), Strings{"/AtMs precision"});
  EXPECT_EQ(Check("At", Value("2026-01-30T14:30:00+00:00")), Strings{"/At type"});
  EXPECT_EQ(Check("AtBr", Value("2026-01-30T14:30:00Z")), Strings{"/AtBr type"});
  EXPECT_EQ(Check("AtBr", Value("31/02/2026 14:30:00")), Strings{"/AtBr type"});
  EXPECT_EQ(Check("AtEpoch", Value("2026-01-30T14:30:00Z")), Strings{"/AtEpoch type"});
  EXPECT_EQ(Check("AtEpoch", Number("1.5")), Strings{"/AtEpoch type"});
  EXPECT_EQ(Check("AtMillis", Number("1500")), Strings{});
  EXPECT_EQ(Check("Day", Value("30/01/2026")), Strings{"/Day type"});
}

TEST_F(CheckTest, WhatIsRequired) {
  EXPECT_EQ(Named(CheckAttributes(entity("Thing"), {})), Strings{"/Id required"});
  item::Map attributes;
  attributes.Set("Id", Value());
  attributes.Set("Place", Value(item::Map()));
  EXPECT_EQ(Named(CheckAttributes(entity("Thing"), attributes)),
            (Strings{"/Place/Street required", "/Place/Country required", "/Id required"}));
}

TEST_F(CheckTest, UnknownAttributes) {
  item::Map place;
  place.Set("Street", Value("A"));
  place.Set("Country", Value("BR"));
  place.Set("Extra", Value("x"));
  item::Map attributes;
  attributes.Set("Id", Value("x"));
  attributes.Set("More", Value("x"));
  attributes.Set("Place", Value(place));
  EXPECT_EQ(Named(CheckAttributes(entity("Thing"), attributes)),
            (Strings{"/More unknown", "/Place/Extra unknown"}));
  EXPECT_EQ(Named(CheckAttributes(entity("Dropped"), attributes)), Strings{});
}

TEST_F(CheckTest, TextsOfKeys) {
  item::Map attributes;
  attributes.Set("Id", Value("a#b"));
  EXPECT_EQ(Named(CheckAttributes(entity("Thing"), attributes)), Strings{"/Id key_text"});
}

TEST_F(CheckTest, MessagesSayHowItIsStored) {
  std::vector<FieldProblem> problems;
  const auto& thing = *entity("Thing").model;
  CheckValue(*application_, thing.Find("AtBr")->type, Value("x"), "/AtBr", &problems);
  CheckValue(*application_, thing.Find("Count")->type, Value("x"), "/Count", &problems);
  ASSERT_EQ(problems.size(), 2u);
  EXPECT_EQ(problems[0].message, "AtBr must be an instant, stored as 30/01/2026 14:30:00.");
  EXPECT_EQ(problems[1].message, "Count must be a whole number, stored as N and not as S.");
}

}  // namespace
}  // namespace monotable::entities
