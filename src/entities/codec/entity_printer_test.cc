#include "entities/codec/codec_fixture.h"
#include "entities/record.h"

namespace monotable::entities {
namespace {

using item::Value;

class EncodeTest : public CodecTest {
 protected:
  // The stored item of a body.
  item::Item Stored(std::string_view body, std::string_view name = "Thing",
                    int64_t version = 1) const {
    Record record;
    record.attributes = Good(body, name);
    record.version = version;
    auto item = ItemOf(entity(name), record);
    EXPECT_TRUE(item) << item.error().message();
    return item ? std::move(*item) : item::Item();
  }
};

TEST_F(EncodeTest, EveryTypeComesBackAsItWasGiven) {
  const std::string body =
      R"({"Addresses":[{"Since":"2026-01-30T14:30:00Z","Street":"A"},{"Street":"\"\n"}],)"
      R"("Anything":[null,{"a":1.5,"b":[true,"x"]}],)"
      R"("At":"2026-01-30T14:30:00Z","AtBr":"2025-11-14T10:30:00Z",)"
      R"("AtEpoch":"2026-01-30T14:30:00Z","AtMillis":"2026-01-30T14:30:00.123Z",)"
      R"("AtMs":"2026-01-30T14:30:00.000Z",)"
      R"("Blobs":["AA==","AQ=="],"Count":3,"Data":"AAEC","Day":"2026-01-30",)"
      R"("Exact":0.12345678901234567890123456789012345678,"Flag":false,"Group":"g#","Id":"é",)"
      R"("Moments":["1970-01-01T00:00:01Z","1970-01-01T00:00:02Z"],"Numbers":[2,1],)"
      R"("Place":{"City":"C","Country":"BR","Since":"2026-01-30T14:30:00Z","Street":"A"},)"
      R"("Prices":{"a.b":1.5},"Primes":[2,3],"Rank":7,"Status":"DRAFT","Tags":["a","b"],)"
      R"("Times":{"x":"2026-01-30T14:30:00Z"}})";
  EXPECT_EQ(Shown("Thing", Stored(body)), body);
}

TEST_F(EncodeTest, PlumbingAndHiddenAttributesAreNotShown) {
  const item::Item item = Stored(
      R"({"Id":"x","Group":"g","Rank":1,"Password":"p",
          "Place":{"Street":"A","City":"C","Secret":"s"}})");
  ASSERT_TRUE(item.Contains("PK"));
  ASSERT_TRUE(item.Contains("GSI1SK"));
  ASSERT_TRUE(item.Contains("_v"));
  ASSERT_TRUE(item.Contains("kind"));
  ASSERT_TRUE(item.Contains("Password"));
  EXPECT_EQ(Shown("Thing", item),
            R"({"Group":"g","Id":"x","Place":{"City":"C","Street":"A"},"Rank":1})");
}

TEST_F(EncodeTest, AttributesAreReadOutOfKeys) {
  const item::Item item =
      Stored(R"({"Owner":"o \"q\"","Number":42,"Moment":"2026-01-30T14:30:00Z","more":1})", "Kept");
  ASSERT_FALSE(item.Contains("Owner"));
  EXPECT_EQ(Shown("Kept", item),
            R"({"Owner":"o \"q\"","Number":42,"Moment":"2026-01-30T14:30:00Z","more":1})");
  Presentation strings;
  strings.numbers_as_strings = true;
  EXPECT_EQ(Shown("Kept", item, strings),
            R"({"Owner":"o \"q\"","Number":"42","Moment":"2026-01-30T14:30:00Z","more":"1"})");
}

TEST_F(EncodeTest, WhatIsStoredGoesBeforeWhatTheKeySays) {
  item::Item item = Stored(R"({"Owner":"o","Number":42,"Moment":"2026-01-30T14:30:00Z"})", "Kept");
  item.Set("Owner", Value("stored"));
  EXPECT_EQ(Shown("Kept", item),
            R"({"Number":42,"Moment":"2026-01-30T14:30:00Z","Owner":"stored"})");
  item.Set("PK", Value("of another shape"));
  EXPECT_EQ(Shown("Kept", item), R"({"Moment":"2026-01-30T14:30:00Z","Owner":"stored"})");
}

TEST_F(EncodeTest, TheEnvelopeIsNotSeen) {
  const item::Item item = Stored(
      R"({"Id":"x","Title":"t","At":"1970-01-01T00:00:01.5Z","CreatedAt":"2026-01-30T14:30:00Z"})",
      "Wrapped");
  ASSERT_TRUE(item.Find("data")->map().Contains("Title"));
  EXPECT_EQ(Shown("Wrapped", item),
            R"({"CreatedAt":"2026-01-30T14:30:00Z","At":"1970-01-01T00:00:01.500Z",)"
            R"("Id":"x","Title":"t"})");
  Presentation fields;
  fields.fields = {"Title", "CreatedAt"};
  EXPECT_EQ(Shown("Wrapped", item, fields), R"({"CreatedAt":"2026-01-30T14:30:00Z","Title":"t"})");
}

TEST_F(EncodeTest, UnknownAttributesAreShownWhereTheyAreKept) {
  item::Map place;
  place.Set("Odd", Value("o"));
  item::Item item;
  item.Set("Id", Value("x"));
  item.Set("More", Value("m"));
  item.Set("Place", Value(place));
  EXPECT_EQ(Shown("Thing", item), R"({"Id":"x","Place":{"Odd":"o"}})");
  EXPECT_EQ(Shown("Dropped", item), R"({"Id":"x","Place":{"Odd":"o"}})");
  EXPECT_EQ(Shown("Kept", item), R"({"Id":"x","More":"m","Place":{"Odd":"o"}})");
}

TEST_F(EncodeTest, WhatDoesNotFitIsShownAsItIs) {
  item::Item item;
  item.Set("AtBr", Value("31/02/2026 10:00:00"));
  item.Set("AtEpoch", Value("soon"));
  item.Set("AtMillis", Number("1.5"));
  item.Set("Count", Value("three"));
  item.Set("Moments", Number("5"));
  item.Set("Name", Value());
  item.Set("Numbers", Value(item::MakeStringSet({"a"})));
  item.Set("Place", Value(item::List{Value(true)}));
  item.Set("Times", Value(item::MakeBinarySet({"\1"})));
  EXPECT_EQ(Shown("Thing", item),
            R"({"AtBr":"31/02/2026 10:00:00","AtEpoch":"soon","AtMillis":1.5,"Count":"three",)"
            R"("Moments":5,"Name":null,"Numbers":["a"],"Place":[true],"Times":["AQ=="]})");
  EXPECT_EQ(Shown("Thing", {}), "{}");
}

TEST_F(EncodeTest, NumbersAsStrings) {
  Presentation strings;
  strings.numbers_as_strings = true;
  EXPECT_EQ(Shown("Thing",
                  Stored(R"({"Id":"x","Count":3,"Numbers":[1.0],"Primes":[2],"Anything":{"a":0.5},
                             "AtEpoch":"1970-01-01T00:00:01Z"})"),
                  strings),
            R"({"Anything":{"a":"0.5"},"AtEpoch":"1970-01-01T00:00:01Z","Count":"3","Id":"x",)"
            R"("Numbers":["1"],"Primes":["2"]})");
}

TEST_F(EncodeTest, Fields) {
  const item::Item item = Stored(
      R"({"Id":"x","Count":3,"Place":{"Street":"A","City":"C","Secret":"s"},
          "Addresses":[{"Street":"A","City":"C"},{"Street":"B"}],"Anything":{"a":{"b":1,"c":2}},
          "Prices":{"a.b":1}})");
  const auto shown = [&](std::vector<std::string> paths) {
    Presentation presentation;
    presentation.fields = std::move(paths);
    return Shown("Thing", item, presentation);
  };
  EXPECT_EQ(shown({"Id"}), R"({"Id":"x"})");
  EXPECT_EQ(shown({"Count", "Id", "Nope", "I"}), R"({"Count":3,"Id":"x"})");
  EXPECT_EQ(shown({"Place.City", "Place.Secret"}), R"({"Place":{"City":"C"}})");
  EXPECT_EQ(shown({"Place.City", "Place"}), R"({"Place":{"City":"C","Street":"A"}})");
  EXPECT_EQ(shown({"Addresses.Street"}), R"({"Addresses":[{"Street":"A"},{"Street":"B"}]})");
  EXPECT_EQ(shown({"Anything.a.c"}), R"({"Anything":{"a":{"c":2}}})");
  EXPECT_EQ(shown({"Prices.a.b"}), R"({"Prices":{"a.b":1}})");
  EXPECT_EQ(shown({"PK", "Password"}), "{}");
  const item::Item kept =
      Stored(R"({"Owner":"o","Number":42,"Moment":"2026-01-30T14:30:00Z"})", "Kept");
  Presentation presentation;
  presentation.fields = {"Number"};
  EXPECT_EQ(Shown("Kept", kept, presentation), R"({"Number":42})");
}

TEST_F(EncodeTest, AppendsAndCanBeLeftOpen) {
  item::Item item;
  item.Set("Id", Value("x"));
  const encoding::EncodedItem encoded = encoding::EncodeItem(item);
  std::string out = "[";
  AppendJson(entity("Thing"), encoding::ItemView(encoded), {}, &out, /*open=*/true);
  EXPECT_EQ(out, R"([{"Id":"x")");
  out = "[";
  const encoding::EncodedItem nothing = encoding::EncodeItem({});
  AppendJson(entity("Thing"), encoding::ItemView(nothing), {}, &out, /*open=*/true);
  EXPECT_EQ(out, "[{");
}

TEST_F(EncodeTest, LongTexts) {
  item::Item item;
  const std::string text(5000, '\n');
  item.Set("Group", Value(text));
  std::string expected = "{\"Group\":\"";
  for (size_t i = 0; i < text.size(); ++i) expected += "\\n";
  EXPECT_EQ(Shown("Thing", item), expected + "\"}");
}

TEST_F(EncodeTest, EntityTags) {
  const auto tag = [&](std::string_view name, const item::Item& item) {
    const encoding::EncodedItem encoded = encoding::EncodeItem(item);
    return EntityTag(entity(name), encoding::ItemView(encoded));
  };
  EXPECT_EQ(tag("Thing", Stored(R"({"Id":"x"})", "Thing", 7)), "\"v7\"");
  EXPECT_EQ(tag("Thing", {}), "\"v0\"");
  const std::string hash = tag("Wrapped", Stored(R"({"Id":"x"})", "Wrapped"));
  EXPECT_EQ(hash.substr(0, 2), "\"h");
  EXPECT_EQ(hash.size(), 19u);
  EXPECT_EQ(hash, tag("Wrapped", Stored(R"({"Id":"x"})", "Wrapped")));
  EXPECT_NE(hash, tag("Wrapped", Stored(R"({"Id":"x","Title":""})", "Wrapped")));
}

}  // namespace
}  // namespace monotable::entities
