#include "model/load/load.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/load/mistakes_for_tests.h"

namespace monotable::model {
namespace {

using testing::ElementsAre;
using testing::Pair;

std::vector<std::string> IdsOf(std::string_view text) {
  Findings findings;
  EXPECT_FALSE(LoadModel(text, &findings).has_value());
  std::vector<std::string> ids;
  for (const Finding& finding : findings.all()) ids.push_back(finding.id);
  return ids;
}

class LoadEverySection : public testing::Test {
 protected:
  const Model model_ = LoadText(ShopWithEverySection());
};

TEST_F(LoadEverySection, ReadsTheHeader) {
  EXPECT_EQ(model_.name, "shop");
  EXPECT_EQ(model_.title, "Shop | Sales");
  EXPECT_EQ(model_.version, "1.2.0");
  EXPECT_EQ(model_.samples, "samples/shop.json");
  EXPECT_EQ(model_.forbidden_in_keys, "#");
}

TEST_F(LoadEverySection, ReadsTables) {
  ASSERT_EQ(model_.tables.size(), 1u);
  const TableModel& table = model_.tables.front();
  EXPECT_EQ(table.id, "main");
  EXPECT_EQ(table.name, "{TableName}_{environment}");
  EXPECT_THAT(table.aliases, ElementsAre("Store"));
  EXPECT_EQ(table.key.hash, (std::vector<table::KeyAttribute>{{"PK", item::Type::kString}}));
  EXPECT_EQ(table.type_attribute, "EntityType");
  EXPECT_EQ(table.version_attribute, "_v");
  EXPECT_EQ(table.ttl_attribute, "ExpiresAt");
  EXPECT_EQ(table.stream, table::StreamViewType::kNewAndOldImages);
  EXPECT_TRUE(table.encrypted);
  EXPECT_EQ(table.encryption_key, "alias/shop");
  ASSERT_EQ(table.indexes.size(), 5u);
  EXPECT_EQ(table.indexes[0].title, "By buyer");
  EXPECT_FALSE(table.indexes[0].inverted);
  EXPECT_TRUE(table.indexes[3].inverted);
  EXPECT_EQ(table.indexes[3].projection.type, table::ProjectionType::kKeysOnly);
  EXPECT_THAT(table.indexes[4].projection.non_key_attributes, ElementsAre("Product", "Price"));
  EXPECT_EQ(table.indexes[4].kind, table::IndexKind::kLocal);
  EXPECT_EQ(table.indexes[4].key.hash, table.key.hash);
  EXPECT_EQ(table.indexes[4].key.range.front().type, item::Type::kNumber);
}

TEST_F(LoadEverySection, ReadsEnvironmentsAndParameters) {
  ASSERT_EQ(model_.environments.size(), 3u);
  EXPECT_FALSE(model_.environments[0].pitr);
  EXPECT_TRUE(model_.environments[2].pitr);
  EXPECT_EQ(model_.environments[2].pitr_days, 35);
  EXPECT_TRUE(model_.environments[2].deletion_protection);
  EXPECT_EQ(model_.environments[2].daily_backup, "03:00Z");
  EXPECT_EQ(model_.environments[2].keep_backups_days, 35);
  ASSERT_EQ(model_.parameters.size(), 2u);
  EXPECT_EQ(model_.parameters[0].default_value, "shop_data");
}

TEST_F(LoadEverySection, ReadsEnums) {
  const EnumModel* status = model_.FindEnum("Progress");
  ASSERT_NE(status, nullptr);
  EXPECT_EQ(status->values.size(), 3u);
  EXPECT_EQ(status->Find("DRAFT")->title, "Not confirmed");
  EXPECT_EQ(status->Find("CONFIRMED")->title, "");
  EXPECT_EQ(status->initial, "DRAFT");
  EXPECT_TRUE(status->Allows("DRAFT", "CONFIRMED"));
  EXPECT_FALSE(status->Allows("DONE", "DRAFT"));
  const EnumModel* terms = model_.FindEnum("Terms");
  EXPECT_EQ(terms->transitions, EnumModel::Transitions::kAny);
  EXPECT_EQ(terms->Find("15_DAYS")->code_name, "Days15");
}

TEST_F(LoadEverySection, ReadsAttributesAndTheirTypes) {
  const EntityModel* buyer = model_.FindEntity("Buyer");
  ASSERT_NE(buyer, nullptr);
  EXPECT_TRUE(buyer->Find("FullName")->required);
  EXPECT_EQ(buyer->Find("FullName")->type.max_length, 120);
  EXPECT_EQ(buyer->Find("Address")->type.name, "Address");
  EXPECT_TRUE(buyer->Find("Address")->required);
  EXPECT_TRUE(buyer->Find("Address")->type.attributes[0].required);
  EXPECT_EQ(buyer->Find("Tags")->type.kind, TypeKind::kSet);
  EXPECT_EQ(buyer->Find("Tags")->type.element->kind, TypeKind::kString);
  EXPECT_EQ(buyer->Find("CreatedAt")->set, SetBy::kOnCreate);
  const EntityModel* sale = model_.FindEntity("Sale");
  EXPECT_EQ(sale->Find("Amount")->type.scale, 2);
  EXPECT_EQ(sale->Find("Amount")->type.precision, 14);
  EXPECT_EQ(sale->Find("Discount")->default_value->text, "0");
  EXPECT_EQ(sale->Find("Terms")->default_from, "Buyer.Terms");
  EXPECT_EQ(sale->Find("BuyerId")->references, "Buyer");
  EXPECT_THAT(sale->Find("Subtotal")->derive->aggregates(), ElementsAre("lines.Price"));
}

TEST_F(LoadEverySection, ReadsKeys) {
  const EntityModel* sale = model_.FindEntity("Sale");
  EXPECT_EQ(sale->primary().Find("SK")->text.text(), "#METADATA#sale");
  const KeyModel* by_buyer = sale->FindKeys("GSI1");
  ASSERT_NE(by_buyer, nullptr);
  EXPECT_EQ(by_buyer->parts[0].attribute, "GSI1PK");
  EXPECT_THAT(by_buyer->when->paths(), ElementsAre("Progress"));
}

TEST_F(LoadEverySection, FillsInKeysThatAnIndexSharesWithTheTable) {
  const KeyModel* inverted = model_.FindEntity("Sale")->FindKeys("GSI4");
  ASSERT_NE(inverted, nullptr);
  EXPECT_EQ(inverted->parts[0].attribute, "SK");
  EXPECT_EQ(inverted->parts[1].text.text(), "SALE#{SaleId}");
  const KeyModel* local = model_.FindEntity("SaleLine")->FindKeys("LSI1");
  ASSERT_EQ(local->parts.size(), 2u);
  EXPECT_EQ(local->parts[0].attribute, "PK");
  EXPECT_EQ(model_.FindEntity("Sale")->FindKeys("LSI1"), nullptr);
}

TEST_F(LoadEverySection, ReadsWhatEntitiesSayAboutEachOther) {
  const EntityModel* sale = model_.FindEntity("Sale");
  ASSERT_EQ(sale->copies.size(), 1u);
  EXPECT_EQ(sale->copies[0].source_entity, "Buyer");
  EXPECT_EQ(sale->copies[0].source_attribute, "FullName");
  EXPECT_TRUE(sale->copies[0].live);
  EXPECT_THAT(sale->copies[0].freeze_when->paths(), ElementsAre("Amount"));
  ASSERT_EQ(sale->rules.size(), 2u);
  EXPECT_TRUE(sale->rules[1].on_create_only);
  EXPECT_EQ(sale->rules[1].assertion.text(), "Buyer.Terms != null");
  EXPECT_EQ(sale->ttl->after_seconds, 90 * 86400);
  EXPECT_EQ(sale->on_key_change, KeyChange::kMove);
  EXPECT_TRUE(sale->cascade_collection);
  const EntityModel* line = model_.FindEntity("SaleLine");
  EXPECT_EQ(line->parent, "Sale");
  EXPECT_EQ(line->bump_attribute, "SoldAt");
  EXPECT_EQ(line->bump_ms, 1);
  EXPECT_THAT(line->from_key, ElementsAre("LineNumber"));
  EXPECT_EQ(line->unknown_attributes, UnknownAttributes::kKeep);
  const EntityModel* buyer = model_.FindEntity("Buyer");
  EXPECT_EQ(buyer->id->generate, IdModel::Generate::kCounter);
  EXPECT_EQ(buyer->unique[0].fields[0].text(), "{Email|lower}");
  EXPECT_EQ(buyer->restrict_delete_if, "salesOfBuyer");
}

TEST_F(LoadEverySection, ReadsPatterns) {
  ASSERT_EQ(model_.patterns.size(), 7u);
  EXPECT_EQ(model_.patterns[1].fan_out->over, "Progress");
  EXPECT_EQ(model_.patterns[3].entity, "Sale");
  const PatternModel* pattern = model_.FindPattern("AP3");
  EXPECT_EQ(pattern->kind, PatternModel::Kind::kList);
  ASSERT_EQ(pattern->where.size(), 2u);
  EXPECT_EQ(pattern->where[0].attribute, "GSI1PK");
  EXPECT_EQ(pattern->where[0].value.text(), "BUYER#{BuyerId}");
  EXPECT_EQ(pattern->where[1].comparison, WhereTerm::Comparison::kBeginsWith);
  EXPECT_EQ(pattern->where[1].value.text(), "SALE#");
  EXPECT_EQ(pattern->range->dates, PatternModel::Dates::kWholeDays);
  EXPECT_TRUE(pattern->descending);
  EXPECT_EQ(pattern->page, 20);
  EXPECT_EQ(pattern->method, "GET");
  EXPECT_EQ(pattern->route, "/buyers/{BuyerId}/sales");
  EXPECT_THAT(pattern->requirements, ElementsAre("R-1"));
  ASSERT_EQ(pattern->examples.size(), 1u);
  EXPECT_THAT(pattern->examples[0].given,
              ElementsAre(Pair("BuyerId", "BUYER001"), Pair("from", "2026-01-01")));
  EXPECT_EQ(pattern->examples[0].most_units->ToString(), "0.5");
}

TEST_F(LoadEverySection, ReadsOperations) {
  ASSERT_EQ(model_.operations.size(), 2u);
  const OperationModel& operation = model_.operations[0];
  EXPECT_EQ(operation.method, "POST");
  EXPECT_EQ(operation.route, "/sales:withLines");
  ASSERT_EQ(operation.inputs.size(), 3u);
  EXPECT_EQ(operation.inputs[1].entity, "SaleLine");
  EXPECT_EQ(operation.inputs[1].least, 1);
  EXPECT_EQ(operation.inputs[1].most, 90);
  EXPECT_EQ(operation.inputs[2].type.kind, TypeKind::kString);
  ASSERT_EQ(operation.steps.size(), 4u);
  EXPECT_EQ(operation.steps[1].each, "lines");
  EXPECT_EQ(operation.steps[2].set[0].first, "Terms");
  EXPECT_TRUE(operation.steps[2].set[0].second.paths().empty());
  EXPECT_THAT(operation.steps[2].set[1].second.paths(), ElementsAre("input.note"));
  EXPECT_TRUE(operation.steps[3].when.has_value());
}

TEST_F(LoadEverySection, ReadsTheRest) {
  EXPECT_EQ(model_.tenancy->claim, "buyer_id");
  ASSERT_TRUE(model_.workload.has_value());
  EXPECT_EQ(model_.workload->volumes[0].bytes, 4096);
  EXPECT_EQ(model_.workload->rates[2].per_day, 24);
  EXPECT_EQ(model_.workload->rates[1].items, 20);
  EXPECT_EQ(model_.workload->rates[5].what, "update Sale");
  EXPECT_EQ(model_.workload->years, 5);
  EXPECT_EQ(model_.alarms[0].comparison, ">");
  EXPECT_EQ(model_.alarms[0].threshold.ToString(), "10");
}

TEST(LoadModel, ReadsEveryComparisonOfAWhere) {
  const std::string from = "GSI1SK begins_with SALE#\"";
  const auto term = [&](std::string_view condition) {
    const Model model = LoadText(With(ShopWithEverySection(), from, std::string(condition) + "\""));
    return model.FindPattern("AP3")->where.at(1);
  };
  using Comparison = WhereTerm::Comparison;
  EXPECT_EQ(term("GSI1SK = SALE#{SaleDate}").comparison, Comparison::kEqual);
  EXPECT_EQ(term("GSI1SK < S").comparison, Comparison::kLess);
  EXPECT_EQ(term("GSI1SK <= S").comparison, Comparison::kLessOrEqual);
  EXPECT_EQ(term("GSI1SK > S").comparison, Comparison::kGreater);
  EXPECT_EQ(term("GSI1SK >= S").comparison, Comparison::kGreaterOrEqual);
  const WhereTerm between = term("GSI1SK between SALE#A b and SALE#{SaleDate}");
  EXPECT_EQ(between.comparison, Comparison::kBetween);
  EXPECT_EQ(between.value.text(), "SALE#A b");
  EXPECT_EQ(between.upper->text(), "SALE#{SaleDate}");
  EXPECT_EQ(term("GSI1SK begins_with 'this and that'").value.text(), "this and that");
}

constexpr std::string_view kTiny =
    "format: stm/1\nmodel: tiny\ntables:\n  main: {name: tiny, keys: {hash: PK S}}\n"
    "entities:\n  Thing: {keys: {primary: {PK: \"{id}\"}}, attributes: {id: string!}}\n";

TEST(LoadModel, NeedsNoTableNameIfThereIsOneTable) {
  const Model model = LoadText(kTiny);
  EXPECT_EQ(model.entities.at(0).table, "main");
  EXPECT_EQ(model.entities.at(0).type_value, "Thing");
  EXPECT_EQ(model.forbidden_in_keys, "#");
}

TEST(LoadModel, WantsTheTableOfSeveral) {
  std::string text(kTiny);
  text.replace(text.find("entities"), 0, "  other: {name: other, keys: {hash: PK S}}\n");
  EXPECT_THAT(IdsOf(text), ElementsAre("table_not_named"));
}

TEST(LoadModel, KeepsCollectionsInOneTable) {
  std::string text(kTiny);
  text.replace(text.find("entities"), 0, "  other: {name: other, keys: {hash: PK S}}\n");
  text.replace(text.find("{keys: {primary"), 1, "{table: main, ");
  text += "  Part: {table: other, keys: {primary: {PK: \"{id}\"}}, attributes: {id: string!}}\n";
  text += "collections:\n  All: {root: Thing, members: {parts: \"Part[]\"}, partition: \"{id}\"}\n";
  EXPECT_THAT(IdsOf(text), ElementsAre("member_in_other_table"));
}

TEST(LoadModel, WantsTablesAndEntities) {
  EXPECT_THAT(IdsOf("format: stm/1\nmodel: tiny\ntables: {}\nentities: {}\n"),
              ElementsAre("no_tables", "no_entities"));
  EXPECT_THAT(IdsOf("format: stm/1\nmodel: tiny\n"),
              ElementsAre("missing_member", "missing_member"));
  EXPECT_THAT(IdsOf("- a\n"), ElementsAre("not_a_map"));
}

TEST(LoadModel, PutsAttributesIntoTheEnvelope) {
  std::string text(kTiny);
  text.insert(text.find("tables"), "defaults: {envelope: {attribute: data, outside: [at, id]}}\n");
  const Model model = LoadText(text);
  EXPECT_EQ(model.entities.at(0).envelope, "data");
  EXPECT_THAT(model.entities.at(0).outside_envelope, ElementsAre("id"));
  text.replace(text.find("{keys: {primary"), 1, "{envelope: none, ");
  EXPECT_EQ(LoadText(text).entities.at(0).envelope, "");
}

TEST(LoadModel, ReportsAllMistakesFromTheTop) {
  std::string text = With(ShopWithEverySection(), "stm/1", "stm/9");
  text = With(text, "ttl_attribute: ExpiresAt", "ttl_attribute: SK");
  text += "colour: red\n";
  EXPECT_THAT(IdsOf(text), ElementsAre("unknown_format", "attribute_is_key", "unknown_member"));
}

TEST(LoadModel, StopsAtTextThatIsNoDocument) {
  EXPECT_THAT(IdsOf("format: [\n"), ElementsAre("syntax_error"));
}

// Whatever the text, the loader says something or makes a model, and never does neither or crashes.
TEST(LoadModel, SurvivesAnyCutAndAnyLineTakenAway) {
  const std::string text = ShopWithEverySection();
  for (size_t at = 0; at < text.size(); at += 29) {
    Findings findings;
    const bool loaded = LoadModel(text.substr(0, at), &findings).has_value();
    EXPECT_NE(loaded, findings.has_errors()) << at;
  }
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = text.find('\n', begin) + 1;
    Findings findings;
    const bool loaded = LoadModel(text.substr(0, begin) + text.substr(end), &findings).has_value();
    EXPECT_NE(loaded, findings.has_errors()) << begin;
    begin = end;
  }
}

}  // namespace
}  // namespace monotable::model
