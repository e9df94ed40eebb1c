#include "document/estimate/estimate.h"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "document/estimate/estimate_report.h"
#include "document/estimate/item_sizes.h"
#include "model/shop_for_tests.h"

namespace monotable::document {
namespace {

using testing::HasSubstr;
using testing::Not;

const RequestEstimate& Find(const Estimate& estimate, std::string_view what) {
  for (const RequestEstimate& request : estimate.requests) {
    if (request.what == what) return request;
  }
  static const RequestEstimate kNone;
  ADD_FAILURE() << "no " << what;
  return kNone;
}

constexpr std::string_view kPrices = R"(region: nowhere-1
since: "2024-11-01"
currency: USD
read_units_million: 0.125
write_units_million: 0.625
storage_gb_month: 0.25
free_storage_gb: 25
recovery_gb_month: 0.2
backup_gb_month: 0.1
kms_key_month: 1
)";

TEST(EstimateTest, CountsReads) {
  const Estimate estimate = EstimateWorkload(model::LoadShop());
  EXPECT_EQ(Find(estimate, "getSale").units, 0.5);
  // Each of three statuses is asked for a page of twenty items of 4 KB.
  EXPECT_EQ(Find(estimate, "listSales").units, 30);
  // 4 KB and three lines are 5 KB, in one Query.
  EXPECT_EQ(Find(estimate, "saleFull").units, 1);
  // Two keys from the index, then two items.
  EXPECT_EQ(Find(estimate, "salesOfSeller").units, 1.5);
}

TEST(EstimateTest, CountsIndexesAndTransactions) {
  const Estimate estimate = EstimateWorkload(model::LoadShop());
  // Twice 4 for the sale, twice 3 for its lines, and twice 2 for the check of the buyer; 4 for each
  // of two copies and 1 for a key.
  EXPECT_EQ(Find(estimate, "createSale").units, 14 + 4 + 9);
  EXPECT_THAT(Find(estimate, "createSale").how, HasSubstr("checks of Buyer 4"));
  // 4 for the sale, 4 where it stays, 8 where its status moves it; a key-only entry is not touched.
  EXPECT_EQ(Find(estimate, "update Sale").units, 16);
  EXPECT_THAT(Find(estimate, "update Sale").how, HasSubstr("as Progress changes"));
  const Estimate without_unique = EstimateWorkload(
      model::LoadShop("    unique:\n      - {name: email, fields: [\"{Email|lower}\"]}\n", ""));
  EXPECT_EQ(Find(without_unique, "create Buyer").units, 4);
  EXPECT_EQ(Find(without_unique, "delete Buyer").units, 4);
}

TEST(EstimateTest, UniqueValuesAndCountersTakeWrites) {
  // The buyer and the marker twice, the index once.
  EXPECT_EQ(Find(EstimateWorkload(model::LoadShop()), "create Buyer").units, 4 + 2 + 2);
  // The counter once.
  const Estimate counted =
      EstimateWorkload(model::LoadShop("generate: ulid", "format: \"B{n:03}\", generate: counter"));
  EXPECT_EQ(Find(counted, "create Buyer").units, 4 + 2 + 2 + 1);
}

TEST(EstimateTest, StatesInPrimaryKeysMoveItemsAndHideThem) {
  const Estimate estimate =
      EstimateWorkload(model::LoadShop("#METADATA#sale", "PROGRESS#{Progress}"));
  // Deleted and put in a transaction: 4 KB four times; every index entry is deleted and written.
  EXPECT_EQ(Find(estimate, "update Sale").units, 16 + 2 * 9);
  // Its id alone does not find a sale any more: half a unit for each 4 KB of the whole table.
  const double bytes = 182'500.0 * 4096 + 547'500.0 * 341 + 500.0 * 2048;
  EXPECT_EQ(Find(estimate, "getSale").units, std::ceil(bytes / 4096) / 2);
  EXPECT_THAT(Find(estimate, "getSale").how, HasSubstr("Scan"));
}

// The rates of a shop, each of which is estimated.
Estimate EstimateRates(const std::string& rates, std::string_view part = "",
                       std::string_view other = "") {
  const std::string text = model::ShopWith("    createSale: 100/day\n", rates);
  return EstimateWorkload(model::LoadText(part.empty() ? text : model::With(text, part, other)));
}

TEST(EstimateTest, UniqueValuesThatStayAreChecked) {
  const Estimate estimate = EstimateRates("    update Buyer: 1/day\n");
  // The buyer of 2 KB and its marker twice, the index once.
  EXPECT_EQ(Find(estimate, "update Buyer").units, 4 + 2 + 2);
}

TEST(EstimateTest, CopiesFollowTheirSource) {
  const std::string_view old_operation = "  confirmSale:\n";
  const std::string renaming =
      "  rename:\n    input: {BuyerId: string!, FullName: string!}\n    transact:\n"
      "      - {update: Buyer, set: {FullName: input.FullName}}\n  confirmSale:\n";
  // The buyer twice, its entry moves, its marker is checked. 73 sales of a buyer follow after one
  // year: each twice, with two entries.
  EXPECT_EQ(Find(EstimateRates("    rename: 1/day\n", old_operation, renaming), "rename").units,
            4 + 4 + 2 + 73 * (8 + 8));
  // The rate may say how many.
  const Estimate few =
      EstimateRates("    rename: {rate: 1/day, items: 3}\n", old_operation, renaming);
  EXPECT_EQ(Find(few, "rename").units, 4 + 4 + 2 + 3 * (8 + 8));
}

TEST(EstimateTest, DeletesTakeTheirMembersAlong) {
  const Estimate estimate = EstimateRates("    delete Sale: 1/day\n    delete SaleLine: 1/day\n");
  // The sale and three lines twice, three entries of the sale once.
  EXPECT_EQ(Find(estimate, "delete Sale").units, 8 + 6 + 9);
  // The line and the sale, whose sums follow.
  EXPECT_EQ(Find(estimate, "delete SaleLine").units, 2 + 8 + 8);
}

TEST(EstimateTest, WhatGrowsIsWritten) {
  const Estimate estimate =
      EstimateWorkload(model::LoadShop("createSale: 100/day", "create Sale: 100/day"));
  const RequestEstimate& lines = Find(estimate, "create SaleLine");
  EXPECT_TRUE(lines.implied);
  EXPECT_EQ(lines.per_day, 300);
  // The line and the sale, whose sums follow, twice; two copies of the sale in indexes.
  EXPECT_EQ(lines.units, 2 + 8 + 8);
  for (const RequestEstimate& request : EstimateWorkload(model::LoadShop()).requests) {
    EXPECT_FALSE(request.implied) << request.what;
  }
}

TEST(EstimateTest, CountsAsDocumentsDo) {
  const Estimate estimate = EstimateWorkload(model::LoadShop());
  EXPECT_EQ(Find(estimate, "getSale").plain_units, 1);
  EXPECT_EQ(Find(estimate, "listSales").plain_units, 20);
  EXPECT_EQ(Find(estimate, "createSale").plain_units, 4);
  EXPECT_EQ(Find(estimate, "create Buyer").plain_units, 2);
}

TEST(EstimateTest, StorageCountsIndexEntriesAndOverhead) {
  const model::Model model = model::LoadShop();
  const Estimate estimate = EstimateWorkload(model);
  ASSERT_EQ(estimate.storage.size(), 3u);
  const StorageEstimate& sale = estimate.storage[0];
  EXPECT_EQ(sale.entries, 3);
  EXPECT_EQ(sale.items_first_year, 36'500);
  EXPECT_EQ(sale.items_last_year, 182'500);
  const model::TableModel& table = model.tables[0];
  const model::EntityModel& entity = *model.FindEntity("Sale");
  const int64_t keys = EntryBytes(model, entity, *table.FindIndex("GSI2"));
  EXPECT_GT(keys, 60);
  EXPECT_LT(keys, 300);
  EXPECT_EQ(sale.stored_bytes, 3 * 4096 + 4 * 100 + static_cast<double>(keys));
  EXPECT_EQ(estimate.storage[2].items_last_year, 500);
}

TEST(EstimateTest, SizesAreTypicalIfTheWorkloadSaysNone) {
  const model::Model model =
      model::LoadShop("Buyer: {total: 500, bytes: 2KB}", "Buyer: {total: 500}");
  const int64_t bytes = ItemBytes(model, *model.FindEntity("Buyer"));
  EXPECT_GT(bytes, 300);
  EXPECT_LT(bytes, 500);
}

TEST(EstimateTest, ReportsWithAndWithoutPrices) {
  const model::Model model = model::LoadShop();
  const Estimate estimate = EstimateWorkload(model);
  const auto prices = ReadPrices(kPrices);
  ASSERT_TRUE(prices) << prices.error().message();
  const std::string text = ReportEstimate(model, estimate, *prices);
  EXPECT_THAT(text, HasSubstr("Prices of nowhere-1 since 2024-11-01"));
  EXPECT_THAT(text, HasSubstr("point-in-time recovery (staging, prod)"));
  EXPECT_THAT(text, HasSubstr("daily backups (prod)"));
  EXPECT_THAT(text, HasSubstr("alias/shop"));
  EXPECT_THAT(text, HasSubstr("The first 25 GB of storage"));
  EXPECT_THAT(ReportEstimate(model, estimate, std::nullopt), Not(HasSubstr("USD")));
}

TEST(EstimateTest, ReportsWhereTheDocumentDiffers) {
  const model::Model model = model::LoadShop();
  const std::string text = ReportPlainEstimate(model, EstimateWorkload(model), std::nullopt);
  EXPECT_THAT(text, HasSubstr("4 KB x 20"));
  EXPECT_THAT(text, HasSubstr("0.023"));
  EXPECT_THAT(text, HasSubstr("Where DynamoDB differs:"));
}

TEST(PriceTest, EveryPriceMustBeThere) {
  for (const std::string_view name : {"region", "storage_gb_month", "kms_key_month"}) {
    std::string text(kPrices);
    text.replace(text.find(name), name.size(), "other");
    const auto prices = ReadPrices(text);
    ASSERT_FALSE(prices);
    EXPECT_EQ(prices.error().message(), "The price table lacks " + std::string(name) + ".");
  }
}

TEST(PriceTest, PricesAreAmounts) {
  for (const std::string_view wrong : {"-1", "free", "[1]"}) {
    std::string text(kPrices);
    text.replace(text.find("0.625"), 5, wrong);
    EXPECT_FALSE(ReadPrices(text)) << wrong;
  }
  EXPECT_FALSE(ReadPrices("- a\n- list\n"));
}

TEST(FigureTest, PrintsWhatTells) {
  EXPECT_EQ(Figure(0), "0");
  EXPECT_EQ(Figure(36'500), "36,500");
  EXPECT_EQ(Figure(1'234'567), "1,234,567");
  EXPECT_EQ(Figure(999), "999");
  EXPECT_EQ(Figure(20), "20");
  EXPECT_EQ(Figure(0.5), "0.5");
  EXPECT_EQ(PerSecond(1000), "0.012");
  EXPECT_EQ(PerSecond(20), "0.0002");
  EXPECT_EQ(Size(341), "341 bytes");
  EXPECT_EQ(Size(4096), "4 KB");
  EXPECT_EQ(Size(36'500.0 * 5 * 1024), "178.2 MB");
  EXPECT_EQ(Size(182'500.0 * 17 * 1024), "2.96 GB");
  EXPECT_EQ(Size(1024.0 * 1024 * 1024), "1 GB");
}

TEST(FigureTest, AlignsColumns) {
  TextColumns columns({"what", "n", "why"});
  columns.Add({"a", "10", "because"});
  EXPECT_EQ(columns.Text(), "  what   n  why\n  a     10  because\n");
}

}  // namespace
}  // namespace monotable::document
