#include "model/check/check_model.h"

#include <gtest/gtest.h>

#include "model/check/shop_model.h"

namespace monotable::model {
namespace {

TEST(CheckModel, FindsNothingInASoundDesign) {
  const std::vector<Finding> found = Checked(kShop);
  EXPECT_TRUE(found.empty()) << Describe(found);
}

TEST(CheckModel, LeavesOutWhatIsAccepted) {
  const std::string broken = Shop("Email: {type: string, required: true,", "Email: {type: string,");
  EXPECT_EQ(Found(broken, "unique_on_optional").size(), 1u);
  const std::string accepted = With(broken, "    path: customers\n",
                                    "    path: customers\n    accept: [unique_on_optional]\n");
  EXPECT_TRUE(Checked(accepted).empty()) << Describe(Checked(accepted));
}

TEST(CheckModel, TellsNeedlessAcceptances) {
  ExpectFound(Shop("    path: sales\n", "    path: sales\n    accept: [hot_partition]\n"),
              Severity::kWarning, "needless_accept", "entities.Sale", "Sale");
  ExpectFound(Shop("get: Sale, by: [SaleId]}", "get: Sale, by: [SaleId], accept: [fan_out]}"),
              Severity::kWarning, "needless_accept", "patterns.P2", "P2");
}

TEST(CheckNames, ReservedWordsOnceEach) {
  const std::string text = With(With(kShop, "Product: {", "Name: {"), "      SellerId: {",
                                "      Name: string\n      SellerId: {");
  ExpectFound(text, Severity::kInfo, "reserved_word", "entities.Sale.attributes.Name", "Name");
  ExpectNotFound(kShop, "reserved_word");
}

TEST(CheckNames, ReservedWordsInsideObjects) {
  const std::string text = Shop("      Product: {",
                                "      Address: {type: object, attributes: {State: string}}\n"
                                "      Product: {");
  ExpectFound(text, Severity::kInfo, "reserved_word", "entities.Line.attributes.Address", "State");
}

TEST(CheckNames, OtherNamesThatNeedAnAlias) {
  ExpectFound(Shop("Product: {", "unit-price: {"), Severity::kInfo, "needs_alias",
              "entities.Line.attributes.unit-price", "unit-price");
  ExpectNotFound(Shop("Product: {", "unit_price2: {"), "needs_alias");
}

TEST(CheckNames, AcceptedWordIsStillToldElsewhere) {
  const std::string text =
      With(With(With(kShop, "Product: {", "Name: {"), "      SellerId: {",
                "      Name: string\n      SellerId: {"),
           "    path: sales\n", "    path: sales\n    accept: [reserved_word]\n");
  ExpectFound(text, Severity::kInfo, "reserved_word", "entities.Line.attributes.Name", "Name");
}

}  // namespace
}  // namespace monotable::model
