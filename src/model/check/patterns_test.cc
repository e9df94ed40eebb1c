#include <gtest/gtest.h>

#include "model/check/shop_model.h"

namespace monotable::model {
namespace {

constexpr std::string_view kSalesOfSeller = "where: \"GSI2PK = SELLER#{SellerId}\"";
constexpr std::string_view kLinesOfSale =
    "{id: P6, name: linesOfSale, list: Line, where: \"PK = SALE#{SaleId} and SK begins_with "
    "LINE#\"}";

TEST(CheckPatterns, Unserved) {
  const std::string text = AndPattern("{id: P7, name: allSales, list: Sale, where: \"PK = SALE\"}");
  ExpectFound(text, Severity::kError, "unserved_pattern", "patterns.P7", "P7");
}

TEST(CheckPatterns, UnservedAsTheModelSays) {
  const std::string text = AndPattern("{id: P7, name: allSales, list: Sale, served: false}");
  ExpectFound(text, Severity::kInfo, "unserved_pattern", "patterns.P7", "P7");
}

TEST(CheckPatterns, ServedAfterAll) {
  const std::string text =
      AndPattern("{id: P7, name: sale2, get: Sale, by: [SaleId], served: false}");
  ExpectFound(text, Severity::kWarning, "served_after_all", "patterns.P7", "P7");
}

TEST(CheckPatterns, NeedsFilterForOtherEntities) {
  const std::string text = Shop(kLinesOfSale,
                                "{id: P6, name: linesOfSale, list: Line, where: \"PK = "
                                "SALE#{SaleId}\"}");
  ExpectFound(text, Severity::kWarning, "needs_filter", "patterns.P6", "P6");
}

TEST(CheckPatterns, NeedsFilterForItsOwn) {
  const std::string text = Shop("    order: desc\n",
                                "    order: desc\n    filter: \"Progress == "
                                "OPEN\"\n");
  ExpectFound(text, Severity::kInfo, "needs_filter", "patterns.P3", "P3");
}

TEST(CheckPatterns, EmptyBeginsWith) {
  const std::string text =
      With(Shop("GSI2SK: \"{SoldAt}#{SaleId}\"", "GSI2SK: \"{SaleId}\""), kSalesOfSeller,
           "where: \"GSI2PK = SELLER#{SellerId} and GSI2SK begins_with "
           "{SaleId}\"");
  ExpectFound(text, Severity::kWarning, "empty_begins_with", "patterns.P4", "P4");
  ExpectNotFound(With(text, "      SaleId: {type: string, required: true, max: 64}",
                      "      SaleId: {type: string, required: true, min: 1, max: 64}"),
                 "empty_begins_with");
  ExpectNotFound(kShop, "empty_begins_with");
}

TEST(CheckPatterns, OpenPrefix) {
  const std::string text =
      Shop(kLinesOfSale,
           std::string(kLinesOfSale) +
               "\n  - {id: P7, name: atMoment, list: Sale, index: GSI2, hydrate: true, where: "
               "\"GSI2PK = SELLER#{SellerId} and GSI2SK begins_with {SoldAt}\"}");
  ExpectFound(text, Severity::kWarning, "open_prefix", "patterns.P7", "P7");
  ExpectNotFound(With(text, "begins_with {SoldAt}\"", "begins_with {SoldAt}#\""), "open_prefix");
}

TEST(CheckPatterns, DateOnlyBetweenInWhere) {
  const std::string text = AndPattern(
      "{id: P7, name: january, list: Sale, index: GSI1, where: \"GSI1PK = CUSTOMER#{CustomerId} "
      "and GSI1SK between SALE#2026-01-01 and SALE#2026-01-31\"}");
  ExpectFound(text, Severity::kWarning, "date_only_between", "patterns.P7", "P7");
  ExpectNotFound(With(text, "SALE#2026-01-31", "SALE#2026-01-31T23:59:59Z"), "date_only_between");
}

TEST(CheckPatterns, DateOnlyBetweenInExample) {
  const std::string text = Shop(
      "    page: 20\n",
      "    page: 20\n    examples:\n      - {given: {CustomerId: C1, to: \"2026-01-31\"}, returns: "
      "[]}\n");
  ExpectNotFound(text, "date_only_between");
  ExpectFound(With(text, "dates: whole_days", "dates: exact"), Severity::kWarning,
              "date_only_between", "patterns.P3", "P3");
}

TEST(CheckPatterns, UnknownValueInWhere) {
  std::string text = Shop("GSI2PK: \"SELLER#{SellerId}\"", "GSI2PK: \"PHASE#{Progress}\"");
  text = With(text, kSalesOfSeller, "where: \"GSI2PK = PHASE#PIAD\"");
  ExpectFound(text, Severity::kError, "unknown_value_in_where", "patterns.P4", "P4");
  EXPECT_EQ(Found(text, "unknown_value_in_where")[0].fix, "Did you mean PAID?");
  ExpectNotFound(With(text, "PHASE#PIAD", "PHASE#PAID"), "unknown_value_in_where");
}

TEST(CheckPatterns, UnusedParameter) {
  ExpectFound(Shop("get: Sale, by: [SaleId]", "get: Sale, by: [SaleId, SellerId]"),
              Severity::kWarning, "unused_parameter", "patterns.P2", "P2");
}

std::string FanOut() {
  return With(Shop("GSI2PK: \"SELLER#{SellerId}\"", "GSI2PK: \"PHASE#{Progress}\""),
              "    index: GSI2\n    where: \"GSI2PK = SELLER#{SellerId}\"",
              "    fan_out: {index: GSI2, over: Progress, merge: GSI2SK}");
}

TEST(CheckPatterns, FanOut) {
  ExpectFound(FanOut(), Severity::kInfo, "fan_out", "patterns.P4", "P4");
  ExpectNotFound(FanOut(), "fan_out_over_open_enum");
}

TEST(CheckPatterns, WideFanOut) {
  const std::string text = With(With(FanOut(), "PHASE#{Progress}", "S#{SaleId|shard(16)}"),
                                "over: Progress", "over: SaleId");
  ExpectFound(text, Severity::kWarning, "fan_out", "patterns.P4", "P4");
}

TEST(CheckPatterns, FanOutOverOpenEnum) {
  ExpectFound(With(FanOut(), "    initial: OPEN\n", "    initial: OPEN\n    open: true\n"),
              Severity::kWarning, "fan_out_over_open_enum", "patterns.P4", "P4");
}

TEST(CheckPatterns, ProjectionLacks) {
  ExpectFound(Shop("    hydrate: true\n", ""), Severity::kWarning, "projection_lacks",
              "patterns.P4", "P4");
}

TEST(CheckPatterns, NeedlessHydrate) {
  ExpectFound(Shop("range: \"GSI2SK S\", project: keys", "range: \"GSI2SK S\", project: all"),
              Severity::kWarning, "needless_hydrate", "patterns.P4", "P4");
}

TEST(CheckPatterns, FilterLacks) {
  const std::string text =
      Shop("    hydrate: true\n", "    hydrate: true\n    filter: \"Progress == OPEN\"\n");
  ExpectFound(text, Severity::kWarning, "filter_lacks", "patterns.P4", "P4");
  ExpectNotFound(With(text, "project: keys", "project: [Progress]"), "filter_lacks");
}

constexpr std::string_view kSellerKeys =
    "GSI2: {GSI2PK: \"SELLER#{SellerId}\", GSI2SK: \"{SoldAt}#{SaleId}\"}";

TEST(CheckPatterns, PartialIndex) {
  ExpectFound(Shop(kSellerKeys,
                   "GSI2: {GSI2PK: \"SELLER#{SellerId}\", GSI2SK: \"{SoldAt}#{SaleId}\", when: "
                   "\"Progress == OPEN\"}"),
              Severity::kInfo, "partial_index", "patterns.P4", "P4");
}

TEST(CheckPatterns, LeftOutOfIndex) {
  std::string text = Shop(kSellerKeys,
                          "GSI2: {GSI2PK: \"PHASE#{Progress}\", GSI2SK: \"{SoldAt}#{SaleId}\", "
                          "when: \"Progress != GONE\"}");
  text = With(text, kSalesOfSeller, "where: \"GSI2PK = PHASE#GONE\"");
  ExpectFound(text, Severity::kError, "left_out_of_index", "patterns.P4", "P4");
  const std::string open = With(text, "= PHASE#GONE", "= PHASE#OPEN");
  ExpectNotFound(open, "left_out_of_index");
  ExpectNotFound(open, "partial_index");
}

TEST(CheckPatterns, OptionalInSortKey) {
  const std::string text =
      With(Shop("GSI2SK: \"{SoldAt}#{SaleId}\"", "GSI2SK: \"{PaidAt}\""),
           "      SoldAt: instant!\n", "      SoldAt: instant!\n      PaidAt: instant\n");
  ExpectFound(text, Severity::kWarning, "optional_in_sort_key", "patterns.P4", "P4");
  ExpectNotFound(With(text, "PaidAt: instant\n", "PaidAt: instant!\n"), "optional_in_sort_key");
}

TEST(CheckPatterns, StrongReadOnIndex) {
  const std::string workload =
      "workload:\n  rates: {salesOfSeller: {rate: 10/day, consistent: true}}\n";
  const std::string text = std::string(kShop) + workload;
  ExpectFound(text, Severity::kError, "strong_read_on_index", "patterns.P4", "consistent");
  ExpectNotFound(With(text, "{salesOfSeller: {rate", "{linesOfSale: {rate"),
                 "strong_read_on_index");
}

TEST(CheckPatterns, RootAfterMembers) {
  ExpectFound(Shop("SK: \"#SALE\"", "SK: METADATA"), Severity::kInfo, "root_after_members",
              "patterns.P5", "P5");
}

TEST(CheckPatterns, EntityWithoutPattern) {
  ExpectFound(Shop("  - {id: P1, name: getCustomer, get: Customer, by: [CustomerId]}\n", ""),
              Severity::kInfo, "entity_without_pattern", "entities.Customer", "Customer");
}

}  // namespace
}  // namespace monotable::model
