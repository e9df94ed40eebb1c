#include "entities/codec/codec_fixture.h"

namespace monotable::entities {
namespace {

using Codec = CodecTest;
using Strings = std::vector<std::string>;

TEST_F(Codec, WhatIsMissingIsNotLookedAt) {
  EXPECT_TRUE(Good("{}").empty());
  EXPECT_TRUE(Good(R"({"Id":null,"Name":null})").empty());
}

TEST_F(Codec, ABodyIsAnObject) {
  EXPECT_EQ(Problems("[]"), Strings{" type"});
  EXPECT_EQ(MessageOf("7"), "The body must be an object.");
  EXPECT_EQ(Problems("null", {false, "/lines/0"}), Strings{"/lines/0 type"});
}

TEST_F(Codec, FindsAllMistakes) {
  EXPECT_EQ(Problems(R"({"Name":"a","Count":-1.5,"Nam":1,"Price":0.001,"Flag":true})"),
            (Strings{"/Name length", "/Count type", "/Nam unknown", "/Price scale"}));
  EXPECT_EQ(Problems(R"({"Name":"a"})", {false, "/thing"}), Strings{"/thing/Name length"});
}

TEST_F(Codec, UnknownAttributes) {
  EXPECT_EQ(MessageOf(R"({"Colour":1})"), "Colour is not in the model; did you mean Color?");
  EXPECT_EQ(MessageOf(R"({"Zzz":1})"), "Zzz is not in the model.");
  const item::Map kept = Good(
      R"({"Owner":"x","more":{"a":[1,null]},"none":null,"Place":{"Street":"A","b":true}})", "Kept");
  ASSERT_EQ(kept.size(), 3u);
  EXPECT_EQ(*kept.Find("more")->map().Find("a"),
            item::Value(item::List{Number("1"), item::Value()}));
  EXPECT_EQ(*kept.Find("Place")->map().Find("b"), item::Value(true));
  const item::Map dropped =
      Good(R"({"Id":"x","more":1,"Place":{"Street":"A","b":true}})", "Dropped");
  ASSERT_EQ(dropped.size(), 2u);
  EXPECT_EQ(dropped.Find("Place")->map().size(), 1u);
  EXPECT_EQ(Problems(R"({"":1})", {}, "Kept"), Strings{"/ length"});
}

TEST_F(Codec, WhatTheServerFillsInIsNotHeeded) {
  const std::string body =
      R"({"Id":"x","Twice":"no number","CreatedAt":1,"PK":"p","kind":"k","_v":7,"ttl":1})";
  EXPECT_EQ(Good(body).size(), 1u);
  EXPECT_EQ(Problems(body, {true, ""}),
            (Strings{"/Twice read_only", "/CreatedAt read_only", "/PK read_only", "/kind read_only",
                     "/_v read_only", "/ttl read_only"}));
}

TEST_F(Codec, HiddenAttributesAreAccepted) {
  EXPECT_EQ(*Good(R"({"Password":"secret"})").Find("Password"), item::Value("secret"));
}

TEST_F(Codec, TextsOfKeys) {
  EXPECT_EQ(Problems(R"({"Id":"a#b"})"), Strings{"/Id key_text"});
  EXPECT_EQ(Problems(R"({"Id":""})"), Strings{"/Id key_text"});
  EXPECT_EQ(MessageOf(R"({"Id":"a#b"})"),
            "The value of Id cannot be part of a key: it contains \"#\".");
  EXPECT_EQ(Problems(R"({"Group":"a#b"})"), Strings{});  // it is escaped in its key
  EXPECT_EQ(Problems(R"({"Rank":1000})"), Strings{"/Rank key_text"});
  EXPECT_EQ(Problems(R"({"Rank":-1})"), Strings{"/Rank key_text"});
  EXPECT_EQ(Problems(R"({"Place":{"Street":"#","City":"#"}})"), Strings{"/Place/City key_text"});
  EXPECT_EQ(Problems(R"({"Name":"a#b"})"), Strings{});  // it is in no key
}

TEST_F(Codec, Inputs) {
  const model::OperationModel& create = application_->model().operations.at(0);
  const auto decode = [&](std::string_view body) {
    const auto tree = json::Tree::Parse(body);
    return DecodeInputs(*application_, create, tree->root(), {});
  };
  const auto good =
      decode(R"({"thing":{"Id":"x","Twice":1},"kept":[{"Owner":"a"},{"Owner":"b"}],"note":"hi"})");
  ASSERT_TRUE(good) << good.error().message();
  EXPECT_EQ(*good->values.Find("note"), item::Value("hi"));
  ASSERT_EQ(good->entities.at("thing").size(), 1u);
  EXPECT_EQ(good->entities.at("thing")[0].size(), 1u);
  EXPECT_EQ(*good->entities.at("kept")[1].Find("Owner"), item::Value("b"));
  EXPECT_TRUE(good->entities.at("dropped").empty());

  EXPECT_EQ(ProblemsOf(decode("{}").error()),
            (Strings{"/thing required", "/kept required", "/note required"}));
  EXPECT_EQ(ProblemsOf(decode(R"({"thing":[],"kept":{},"note":1,"nope":2,"code":"x"})").error()),
            (Strings{"/nope unknown", "/thing type", "/kept type", "/note type", "/code pattern"}));
  EXPECT_EQ(ProblemsOf(decode(R"({"thing":{"Id":1},"kept":[{"Owner":"a"},{"Number":"x"}],
                                  "note":"hi"})")
                           .error()),
            (Strings{"/thing/Id type", "/kept/1/Number type"}));
  EXPECT_EQ(ProblemsOf(decode(R"({"thing":{},"kept":[],"note":"hi"})").error()),
            Strings{"/kept length"});
  EXPECT_EQ(ProblemsOf(decode(R"({"thing":{},"kept":[{},{},{}],"note":"hi"})").error()),
            Strings{"/kept length"});
  EXPECT_EQ(ProblemsOf(decode("[]").error()), Strings{" type"});
}

TEST_F(Codec, AnInputThatTheRouteSaysMayBeMissing) {
  const auto tree = json::Tree::Parse(R"({"at":"2026-01-30T14:30:00Z"})");
  const auto inputs =
      DecodeInputs(*application_, application_->model().operations.at(1), tree->root(), {});
  ASSERT_TRUE(inputs) << inputs.error().message();
  EXPECT_EQ(inputs->values.size(), 1u);
}

TEST_F(Codec, Parameters) {
  const auto decode = [&](std::string_view attribute, std::string_view text) {
    return DecodeParameter(*application_, entity("Thing").model->Find(attribute)->type, attribute,
                           text);
  };
  EXPECT_EQ(*decode("Name", "any length"), item::Value("any length"));
  EXPECT_EQ(*decode("Count", "1000"), Number("1000"));
  EXPECT_EQ(*decode("Exact", "0.10"), Number("0.1"));
  EXPECT_EQ(*decode("Flag", "true"), item::Value(true));
  EXPECT_EQ(*decode("AtBr", "2025-11-14T10:30:00+00:00"), item::Value("14/11/2025 10:30:00"));
  EXPECT_EQ(*decode("AtEpoch", "1970-01-01T00:00:01Z"), Number("1"));
  EXPECT_EQ(*decode("Day", "2026-01-30"), item::Value("2026-01-30"));
  EXPECT_EQ(*decode("Data", "AQ=="), item::Value(item::Binary{"\1"}));
  EXPECT_EQ(*decode("Color", "BLUE"), item::Value("BLUE"));
  EXPECT_EQ(*decode("Tags", "x"), item::Value("x"));
  EXPECT_EQ(*decode("Numbers", "3"), Number("3"));
  EXPECT_EQ(*decode("Anything", "3"), item::Value("3"));
  EXPECT_EQ(ProblemsOf(decode("Count", "x").error()), Strings{"Count type"});
  EXPECT_EQ(ProblemsOf(decode("Flag", "1").error()), Strings{"Flag type"});
  EXPECT_EQ(ProblemsOf(decode("Status", "DRAF").error()), Strings{"Status enum"});
  EXPECT_EQ(ProblemsOf(decode("At", "2026-01-30").error()), Strings{"At type"});
  EXPECT_EQ(ProblemsOf(decode("Day", "30/01/2026").error()), Strings{"Day type"});
  EXPECT_EQ(ProblemsOf(decode("Place", "{}").error()), Strings{"Place type"});
  EXPECT_EQ(decode("Count", "x").error().message(), "Count must be a number.");
}

}  // namespace
}  // namespace monotable::entities
