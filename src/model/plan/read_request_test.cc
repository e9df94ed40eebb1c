#include "model/plan/read_request.h"

#include <gtest/gtest.h>

namespace monotable::model {
namespace {

TEST(NeedsAlias, WhatExpressionsCannotName) {
  for (const char* name : {"Status", "GSI2-PK", "_v", "1st", "a.b", ""}) {
    EXPECT_TRUE(NeedsAlias(name)) << name;
  }
  for (const char* name : {"PK", "GSI1_PK", "saleId2"}) EXPECT_FALSE(NeedsAlias(name)) << name;
}

// The filter of an entity with a few attributes, and what it refers to.
std::string Said(std::string_view rule, std::string_view envelope = "") {
  EntityModel entity;
  entity.envelope = envelope;
  for (const char* name : {"Status", "Total", "Note", "At"}) {
    AttributeModel attribute;
    attribute.name = name;
    entity.attributes.push_back(std::move(attribute));
  }
  entity.attributes.back().type.kind = TypeKind::kInstant;
  entity.attributes.back().type.stored = InstantForm::kBrazilian;
  const Result<Rule> parsed = Rule::Parse(rule);
  EXPECT_TRUE(parsed.has_value()) << rule;
  if (!parsed) return "";
  ExpressionTerms terms;
  const std::optional<std::string> filter = FilterOf(entity, *parsed, &terms);
  std::string json = filter.value_or("none");
  std::string written = "{";
  json::Writer writer(&written);
  terms.Write(&writer);
  return json + " " + written + "}";
}

TEST(FilterOf, Comparisons) {
  EXPECT_EQ(Said("Status == OPEN"),
            R"json(#Status = :value0 {"ExpressionAttributeNames":{"#Status":"Status"},)json"
            R"json("ExpressionAttributeValues":{":value0":{"S":"OPEN"}}})json");
  EXPECT_EQ(Said("Note >= 5"),
            R"json(Note >= :value0 {"ExpressionAttributeValues":{":value0":{"N":"5"}}})json");
}

TEST(FilterOf, NullAndMissing) {
  EXPECT_EQ(Said("Note == null"), "attribute_not_exists(Note) {}");
  EXPECT_EQ(Said("Note != null"), "attribute_exists(Note) {}");
  // The rule is false for an item without a note.
  EXPECT_EQ(Said("Note != x"), R"json((attribute_exists(Note) AND Note <> :value0) )json"
                               R"json({"ExpressionAttributeValues":{":value0":{"S":"x"}}})json");
}

TEST(FilterOf, ListsAndWords) {
  EXPECT_EQ(Said("not (Note in [a, b]) or Note == true"),
            R"json((NOT (Note IN (:value0, :value1)) OR Note = :value2) )json"
            R"json({"ExpressionAttributeValues":{":value0":{"S":"a"},":value1":{"S":"b"},)json"
            R"json(":value2":{"BOOL":true}}})json");
}

TEST(FilterOf, Envelope) {
  EXPECT_EQ(Said("Note == null", "data"),
            R"json(attribute_not_exists(#data.Note) )json"
            R"json({"ExpressionAttributeNames":{"#data":"data"}})json");
}

TEST(FilterOf, WhatDynamoDbCannotSay) {
  EXPECT_EQ(Said("Note + 1 > 2"), "none {}");
  EXPECT_EQ(Said("Status == OPEN and At > now"), "none {}");
}

}  // namespace
}  // namespace monotable::model
