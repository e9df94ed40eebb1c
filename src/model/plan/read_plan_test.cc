#include "model/plan/read_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/shop_for_tests.h"

namespace monotable::model {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

ReadPlan PlanOf(std::string_view text, std::string_view id) {
  const Model model = LoadText(text);
  const PatternModel* pattern = model.FindPattern(id);
  EXPECT_NE(pattern, nullptr) << id;
  return pattern != nullptr ? PlanPattern(model, *pattern) : ReadPlan();
}

// The plan of one more pattern about sales, AP8.
ReadPlan PlanWhere(std::string_view index, std::string_view where, std::string_view more = "") {
  return PlanOf(ShopWithPattern("{id: AP8, name: seventh, list: Sale, index: " +
                                std::string(index) + ", hydrate: true, where: \"" +
                                std::string(where) + "\"" + std::string(more) + "}"),
                "AP8");
}

TEST(PlanPattern, GetByKey) {
  const ReadPlan plan = PlanOf(kShop, "getSale");
  EXPECT_EQ(plan.verdict, Verdict::kServed) << plan.reason;
  ASSERT_EQ(plan.steps.size(), 1u);
  EXPECT_EQ(plan.steps[0].action, ReadStep::Action::kGetItem);
  EXPECT_THAT(plan.parameters, ElementsAre("SaleId"));
  EXPECT_EQ(plan.request,
            R"json({"TableName":"{TableName}_{environment}","Key":{"PK":{"S":"SALE#{SaleId}"},)json"
            R"json("SK":{"S":"#METADATA#sale"}}})json");
}

TEST(PlanPattern, GetWithoutTheWholeKey) {
  const ReadPlan plan =
      PlanOf(ShopWithPattern("{id: AP8, name: line, get: SaleLine, by: [SaleId]}"), "AP8");
  EXPECT_EQ(plan.verdict, Verdict::kNotServed);
  EXPECT_THAT(plan.reason, HasSubstr("needs LineNumber"));
  EXPECT_THAT(plan.steps, IsEmpty());
}

TEST(PlanPattern, ListWithOptionalRange) {
  const ReadPlan plan = PlanOf(kShop, "salesOfBuyer");
  EXPECT_EQ(plan.verdict, Verdict::kServed) << plan.reason;
  ASSERT_EQ(plan.steps.size(), 1u);
  EXPECT_EQ(plan.steps[0].range_prefix, "SALE#");
  EXPECT_FALSE(plan.steps[0].range_is_prefix_of_key);
  EXPECT_TRUE(plan.steps[0].descending);
  EXPECT_THAT(plan.parameters, ElementsAre("BuyerId"));
  EXPECT_THAT(plan.optional_parameters, ElementsAre("from", "to"));
  EXPECT_EQ(plan.request,
            R"json({"TableName":"{TableName}_{environment}","IndexName":"GSI1",)json"
            R"json("KeyConditionExpression":"GSI1PK = :hash AND begins_with(GSI1SK, :range)",)json"
            R"json("ExpressionAttributeValues":{":hash":{"S":"BUYER#{BuyerId}"},)json"
            R"json(":range":{"S":"SALE#"}},"ScanIndexForward":false,"Limit":20})json");
}

TEST(PlanPattern, RequiredRangeIsBetween) {
  const ReadPlan plan = PlanOf(ShopWith("required: false", "required: true"), "AP3");
  ASSERT_TRUE(plan.steps[0].range);
  EXPECT_EQ(plan.steps[0].range->comparison, WhereTerm::Comparison::kBetween);
  EXPECT_EQ(plan.steps[0].range->value.text(), "SALE#{from}");
  EXPECT_EQ(plan.steps[0].range->upper->text(), "SALE#{to}");
  EXPECT_THAT(plan.parameters, ElementsAre("BuyerId", "from", "to"));
}

TEST(PlanPattern, RangeWithMoreOfTheKeyAfterIt) {
  const ReadPlan plan =
      PlanWhere("GSI2", "GSI2PK = SELLER#{SellerId}", ", range: {field: SaleDate, required: true}");
  EXPECT_EQ(plan.verdict, Verdict::kServed) << plan.reason;
  EXPECT_EQ(plan.steps[0].range_prefix, "");
  EXPECT_TRUE(plan.steps[0].range_is_prefix_of_key);
  // Keys go on after the moment, so the bound must sort after all that do.
  EXPECT_EQ(plan.steps[0].range->upper->text(), "{to}\xEF\xBF\xBF");
}

TEST(PlanPattern, RangeOfAFieldThatIsNotNext) {
  const ReadPlan plan = PlanWhere("GSI2", "GSI2PK = SELLER#{SellerId}", ", range: {field: SaleId}");
  EXPECT_EQ(plan.verdict, Verdict::kNotServed);
  EXPECT_THAT(plan.reason, HasSubstr("SaleId does not follow"));
}

TEST(PlanPattern, RangeBesidesAnotherCondition) {
  const ReadPlan plan = PlanWhere("GSI1", "GSI1PK = BUYER#{BuyerId} and GSI1SK >= SALE#2026",
                                  ", range: {field: SaleDate}");
  EXPECT_EQ(plan.verdict, Verdict::kNotServed);
  EXPECT_THAT(plan.reason, HasSubstr("one condition"));
}

TEST(PlanPattern, WhereThatIsNotTheKey) {
  EXPECT_THAT(PlanWhere("GSI1", "GSI1PK = CLIENT#{BuyerId}").reason, HasSubstr("CLIENT#"));
  EXPECT_THAT(PlanWhere("GSI1", "GSI1PK = BUYER#{SellerId}").reason, HasSubstr("{SellerId}"));
  EXPECT_THAT(PlanWhere("GSI1", "GSI1PK = BUYER").reason, HasSubstr("only the beginning"));
  EXPECT_THAT(PlanWhere("GSI1", "GSI1SK begins_with SALE#").reason,
              HasSubstr("what GSI1PK equals"));
  EXPECT_THAT(PlanWhere("GSI1", "GSI1PK begins_with BUYER#").reason,
              HasSubstr("what GSI1PK equals"));
  EXPECT_THAT(PlanWhere("GSI1", "GSI1PK = BUYER#{BuyerId} and GSI1SK = SALE#").reason,
              HasSubstr("only the beginning"));
}

TEST(PlanPattern, ValuesMayBeWrittenOut) {
  const ReadPlan plan = PlanWhere("GSI2", "GSI2PK = SELLER#S1 and GSI2SK begins_with 2026-01-");
  EXPECT_EQ(plan.verdict, Verdict::kServed) << plan.reason;
  EXPECT_THAT(plan.parameters, IsEmpty());
}

TEST(PlanPattern, EntityThatIsNotInTheIndex) {
  const ReadPlan plan = PlanOf(
      ShopWithPattern("{id: AP8, name: lines, list: SaleLine, index: GSI1, where: \"GSI1PK = "
                      "BUYER#{Product}\"}"),
      "AP8");
  EXPECT_EQ(plan.verdict, Verdict::kNotServed);
  EXPECT_THAT(plan.reason, HasSubstr("SaleLine has no keys in GSI1"));
}

TEST(PlanPattern, OtherEntitiesInTheRange) {
  const ReadPlan plan = PlanOf(
      ShopWithPattern("{id: AP8, name: lines, list: SaleLine, where: \"PK = SALE#{SaleId}\"}"),
      "AP8");
  EXPECT_EQ(plan.verdict, Verdict::kNeedsFilter);
  EXPECT_TRUE(plan.steps[0].filter_by_type);
  EXPECT_THAT(plan.steps[0].also_read, ElementsAre("Sale"));
  EXPECT_THAT(plan.request, HasSubstr(R"json("FilterExpression":"EntityType = :type")json"));
  EXPECT_THAT(plan.request, HasSubstr(R"json(":type":{"S":"SaleLine"})json"));
}

TEST(PlanPattern, BoundsThatLeaveOthersOut) {
  const auto verdict = [](std::string_view condition) {
    return PlanOf(ShopWithPattern(
                      "{id: AP8, name: lines, list: SaleLine, where: \"PK = SALE#{SaleId} and "
                      "SK " +
                      std::string(condition) + "\"}"),
                  "AP8")
        .verdict;
  };
  // #METADATA#sale sorts before LINE#.
  EXPECT_EQ(verdict(">= LINE#{LineNumber:03}"), Verdict::kServed);
  EXPECT_EQ(verdict("> LINE#005"), Verdict::kServed);
  EXPECT_EQ(verdict("<= LINE#{LineNumber:03}"), Verdict::kNeedsFilter);
  EXPECT_EQ(verdict("between LINE#001 and LINE#010"), Verdict::kServed);
  EXPECT_EQ(verdict("= LINE#{LineNumber:03}"), Verdict::kServed);
}

TEST(PlanPattern, FilterByTheTablesKeyInAnIndexWithoutTheType) {
  std::string text = ShopWith("SK: \"LINE#{LineNumber:03}\"}",
                              "SK: \"LINE#{LineNumber:03}\"}\n      GSI2: {GSI2PK: "
                              "\"SELLER#{Product}\", GSI2SK: \"{LineNumber:03}\"}");
  const ReadPlan plan = PlanOf(text, "salesOfSeller");
  EXPECT_EQ(plan.verdict, Verdict::kNeedsFilter);
  EXPECT_THAT(plan.request, HasSubstr(R"json("FilterExpression":"begins_with(SK, :type)")json"));
  EXPECT_THAT(plan.request, HasSubstr(R"json(":type":{"S":"#METADATA#sale"})json"));
}

TEST(PlanPattern, HydrateAfterAnIndexOfKeys) {
  const ReadPlan plan = PlanOf(kShop, "salesOfSeller");
  EXPECT_EQ(plan.verdict, Verdict::kServed) << plan.reason;
  EXPECT_TRUE(plan.hydrate);
  ASSERT_EQ(plan.steps.size(), 2u);
  EXPECT_EQ(plan.steps[1].action, ReadStep::Action::kBatchGetItem);
  EXPECT_EQ(plan.steps[1].hash.text(), "SALE#{SaleId}");
  EXPECT_FALSE(PlanOf(ShopWith("project: keys", "project: all"), "salesOfSeller").hydrate);
}

TEST(PlanPattern, FanOutOverAnEnum) {
  const std::string text =
      With(ShopWith("GSI2PK: \"SELLER#{SellerId}\"", "GSI2PK: \"PROGRESS#{Progress}\""),
           "    index: GSI2\n    where: \"GSI2PK = SELLER#{SellerId}\"",
           "    fan_out: {index: GSI2, over: Progress, merge: GSI2SK}");
  const ReadPlan plan = PlanOf(text, "salesOfSeller");
  EXPECT_EQ(plan.verdict, Verdict::kFanOut) << plan.reason;
  EXPECT_THAT(plan.fan_out_values, ElementsAre("DRAFT", "CONFIRMED", "DONE"));
  EXPECT_EQ(plan.fan_out_attribute, "Progress");
  EXPECT_EQ(plan.merge_attribute, "GSI2SK");
  EXPECT_THAT(plan.parameters, IsEmpty());
}

TEST(PlanPattern, FanOutOverShardsWithAParameter) {
  const std::string text = With(
      ShopWith("GSI2PK: \"SELLER#{SellerId}\"", "GSI2PK: \"SELLER#{SellerId}#{SaleId|shard(3)}\""),
      "    index: GSI2\n    where: \"GSI2PK = SELLER#{SellerId}\"",
      "    fan_out: {index: GSI2, over: SaleId, merge: GSI2SK}");
  const ReadPlan plan = PlanOf(text, "salesOfSeller");
  EXPECT_EQ(plan.verdict, Verdict::kFanOut) << plan.reason;
  EXPECT_THAT(plan.fan_out_values, ElementsAre("0", "1", "2"));
  EXPECT_THAT(plan.parameters, ElementsAre("SellerId"));
}

TEST(PlanPattern, FanOutOverWhatHasNoKnownValues) {
  // The loader refuses this; a model that was made otherwise has no such guard.
  Model model = LoadText(kShop);
  PatternModel pattern = *model.FindPattern("AP5");
  pattern.where.clear();
  pattern.fan_out = {.index = "GSI2", .over = "SellerId", .merge = "GSI2SK"};
  EXPECT_THAT(PlanPattern(model, pattern).reason, HasSubstr("neither an enum nor sharded"));
  pattern.fan_out->over = "Progress";
  EXPECT_THAT(PlanPattern(model, pattern).reason, HasSubstr("is not made of Progress"));
}

TEST(PlanPattern, Collection) {
  const ReadPlan plan = PlanOf(kShop, "saleFull");
  EXPECT_EQ(plan.verdict, Verdict::kServed) << plan.reason;
  ASSERT_EQ(plan.steps.size(), 1u);
  EXPECT_EQ(plan.steps[0].entity, "");
  EXPECT_THAT(plan.parameters, ElementsAre("SaleId"));
  EXPECT_EQ(
      plan.request,
      R"json({"TableName":"{TableName}_{environment}","KeyConditionExpression":"PK = :hash",)json"
      R"json("ExpressionAttributeValues":{":hash":{"S":"SALE#{SaleId}"}}})json");
}

TEST(PlanPattern, CollectionOverTwoPartitions) {
  const ReadPlan plan = PlanOf(
      ShopWith("PK: \"SALE#{SaleId}\", SK: \"LINE", "PK: \"LINES#{SaleId}\", SK: \"LINE"), "AP4");
  EXPECT_EQ(plan.verdict, Verdict::kNotServed);
  EXPECT_THAT(plan.reason, HasSubstr("SaleLine is not in the partition"));
}

TEST(PlanPattern, AliasesForWordsAndHyphens) {
  std::string text(kShop);
  for (size_t at = text.find("GSI2PK"); at != std::string::npos; at = text.find("GSI2PK")) {
    text.replace(at, 6, "GSI2-X");
  }
  for (size_t at = text.find("GSI2SK"); at != std::string::npos; at = text.find("GSI2SK")) {
    text.replace(at, 6, "Range");
  }
  const ReadPlan plan = PlanOf(With(text, "where: \"GSI2-X = SELLER#{SellerId}\"",
                                    "where: \"GSI2-X = SELLER#{SellerId} and Range >= 2026\""),
                               "AP5");
  EXPECT_THAT(plan.request,
              HasSubstr(R"json("KeyConditionExpression":"#GSI2X = :hash AND #Range >= )json"
                        R"json(:range")json"));
  EXPECT_THAT(plan.request, HasSubstr(R"json("ExpressionAttributeNames":{"#GSI2X":"GSI2-X",)json"
                                      R"json("#Range":"Range"})json"));
}

TEST(PlanPattern, FilterOfThePattern) {
  const ReadPlan plan =
      PlanOf(ShopWithPattern(
                 "{id: AP8, name: open, list: SaleLine, where: \"PK = SALE#{SaleId}\", filter: "
                 "\"Product == 'tea'\"}"),
             "AP8");
  EXPECT_EQ(plan.verdict, Verdict::kNeedsFilter);
  EXPECT_THAT(
      plan.request,
      HasSubstr(R"json("FilterExpression":"EntityType = :type AND Product = :value2")json"));
}

TEST(PlanPattern, CountAsksForTheCountOnly) {
  const ReadPlan plan =
      PlanOf(ShopWithPattern(
                 "{id: AP8, name: countLines, count: SaleLine, where: \"PK = SALE#{SaleId} and SK "
                 "begins_with LINE#\"}"),
             "AP8");
  EXPECT_THAT(plan.request, HasSubstr(R"json("Select":"COUNT")json"));
}

}  // namespace
}  // namespace monotable::model
