#include <gtest/gtest.h>

#include "model/check/findings_for_tests.h"

namespace monotable::model {
namespace {

constexpr std::string_view kSellerHash = "GSI2PK: \"SELLER#{SellerId}\"";
constexpr std::string_view kSellerWhere = "where: \"GSI2PK = SELLER#{SellerId}\"";

// The shop whose second index has another partition. It has neither a workload nor the index by
// progress, whose partitions are hot as well.
std::string Partition(std::string_view hash) {
  std::string text = ShopWith(kSellerHash, "GSI2PK: \"" + std::string(hash) + "\"");
  text = With(text, kSellerWhere, "where: \"GSI2PK = " + std::string(hash) + "\"");
  text = With(text, "      GSI3: {GSI3PK: \"PROGRESS#{Progress}\", GSI3SK: \"SALE#{SaleDate}\"}\n",
              "");
  text = With(text, "fan_out: {index: GSI3, over: Progress, merge: GSI3SK}", "served: false");
  text = With(text, "    accept: [hot_partition]\n", "");
  return text.substr(0, text.find("workload:\n"));
}

TEST(CheckPartitions, ConstantOrEnumWithoutWorkload) {
  ExpectFound(Partition("SALES"), Severity::kWarning, "hot_partition", "entities.Sale.keys.GSI2",
              "GSI2");
  ExpectFound(Partition("PROGRESS#{Progress}"), Severity::kWarning, "hot_partition",
              "entities.Sale.keys.GSI2", "GSI2");
  ExpectNotFound(Partition("SELLER#{SellerId}#{Progress}"), "hot_partition");
  ExpectNotFound(Partition("SALES#{SaleId|shard(8)}"), "hot_partition");
}

TEST(CheckPartitions, AgainstTheWorkload) {
  const std::string quiet = Partition("SALES") + "workload:\n  rates: {create Sale: 100/day}\n";
  ExpectFound(quiet, Severity::kInfo, "hot_partition", "entities.Sale.keys.GSI2", "GSI2");
  const std::string busy = With(quiet, "100/day", "100000000/day");
  ExpectFound(busy, Severity::kWarning, "hot_partition", "entities.Sale.keys.GSI2", "GSI2");
}

TEST(CheckPartitions, ShardsMayNotSuffice) {
  const std::string text =
      Partition("SALES#{SaleId|shard(8)}") + "workload:\n  rates: {create Sale: 500000000/day}\n";
  ExpectNotFound(text, "hot_partition");
  ExpectFound(With(text, "500000000/day", "900000000/day"), Severity::kWarning, "hot_partition",
              "entities.Sale.keys.GSI2", "GSI2");
}

TEST(CheckPartitions, OperationsAndReadsCount) {
  const std::string text = Partition("SALES") +
                           "workload:\n  volumes: {Sale: {per_day: 10, bytes: 4KB}}\n"
                           "  rates: {createSale: 10/day, salesOfSeller: {rate: 1000000/day, "
                           "items: 1000}}\n";
  // A million lists a day of a thousand items of 4 KB are 5787 units a second.
  ExpectFound(text, Severity::kWarning, "hot_partition", "entities.Sale.keys.GSI2", "GSI2");
}

TEST(CheckTables, TooManyIndexes) {
  std::string indexes;
  for (int i = 4; i <= 21; ++i) {
    indexes += "      Index" + std::to_string(i) + ": {hash: \"H" + std::to_string(i) + " S\"}\n";
  }
  const std::string text = ShopWith("environments:\n", indexes + "environments:\n");
  ExpectFound(text, Severity::kError, "too_many_indexes", "tables.main", "main");
  ExpectNotFound(With(text, "      Index21: {hash: \"H21 S\"}\n", ""), "too_many_indexes");
}

TEST(CheckTables, UnusedIndex) {
  ExpectFound(ShopWith("environments:\n",
                       "      GSI4: {hash: \"GSI4PK S\", range: \"GSI4SK S\"}\nenvironments:\n"),
              Severity::kWarning, "unused_index", "tables.main.indexes.GSI4", "GSI4");
  const std::string unread = ShopWith(kSellerWhere, "served: false");
  ExpectFound(With(unread, "    index: GSI2\n", ""), Severity::kWarning, "unused_index",
              "tables.main.indexes.GSI2", "GSI2");
}

TEST(CheckTables, IndexOnTheKeyTheOtherWayRoundIsHeld) {
  const std::string text = With(
      ShopWith("environments:\n", "      GSI4: {hash: \"SK S\", range: \"PK S\"}\nenvironments:\n"),
      "operations:\n",
      "  - {id: AP8, name: byNumber, list: SaleLine, index: GSI4, where: \"SK = "
      "LINE#{LineNumber:03}\"}\noperations:\n");
  ExpectNotFound(text, "unused_index");
}

TEST(CheckTables, TtlNotSeconds) {
  const std::string text = ShopWith("      SaleDate: instant!\n",
                                    "      SaleDate: instant!\n      ExpiresAt: instant\n");
  ExpectFound(text, Severity::kError, "ttl_not_seconds", "entities.Sale.attributes.ExpiresAt",
              "ExpiresAt");
  ExpectFound(
      With(text, "ExpiresAt: instant\n", "ExpiresAt: {type: instant, stored: epoch_millis}\n"),
      Severity::kError, "ttl_not_seconds", "entities.Sale.attributes.ExpiresAt", "ExpiresAt");
  ExpectNotFound(With(text, "ExpiresAt: instant\n", "ExpiresAt: {type: instant, stored: epoch}\n"),
                 "ttl_not_seconds");
}

TEST(CheckTables, TtlInEnvelope) {
  std::string text = ShopWith("      SaleDate: instant!\n",
                              "      SaleDate: instant!\n      ExpiresAt: {type: instant, stored: "
                              "epoch}\n");
  text = With(text, "    path: sales\n", "    path: sales\n    envelope: {attribute: body}\n");
  ExpectFound(text, Severity::kError, "ttl_in_envelope", "entities.Sale.attributes.ExpiresAt",
              "ExpiresAt");
  ExpectNotFound(With(text, "{attribute: body}", "{attribute: body, outside: [ExpiresAt]}"),
                 "ttl_in_envelope");
}

TEST(CheckTables, TtlBase) {
  const std::string text =
      ShopWith("      SaleDate: instant!\n", "      SaleDate: instant!\n      PaidAt: instant\n");
  ExpectFound(With(text, "ttl: {base: SaleDate", "ttl: {base: PaidAt"), Severity::kWarning,
              "ttl_base_optional", "entities.Sale.ttl", "ttl");
}

TEST(CheckTables, TtlIsKeyOrUnused) {
  ExpectFound(ShopWith("ttl_attribute: ExpiresAt", "ttl_attribute: GSI1SK"), Severity::kError,
              "ttl_is_key", "tables.main", "main");
  ExpectFound(ShopWith("    ttl: {base: SaleDate, after: 90d, when: \"Progress in [DONE]\", "
                       "hide_expired: true}\n",
                       ""),
              Severity::kWarning, "unused_ttl", "tables.main", "main");
}

TEST(CheckStates, WithoutTransitions) {
  const std::string text = With(ShopWith("      Progress: Progress!\n",
                                         "      Progress: Progress!\n      item_status: Shelf\n"),
                                "enums:\n", "enums:\n  Shelf: {values: [TOP, LOW]}\n");
  ExpectFound(text, Severity::kWarning, "state_without_transitions",
              "entities.Sale.attributes.item_status", "item_status");
  ExpectNotFound(With(text, "[TOP, LOW]}", "[TOP, LOW], transitions: any}"),
                 "state_without_transitions");
  ExpectNotFound(With(text, "item_status: Shelf", "shelf: Shelf"), "state_without_transitions");
}

TEST(CheckStates, Unreachable) {
  ExpectFound(ShopWith("CONFIRMED: [DONE]", "CONFIRMED: []"), Severity::kWarning,
              "unreachable_state", "enums.Progress", "Progress");
  ExpectNotFound(
      ShopWith("DRAFT: [CONFIRMED], CONFIRMED: [DONE]", "DRAFT: [CONFIRMED, DONE], CONFIRMED: []"),
      "unreachable_state");
}

TEST(CheckStates, DeadEnd) {
  ExpectFound(ShopWith(", DONE: []}", "}"), Severity::kInfo, "dead_end_state", "enums.Progress",
              "Progress");
}

TEST(CheckStates, UnusedEnum) {
  const std::string text = ShopWith("enums:\n", "enums:\n  Shelf: {values: [TOP, LOW]}\n");
  ExpectFound(text, Severity::kWarning, "unused_enum", "enums.Shelf", "Shelf");
  ExpectNotFound(With(text, "      Progress: Progress!\n",
                      "      Progress: Progress!\n      Shelves: \"Shelf[]\"\n"),
                 "unused_enum");
}

TEST(CheckWrites, UniqueOnOptional) {
  ExpectFound(ShopWith("Email: {type: string, required: true,", "Email: {type: string,"),
              Severity::kWarning, "unique_on_optional", "entities.Buyer.unique.email", "email");
}

TEST(CheckWrites, CopyWithoutIndex) {
  const std::string text = ShopWith("GSI1PK: \"BUYER#{BuyerId}\", GSI1SK: \"SALE#",
                                    "GSI1PK: \"BUYER#{BuyerId}#{SellerId}\", GSI1SK: \"SALE#");
  const std::string served =
      With(text, "GSI1PK = BUYER#{BuyerId} ", "GSI1PK = BUYER#{BuyerId}#{SellerId} ");
  ExpectFound(served, Severity::kError, "copy_without_index", "entities.Sale.copies.BuyerName",
              "BuyerName");
  ExpectNotFound(With(served, "mode: live, freeze_when: \"Amount > 0\"", "mode: once"),
                 "copy_without_index");
}

TEST(CheckWrites, TransactionTooLarge) {
  ExpectFound(ShopWith("SaleLine[1..90]", "SaleLine[1..100]"), Severity::kError,
              "transaction_too_large", "operations.createSale", "createSale");
  ExpectNotFound(ShopWith("SaleLine[1..90]", "SaleLine[1..99]"), "transaction_too_large");
  ExpectFound(ShopWith("SaleLine[1..90]", "SaleLine[]"), Severity::kError, "transaction_too_large",
              "operations.createSale", "createSale");
}

TEST(CheckWrites, UniqueValuesAreActionsToo) {
  const std::string text = With(
      ShopWith("sale: Sale, lines: \"SaleLine[1..90]\"", "sale: Sale, buyers: \"Buyer[1..50]\""),
      "{put: SaleLine, each: lines}", "{put: Buyer, each: buyers}");
  ExpectFound(text, Severity::kError, "transaction_too_large", "operations.createSale",
              "createSale");
  ExpectNotFound(With(text, "[1..50]", "[1..49]"), "transaction_too_large");
}

TEST(CheckWrites, ItemSize) {
  const std::string text = ShopWith("Product: {type: string, required: true, max: 64}",
                                    "Product: {type: string, required: true, max: 110000}");
  ExpectFound(text, Severity::kWarning, "item_size", "entities.SaleLine.attributes.Product",
              "Product");
  ExpectNotFound(With(text, "110000", "90000"), "item_size");
}

// The shop for several tenants: buyers and lines have the tenant in their partition.
std::string Tenants() {
  std::string text = std::string(kShop) + "tenancy: {attribute: Tenant, claim: tenant}\n";
  for (const char* entity : {"      BuyerId: {type: string, required: true, max: 64}\n",
                             "      SellerId: {type: string, required: true, max: 64}\n",
                             "      LineNumber: {type: integer, required: true, min: 1, max: "
                             "999}\n"}) {
    text = With(text, entity, std::string(entity) + "      Tenant: string!\n");
  }
  return text;
}

TEST(CheckTenancy, PartitionsWithoutTheTenant) {
  EXPECT_EQ(Found(Tenants(), "tenant_leak").size(), 6u) << FormatFindings(Checked(Tenants()));
  const std::string kept =
      With(Tenants(), "PK: \"BUYER#{BuyerId}\"", "PK: \"T#{Tenant}#BUYER#{BuyerId}\"");
  EXPECT_EQ(Found(kept, "tenant_leak").size(), 5u);
  ExpectNotFound(kShop, "tenant_leak");
}

TEST(CheckTenancy, EntityWithoutTheTenant) {
  ExpectFound(With(Tenants(), "max: 999}\n      Tenant: string!\n", "max: 999}\n"),
              Severity::kError, "tenant_missing", "entities.SaleLine", "SaleLine");
  ExpectNotFound(Tenants(), "tenant_missing");
}

}  // namespace
}  // namespace monotable::model
