#include "model/check/check_model.h"

#include <gtest/gtest.h>

#include "model/check/findings_for_tests.h"

namespace monotable::model {
namespace {

TEST(CheckModel, FindsNothingInASoundDesign) {
  const std::vector<Finding> found = Checked(kShop);
  EXPECT_TRUE(found.empty()) << FormatFindings(found);
}

TEST(CheckModel, LeavesOutWhatIsAccepted) {
  const std::string broken =
      ShopWith("Email: {type: string, required: true,", "Email: {type: string,");
  EXPECT_EQ(Found(broken, "unique_on_optional").size(), 1u);
  const std::string accepted =
      With(broken, "    path: buyers\n", "    path: buyers\n    accept: [unique_on_optional]\n");
  EXPECT_TRUE(Checked(accepted).empty()) << FormatFindings(Checked(accepted));
}

TEST(CheckModel, TellsNeedlessAcceptances) {
  ExpectFound(ShopWith("accept: [hot_partition]", "accept: [hot_partition, key_size]"),
              Severity::kWarning, "needless_accept", "entities.Sale", "Sale");
  ExpectFound(ShopWith("get: Sale, by: [SaleId]}", "get: Sale, by: [SaleId], accept: [fan_out]}"),
              Severity::kWarning, "needless_accept", "patterns.AP1", "AP1");
}

TEST(CheckNames, ReservedWordsOnceEach) {
  const std::string text = With(With(kShop, "Product: {", "Name: {"), "      SellerId: {",
                                "      Name: string\n      SellerId: {");
  ExpectFound(text, Severity::kInfo, "reserved_word", "entities.Sale.attributes.Name", "Name");
  ExpectNotFound(kShop, "reserved_word");
}

TEST(CheckNames, ReservedWordsInsideObjects) {
  const std::string text = ShopWith("      Product: {",
                                    "      Address: {type: object, attributes: {State: string}}\n"
                                    "      Product: {");
  ExpectFound(text, Severity::kInfo, "reserved_word", "entities.SaleLine.attributes.Address",
              "State");
}

TEST(CheckNames, OtherNamesThatNeedAnAlias) {
  ExpectFound(ShopWith("Product: {", "unit-price: {"), Severity::kInfo, "needs_alias",
              "entities.SaleLine.attributes.unit-price", "unit-price");
  ExpectNotFound(ShopWith("Product: {", "unit_price2: {"), "needs_alias");
}

TEST(CheckNames, AcceptedWordIsStillToldElsewhere) {
  const std::string text =
      With(With(With(kShop, "Product: {", "Name: {"), "      SellerId: {",
                "      Name: string\n      SellerId: {"),
           "accept: [hot_partition]", "accept: [hot_partition, reserved_word]");
  ExpectFound(text, Severity::kInfo, "reserved_word", "entities.SaleLine.attributes.Name", "Name");
}

}  // namespace
}  // namespace monotable::model
