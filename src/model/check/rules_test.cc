#include <gtest/gtest.h>

#include "model/check/findings_for_tests.h"

namespace monotable::model {
namespace {

TEST(CheckRules, PathsOfTheServer) {
  ExpectFound(ShopWith("    path: buyers\n", "    path: docs\n"), Severity::kError, "reserved_path",
              "entities.Buyer", "Buyer:");
  ExpectFound(ShopWith("route: POST /sales:withLines", "route: POST /transact:withLines"),
              Severity::kError, "reserved_path", "operations.createSale", "createSale:");
  ExpectFound(ShopWith("route: GET /buyers/{BuyerId}/sales", "route: GET /patterns/{BuyerId}"),
              Severity::kError, "reserved_path", "patterns.AP3", "id: AP3");
  // Below another path the name is free.
  ExpectNotFound(ShopWith("    path: lines\n", "    path: docs\n"), "reserved_path");
}

TEST(CheckRules, KeysOfTheServer) {
  ExpectFound(
      ShopWith("GSI2: {GSI2PK: \"SELLER#{SellerId}\"", "GSI2: {GSI2PK: \"MONOTABLE#{SellerId}\""),
      Severity::kError, "reserved_key", "entities.Sale.keys.GSI2", "GSI2");
}

TEST(CheckRules, CircularDerive) {
  ExpectFound(ShopWith("Discount: {type: Money, default: 0}",
                       "Discount: {type: Money, derive: \"Amount * 2\"}"),
              Severity::kError, "circular_derive", "entities.Sale.attributes.Discount", "Discount");
  ExpectFound(ShopWith("derive: \"Subtotal - Discount\"", "derive: \"Amount - Discount\""),
              Severity::kError, "circular_derive", "entities.Sale.attributes.Amount", "Amount");
  ExpectNotFound(std::string(kShop), "circular_derive");
}

TEST(CheckRules, OperationsDoNotSetCopies) {
  ExpectFound(ShopWith("set: {Progress: CONFIRMED}", "set: {BuyerName: \"'Maria'\"}"),
              Severity::kError, "sets_copy", "operations.confirmSale", "BuyerName");
  ExpectNotFound(With(ShopWith("set: {Progress: CONFIRMED}", "set: {BuyerName: \"'Maria'\"}"),
                      "mode: live, freeze_when: \"Amount > 0\"", "mode: once"),
                 "sets_copy");
}

TEST(CheckRules, OperationsKnowTheirItems) {
  ExpectNotFound(std::string(kShop), "key_not_given");
  const std::string nobody = ShopWith("    input: {SaleId: string!}\n", "");
  ExpectFound(nobody, Severity::kError, "key_not_given", "operations.confirmSale", "CONFIRMED");
  ExpectNotFound(With(nobody, "  confirmSale:\n",
                      "  confirmSale:\n    route: \"POST /sales/{SaleId}:confirm\"\n"),
                 "key_not_given");
  const std::string other = ShopWith("input: {SaleId: string!}", "input: {Id: string!}");
  ExpectFound(other, Severity::kError, "key_not_given", "operations.confirmSale", "CONFIRMED");
  ExpectNotFound(With(other, "{update: Sale,", "{update: Sale, key: {SaleId: input.Id},"),
                 "key_not_given");
  // A put may leave the id to the server, but not the number of a line.
  ExpectFound(ShopWith("{put: SaleLine, each: lines}", "{put: SaleLine}"), Severity::kError,
              "key_not_given", "operations.createSale", "SaleLine}");
}

TEST(CheckRules, ExamplesUseValuesThatExist) {
  const std::string text = ShopWithPattern(
      "{name: byProgress, list: Sale, index: GSI3, where: \"GSI3PK = PROGRESS#{Progress}\", "
      "examples: [{given: {Progress: LOST}, returns: []}]}");
  ExpectFound(text, Severity::kError, "example_not_in_enum", "patterns.byProgress", "LOST");
  ExpectNotFound(With(text, "LOST", "DONE"), "example_not_in_enum");
}

}  // namespace
}  // namespace monotable::model
