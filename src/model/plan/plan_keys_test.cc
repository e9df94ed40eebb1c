#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/plan/keys.h"

namespace monotable::model {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

Template Parsed(std::string_view text) {
  Result<Template> parsed = Template::Parse(text);
  EXPECT_TRUE(parsed.has_value()) << text;
  return parsed ? *std::move(parsed) : Template();
}

Reach Followed(std::string_view text, std::string_view key) {
  return Follow(Parsed(text), Parsed(key));
}

TEST(Follow, WholeKeys) {
  EXPECT_TRUE(Followed("SALE#{Id}", "SALE#{Id}").IsWhole(Parsed("SALE#{Id}")));
  EXPECT_TRUE(Followed("BUYERS", "BUYERS").IsWhole(Parsed("BUYERS")));
  EXPECT_TRUE(Followed("{A}#{B:03}", "{A}#{B:03}").IsWhole(Parsed("{A}#{B:03}")));
}

TEST(Follow, Beginnings) {
  const Reach reach = Followed("COMPANY#{cnpj}#", "COMPANY#{cnpj}#ORDER#{order}");
  EXPECT_TRUE(reach.matches()) << reach.mismatch;
  EXPECT_EQ(reach.part, 2u);
  EXPECT_EQ(reach.offset, 1u);
  EXPECT_FALSE(reach.IsWhole(Parsed("COMPANY#{cnpj}#ORDER#{order}")));
  EXPECT_EQ(Followed("SALE", "SALE#{Id}").offset, 4u);
}

TEST(Follow, ValuesWrittenOut) {
  const Reach last = Followed("ITEM#SemEstoque", "ITEM#{status}");
  EXPECT_TRUE(last.IsWhole(Parsed("ITEM#{status}")));
  EXPECT_THAT(last.written_out, ElementsAre(Pair("status", "SemEstoque")));
  const Reach inner = Followed("CITY#Recife#{date}", "CITY#{city}#{date}");
  EXPECT_TRUE(inner.IsWhole(Parsed("CITY#{city}#{date}")));
  EXPECT_THAT(inner.written_out, ElementsAre(Pair("city", "Recife")));
  const Reach part = Followed("CITY#Rec", "CITY#{city}#{date}");
  EXPECT_TRUE(part.matches());
  EXPECT_TRUE(part.inside_value);
}

TEST(Follow, Mismatches) {
  EXPECT_THAT(Followed("SALES#{Id}", "SALE#{Id}").mismatch, HasSubstr("S#"));
  EXPECT_THAT(Followed("SALE#{Other}", "SALE#{Id}").mismatch, HasSubstr("{Other}"));
  EXPECT_THAT(Followed("LINE#{N}", "LINE#{N:03}").mismatch, HasSubstr("{N:03}"));
  EXPECT_THAT(Followed("{Id}", "SALE#{Id}").mismatch, HasSubstr("SALE#"));
  EXPECT_THAT(Followed("A#{x}#tail", "A#{x}").mismatch, HasSubstr("after the end"));
  EXPECT_THAT(Followed("A#{x}{y}", "A#{x}").mismatch, HasSubstr("after the end"));
  EXPECT_THAT(Followed("A#text{y}", "A#{x}{y}").mismatch, HasSubstr("where {x} ends"));
}

// An entity with attributes of the kinds whose texts have a known shape.
EntityModel Sample() {
  EntityModel entity;
  const auto add = [&](const char* name, TypeKind kind, const char* format, const char* pattern) {
    AttributeModel attribute;
    attribute.name = name;
    attribute.type.kind = kind;
    attribute.type.format = format;
    attribute.type.pattern = pattern;
    entity.attributes.push_back(std::move(attribute));
  };
  add("text", TypeKind::kString, "", "");
  add("email", TypeKind::kString, "email", "");
  add("ulid", TypeKind::kString, "ulid", "");
  add("plain", TypeKind::kString, "", "[^@#]+");
  add("number", TypeKind::kInteger, "", "");
  add("at", TypeKind::kInstant, "", "");
  return entity;
}

bool Meet(std::string_view a, std::string_view b, bool begins = false) {
  Model model;
  model.forbidden_in_keys = "#";
  const EntityModel entity = Sample();
  const TextShape first = TextShape::Of(model, entity, Parsed(a));
  return (begins ? first.AndMore() : first).Meets(TextShape::Of(model, entity, Parsed(b)));
}

TEST(TextShape, Meets) {
  EXPECT_TRUE(Meet("USER#{text}", "USER#{email}"));
  EXPECT_TRUE(Meet("USER#{text}", "USER#PROFILE"));
  EXPECT_TRUE(Meet("{text}", "LINE{number}"));
  EXPECT_TRUE(Meet("LINE#{number:03}", "LINE#007"));
  EXPECT_TRUE(Meet("SALE#", "SALE#{at}", true));
  EXPECT_TRUE(Meet("COMPANY#{text}#", "COMPANY#{email}#ORDER", true));
}

TEST(TextShape, NeverMeets) {
  EXPECT_FALSE(Meet("USER#{text}", "ORDER#{text}"));
  EXPECT_FALSE(Meet("TENANT#{text}", "TENANT#{text}#CONVERSATION"));
  EXPECT_FALSE(Meet("USER#{ulid}", "USER#{email}"));
  EXPECT_FALSE(Meet("USER#{plain}", "USER#{email}"));
  EXPECT_FALSE(Meet("LINE#{number:03}", "LINE#1000"));
  EXPECT_FALSE(Meet("{at}", "PROFILE"));
  EXPECT_FALSE(Meet("{at:yyyy}", "{at:yyyyMM}"));
  EXPECT_FALSE(Meet("POSITION#", "{at}", true));
}

TEST(TextShape, UnknownExpressionsMayBeAnything) {
  Model model;
  EntityModel entity = Sample();
  entity.attributes[0].type.pattern = "a|b@c";
  EXPECT_TRUE(TextShape::Of(model, entity, Parsed("{text}"))
                  .Meets(TextShape::Of(model, entity, Parsed("{email}"))));
}

}  // namespace
}  // namespace monotable::model
