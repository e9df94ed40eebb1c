#include <gtest/gtest.h>

#include "model/check/findings_for_tests.h"

namespace monotable::model {
namespace {

constexpr std::string_view kSalesOfSeller = "where: \"GSI2PK = SELLER#{SellerId}\"";
constexpr std::string_view kLinesOfSale = "where: \"PK = SALE#{SaleId} and SK begins_with LINE#\"";

TEST(CheckPatterns, Unserved) {
  const std::string text =
      ShopWithPattern("{id: AP8, name: allSales, list: Sale, where: \"PK = SALE\"}");
  ExpectFound(text, Severity::kError, "unserved_pattern", "patterns.AP8", "AP8");
}

TEST(CheckPatterns, UnservedAsTheModelSays) {
  const std::string text = ShopWithPattern("{id: AP8, name: allSales, list: Sale, served: false}");
  ExpectFound(text, Severity::kInfo, "unserved_pattern", "patterns.AP8", "AP8");
}

TEST(CheckPatterns, ServedAfterAll) {
  const std::string text =
      ShopWithPattern("{id: AP8, name: sale2, get: Sale, by: [SaleId], served: false}");
  ExpectFound(text, Severity::kWarning, "served_after_all", "patterns.AP8", "AP8");
}

TEST(CheckPatterns, NeedsFilterForOtherEntities) {
  const std::string text = ShopWith(kLinesOfSale, "where: \"PK = SALE#{SaleId}\"");
  ExpectFound(text, Severity::kWarning, "needs_filter", "patterns.AP6", "AP6");
}

TEST(CheckPatterns, NeedsFilterForItsOwn) {
  const std::string text = ShopWith("    order: desc\n",
                                    "    order: desc\n    filter: \"Progress == "
                                    "DRAFT\"\n");
  ExpectFound(text, Severity::kInfo, "needs_filter", "patterns.AP3", "AP3");
}

TEST(CheckPatterns, EmptyBeginsWith) {
  const std::string text =
      With(ShopWith("GSI2SK: \"{SaleDate}#{SaleId}\"", "GSI2SK: \"{SaleId}\""), kSalesOfSeller,
           "where: \"GSI2PK = SELLER#{SellerId} and GSI2SK begins_with "
           "{SaleId}\"");
  ExpectFound(text, Severity::kWarning, "empty_begins_with", "patterns.AP5", "AP5");
  ExpectNotFound(With(text, "      SaleId: {type: string, required: true, max: 64}",
                      "      SaleId: {type: string, required: true, min: 1, max: 64}"),
                 "empty_begins_with");
  ExpectNotFound(kShop, "empty_begins_with");
}

TEST(CheckPatterns, OpenPrefix) {
  const std::string text =
      ShopWith(kLinesOfSale,
               std::string(kLinesOfSale) +
                   "\n  - {id: AP8, name: atMoment, list: Sale, index: GSI2, hydrate: true, where: "
                   "\"GSI2PK = SELLER#{SellerId} and GSI2SK begins_with {SaleDate}\"}");
  ExpectFound(text, Severity::kWarning, "open_prefix", "patterns.AP8", "AP8");
  ExpectNotFound(With(text, "begins_with {SaleDate}\"", "begins_with {SaleDate}#\""),
                 "open_prefix");
}

TEST(CheckPatterns, DateOnlyBetweenInWhere) {
  const std::string text = ShopWithPattern(
      "{id: AP8, name: january, list: Sale, index: GSI1, where: \"GSI1PK = BUYER#{BuyerId} "
      "and GSI1SK between SALE#2026-01-01 and SALE#2026-01-31\"}");
  ExpectFound(text, Severity::kWarning, "date_only_between", "patterns.AP8", "AP8");
  ExpectNotFound(With(text, "SALE#2026-01-31", "SALE#2026-01-31T23:59:59Z"), "date_only_between");
}

TEST(CheckPatterns, DateOnlyBetweenInExample) {
  const std::string text = ShopWith("from: \"2026-01-01\"", "to: \"2026-01-31\"");
  ExpectNotFound(text, "date_only_between");
  ExpectFound(With(text, "dates: whole_days", "dates: exact"), Severity::kWarning,
              "date_only_between", "patterns.AP3", "AP3");
}

TEST(CheckPatterns, UnknownValueInWhere) {
  std::string text = ShopWith("GSI2PK: \"SELLER#{SellerId}\"", "GSI2PK: \"PROGRESS#{Progress}\"");
  text = With(text, kSalesOfSeller, "where: \"GSI2PK = PROGRESS#CONFIRMDE\"");
  ExpectFound(text, Severity::kError, "unknown_value_in_where", "patterns.AP5", "AP5");
  EXPECT_EQ(Found(text, "unknown_value_in_where")[0].fix, "Did you mean CONFIRMED?");
  ExpectNotFound(With(text, "PROGRESS#CONFIRMDE", "PROGRESS#CONFIRMED"), "unknown_value_in_where");
}

TEST(CheckPatterns, UnusedParameter) {
  ExpectFound(ShopWith("get: Sale, by: [SaleId]", "get: Sale, by: [SaleId, SellerId]"),
              Severity::kWarning, "unused_parameter", "patterns.AP1", "AP1");
}

// The shop without the acceptance of its fan-out.
std::string FanOut() {
  return ShopWith("    accept: [fan_out]\n", "");
}

TEST(CheckPatterns, FanOut) {
  ExpectFound(FanOut(), Severity::kInfo, "fan_out", "patterns.AP2", "AP2");
  ExpectNotFound(FanOut(), "fan_out_over_open_enum");
}

TEST(CheckPatterns, WideFanOut) {
  const std::string text = With(With(FanOut(), "PROGRESS#{Progress}", "S#{SaleId|shard(16)}"),
                                "over: Progress", "over: SaleId");
  ExpectFound(text, Severity::kWarning, "fan_out", "patterns.AP2", "AP2");
}

TEST(CheckPatterns, FanOutOverOpenEnum) {
  ExpectFound(With(FanOut(), "    initial: DRAFT\n", "    initial: DRAFT\n    open: true\n"),
              Severity::kWarning, "fan_out_over_open_enum", "patterns.AP2", "AP2");
}

TEST(CheckPatterns, ProjectionLacks) {
  ExpectFound(ShopWith("    hydrate: true\n", ""), Severity::kWarning, "projection_lacks",
              "patterns.AP5", "AP5");
}

TEST(CheckPatterns, NeedlessHydrate) {
  ExpectFound(ShopWith("range: \"GSI2SK S\", project: keys", "range: \"GSI2SK S\", project: all"),
              Severity::kWarning, "needless_hydrate", "patterns.AP5", "AP5");
}

TEST(CheckPatterns, FilterLacks) {
  const std::string text =
      ShopWith("    hydrate: true\n", "    hydrate: true\n    filter: \"Progress == DRAFT\"\n");
  ExpectFound(text, Severity::kWarning, "filter_lacks", "patterns.AP5", "AP5");
  ExpectNotFound(With(text, "project: keys", "project: [Progress]"), "filter_lacks");
}

constexpr std::string_view kSellerKeys =
    "GSI2: {GSI2PK: \"SELLER#{SellerId}\", GSI2SK: \"{SaleDate}#{SaleId}\"}";

TEST(CheckPatterns, PartialIndex) {
  ExpectFound(
      ShopWith(kSellerKeys,
               "GSI2: {GSI2PK: \"SELLER#{SellerId}\", GSI2SK: \"{SaleDate}#{SaleId}\", when: "
               "\"Progress == DRAFT\"}"),
      Severity::kInfo, "partial_index", "patterns.AP5", "AP5");
}

TEST(CheckPatterns, LeftOutOfIndex) {
  std::string text =
      ShopWith(kSellerKeys,
               "GSI2: {GSI2PK: \"PROGRESS#{Progress}\", GSI2SK: \"{SaleDate}#{SaleId}\", "
               "when: \"Progress != DONE\"}");
  text = With(text, kSalesOfSeller, "where: \"GSI2PK = PROGRESS#DONE\"");
  ExpectFound(text, Severity::kError, "left_out_of_index", "patterns.AP5", "AP5");
  const std::string open = With(text, "= PROGRESS#DONE", "= PROGRESS#DRAFT");
  ExpectNotFound(open, "left_out_of_index");
  ExpectNotFound(open, "partial_index");
}

TEST(CheckPatterns, OptionalInSortKey) {
  const std::string text =
      With(ShopWith("GSI2SK: \"{SaleDate}#{SaleId}\"", "GSI2SK: \"{PaidAt}\""),
           "      SaleDate: instant!\n", "      SaleDate: instant!\n      PaidAt: instant\n");
  ExpectFound(text, Severity::kWarning, "optional_in_sort_key", "patterns.AP5", "AP5");
  ExpectNotFound(With(text, "PaidAt: instant\n", "PaidAt: instant!\n"), "optional_in_sort_key");
}

TEST(CheckPatterns, StrongReadOnIndex) {
  const std::string text = ShopWith("salesOfSeller: {rate: 10/day, items: 2}",
                                    "salesOfSeller: {rate: 10/day, consistent: true}");
  ExpectFound(text, Severity::kError, "strong_read_on_index", "patterns.AP5", "consistent");
  ExpectNotFound(With(text, "salesOfSeller: {rate", "linesOfSale: {rate"), "strong_read_on_index");
}

TEST(CheckPatterns, RootAfterMembers) {
  ExpectFound(ShopWith("SK: \"#METADATA#sale\"", "SK: METADATA"), Severity::kInfo,
              "root_after_members", "patterns.AP4", "AP4");
}

TEST(CheckPatterns, EntityWithoutPattern) {
  ExpectFound(ShopWith("  - {id: AP7, name: getBuyer, get: Buyer, by: [BuyerId]}\n", ""),
              Severity::kInfo, "entity_without_pattern", "entities.Buyer", "Buyer");
}

}  // namespace
}  // namespace monotable::model
