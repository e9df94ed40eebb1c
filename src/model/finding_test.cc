#include "model/finding.h"

#include <gtest/gtest.h>

namespace monotable::model {
namespace {

TEST(FormatFinding, SaysWhereWhatAndHowToMendIt) {
  const Finding finding{Severity::kError, "unknown_attribute",      {12, 7},
                        "entities.Sale",  "\"x\" is no attribute.", "Did you mean \"y\"?"};
  EXPECT_EQ(FormatFinding("sales.model.yaml", finding),
            "sales.model.yaml:12:7: error: entities.Sale: \"x\" is no attribute. "
            "[unknown_attribute]\n  fix: Did you mean \"y\"?\n");
}

TEST(FormatFinding, LeavesOutWhatIsNotThere) {
  const Finding finding{Severity::kInfo, "reserved_word", {}, "", "It is one.", ""};
  EXPECT_EQ(FormatFinding("f", finding), "f: info: It is one. [reserved_word]\n");
}

TEST(ClosestName, FindsSlips) {
  EXPECT_EQ(ClosestName("Staus", {"Name", "Status", "State"}), "Status");
  EXPECT_EQ(ClosestName("mian", {"other", "main"}), "main");
  EXPECT_EQ(ClosestName("buyerid", {"BuyerId", "SaleId"}), "BuyerId");
  EXPECT_EQ(ClosestName("GSI7", {"GSI1", "LSI1"}), "GSI1");
}

TEST(ClosestName, DoesNotGuessWildly) {
  EXPECT_EQ(ClosestName("Colour", {"Name", "Status"}), "");
  EXPECT_EQ(ClosestName("x", {}), "");
  EXPECT_EQ(ClosestName("", {"Name"}), "");
}

TEST(Findings, KnowsWhetherThereIsAnError) {
  Findings findings;
  findings.Info("a", {}, "", "");
  findings.Warning("b", {}, "", "");
  EXPECT_FALSE(findings.has_errors());
  findings.Error("c", {}, "", "");
  EXPECT_TRUE(findings.has_errors());
}

}  // namespace
}  // namespace monotable::model
