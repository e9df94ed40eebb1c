#include <gmock/gmock.h>

#include "entities/codec/codec_fixture.h"

namespace monotable::entities {
namespace {

using ::testing::HasSubstr;
using Strings = std::vector<std::string>;

class PatchTest : public CodecTest {
 protected:
  Result<Patch> Read(std::string_view body, const DecodeOptions& options = {},
                     std::string_view name = "Thing") const {
    const auto tree = json::Tree::Parse(body);
    if (!tree) return tree.error();
    return DecodePatch(entity(name), tree->root(), options);
  }

  Strings Refused(std::string_view body, const DecodeOptions& options = {},
                  std::string_view name = "Thing") const {
    const auto patch = Read(body, options, name);
    return patch ? Strings() : ProblemsOf(patch.error());
  }

  Result<item::Map> Apply(const item::Map& attributes, std::string_view body,
                          std::string_view name = "Thing") const {
    auto patch = Read(body, {}, name);
    if (!patch) return patch.error();
    return ApplyPatch(attributes, *patch);
  }

  // What a patch makes of attributes that are written as a body.
  item::Map Patched(std::string_view before, std::string_view body,
                    std::string_view name = "Thing") const {
    auto after = Apply(Good(before, name), body, name);
    EXPECT_TRUE(after) << after.error().message();
    return after ? std::move(*after) : item::Map();
  }
};

TEST_F(PatchTest, SetsAndTakesAway) {
  EXPECT_EQ(Patched(R"({"Name":"Ana","Count":1,"Flag":true})", R"({"Name":"Eva","Count":null})"),
            Good(R"({"Name":"Eva","Flag":true})"));
  EXPECT_EQ(Patched(R"({"Name":"Ana"})", "{}"), Good(R"({"Name":"Ana"})"));
  EXPECT_TRUE(Read("{}")->empty());
}

TEST_F(PatchTest, ObjectsAreMerged) {
  EXPECT_EQ(Patched(R"({"Place":{"Street":"A","City":"B","Country":"PT"}})",
                    R"({"Place":{"City":"C","Country":null}})"),
            Good(R"({"Place":{"Street":"A","City":"C"}})"));
  // Of one that there is not yet, too; what it then lacks is for CheckAttributes to say.
  const item::Map made = Patched("{}", R"({"Place":{"City":"C","Country":null}})");
  EXPECT_EQ(made.Find("Place")->map().size(), 1u);
  EXPECT_EQ(Refused(R"({"Place":{"City":1,"Nope":2}})"),
            (Strings{"/Place/City type", "/Place/Nope unknown"}));
}

TEST_F(PatchTest, MapsAndFreeValuesAreMergedToo) {
  EXPECT_EQ(Patched(R"({"Prices":{"a.b":1,"c":2}})", R"({"Prices":{"a.b":null,"d":3}})"),
            Good(R"({"Prices":{"c":2,"d":3}})"));
  EXPECT_EQ(Patched(R"({"Anything":{"a":{"b":1,"c":2}}})", R"({"Anything":{"a":{"b":null}}})"),
            Good(R"({"Anything":{"a":{"c":2}}})"));
  EXPECT_EQ(Patched(R"({"Anything":[1]})", R"({"Anything":{"a":{"b":null},"c":[null]}})"),
            Good(R"({"Anything":{"a":{},"c":[null]}})"));
  EXPECT_EQ(Patched(R"({"more":{"a":1,"b":2}})", R"({"more":{"a":null},"new":1})", "Kept"),
            Good(R"({"more":{"b":2},"new":1})", "Kept"));
}

TEST_F(PatchTest, ListsAndSetsAreReplaced) {
  EXPECT_EQ(Patched(R"({"Numbers":[1,2],"Tags":["a"]})", R"({"Numbers":[3],"Tags":["b"]})"),
            Good(R"({"Numbers":[3],"Tags":["b"]})"));
  EXPECT_TRUE(Patched(R"({"Tags":["a"]})", R"({"Tags":[]})").empty());
  EXPECT_EQ(Refused(R"({"Addresses":[{"City":"x"}]})"), Strings{"/Addresses/0/Street required"});
}

TEST_F(PatchTest, Adds) {
  EXPECT_EQ(Patched(R"({"Count":5,"Price":1.10})", R"({"$add":{"Count":-2,"Price":0.15}})"),
            Good(R"({"Count":3,"Price":1.25})"));
  EXPECT_EQ(Patched("{}", R"({"$add":{"Count":2,"Tags":["a"]}})"),
            Good(R"({"Count":2,"Tags":["a"]})"));
  EXPECT_EQ(Patched(R"({"Tags":["a","b"],"Primes":[2],"Blobs":["AA=="]})",
                    R"({"$add":{"Tags":["b","c"],"Primes":[3],"Blobs":["AQ=="]}})"),
            Good(R"({"Tags":["a","b","c"],"Primes":[2,3],"Blobs":["AA==","AQ=="]})"));
  EXPECT_EQ(Patched(R"({"Prices":{"a":1}})", R"({"$add":{"Prices.a":2,"Prices.b":3}})"),
            Good(R"({"Prices":{"a":3,"b":3}})"));
  EXPECT_EQ(Patched(R"({"hits":1})", R"({"$add":{"hits":2}})", "Kept"),
            Good(R"({"hits":3})", "Kept"));
  EXPECT_EQ(
      Refused(R"({"$add":{"Count":1.5,"Name":"xx","Price":0.001,"Nope":1}})"),
      (Strings{"/$add/Count type", "/$add/Name type", "/$add/Price scale", "/$add/Nope unknown"}));
  EXPECT_EQ(Refused(R"({"$add":[]})"), Strings{"/$add type"});
}

TEST_F(PatchTest, Appends) {
  EXPECT_EQ(Patched(R"({"Numbers":[1]})", R"({"$append":{"Numbers":[2,3]}})"),
            Good(R"({"Numbers":[1,2,3]})"));
  EXPECT_EQ(Patched("{}", R"({"$append":{"Numbers":[2]}})"), Good(R"({"Numbers":[2]})"));
  EXPECT_EQ(Refused(R"({"$append":{"Tags":["a"],"Numbers":2}})"),
            (Strings{"/$append/Tags type", "/$append/Numbers type"}));
  EXPECT_EQ(Refused(R"({"$append":{"Numbers":["x"]}})"), Strings{"/$append/Numbers/0 type"});
}

TEST_F(PatchTest, Removes) {
  EXPECT_EQ(Patched(R"({"Name":"Ana","Place":{"Street":"A","City":"B"}})",
                    R"({"$remove":["Name","Place.City","Count"]})"),
            Good(R"({"Place":{"Street":"A"}})"));
  EXPECT_EQ(Refused(R"({"$remove":["Nope","Place.Nope",7]})"),
            (Strings{"/$remove/0 unknown", "/$remove/1 unknown", "/$remove/2 type"}));
  EXPECT_EQ(Refused(R"({"$remove":"Name"})"), Strings{"/$remove type"});
}

TEST_F(PatchTest, CommandsOfOtherNamesAreRefused) {
  const auto patch = Read(R"({"$ad":{"Count":1}})");
  ASSERT_FALSE(patch);
  EXPECT_EQ(patch.error().message(),
            "$ad is no change; there are $add, $append and $remove; did you mean $add?");
}

TEST_F(PatchTest, WhatTheServerFillsIn) {
  EXPECT_TRUE(Read(R"({"Twice":1,"CreatedAt":null,"PK":"x"})")->empty());
  EXPECT_EQ(Refused(R"({"Twice":1})", {true, ""}), Strings{"/Twice read_only"});
  EXPECT_EQ(Refused(R"({"$add":{"Twice":1},"$remove":["PK"]})"),
            (Strings{"/$add/Twice read_only", "/$remove/0 read_only"}));
}

TEST_F(PatchTest, OneAttributeHasOneChange) {
  EXPECT_EQ(Refused(R"({"Count":1,"$add":{"Count":1}})"), Strings{"/$add/Count conflict"});
  EXPECT_EQ(Refused(R"({"Place":{"City":"x"},"$remove":["Place.City"]})"),
            Strings{"/$remove/0 conflict"});
  EXPECT_EQ(Refused(R"({"$remove":["Place.City","Place.Street"]})"), Strings{});
}

TEST_F(PatchTest, TextsOfKeys) {
  EXPECT_EQ(Refused(R"({"Place":{"City":"#"}})"), Strings{"/Place/City key_text"});
  EXPECT_EQ(Refused(R"({"Place":{"City":null}})"), Strings{});
}

TEST_F(PatchTest, RefusesToChangeWhatIsStoredOtherwise) {
  item::Map raw;
  raw.Set("Count", item::Value("three"));
  raw.Set("Numbers", item::Value("none"));
  raw.Set("Prices", Number("1"));
  const auto refused = [&](std::string_view body) {
    const auto after = Apply(raw, body);
    EXPECT_FALSE(after);
    return after ? Strings() : ProblemsOf(after.error());
  };
  EXPECT_EQ(refused(R"({"$add":{"Count":1}})"), Strings{"/$add/Count type"});
  EXPECT_EQ(refused(R"({"$append":{"Numbers":[1]}})"), Strings{"/$append/Numbers type"});
  EXPECT_EQ(refused(R"({"$add":{"Prices.a":1}})"), Strings{"/$add/Prices.a type"});
  const auto overflow = Apply(Good(R"({"Exact":1e37})"), R"({"$add":{"Exact":0.001}})");
  ASSERT_FALSE(overflow);
  EXPECT_THAT(overflow.error().message(), HasSubstr("Exact cannot be changed with $add"));
}

}  // namespace
}  // namespace monotable::entities
