#pragma once

#include <ostream>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "model/load/load.h"
#include "model/shop_for_tests.h"

// Tests of mistakes: the shop with one thing in it wrong.
namespace monotable::model {

// The shop and what else a file can say, which would disturb the tests of checks and documents: an
// index on the table's key the other way round, a local one, a tenant.
inline std::string ShopWithEverySection() {
  std::string text = ShopWith(
      "environments:\n",
      "      GSI4: {hash: \"SK S\", range: \"PK S\", project: keys}\n"
      "      LSI1: {local: true, range: \"Rank N\", project: [Product, Price]}\nenvironments:\n");
  text = With(text, "ulid}", "counter, format: \"BUYER{n:03}\"}");
  text = With(text, "\"SALE#{SaleDate}\"}", "\"SALE#{SaleDate}\", when: \"Progress != DONE\"}");
  text = With(text, "\"LINE#{LineNumber:03}\"}\n",
              "\"LINE#{LineNumber:03}\"}\n      LSI1: {Rank: \"{Rank}\"}\n");
  text = With(text, "      Price: Money!\n",
              "      Price: Money!\n      Rank: integer\n      SoldAt: instant\n"
              "    cardinality: many\n    from_key: [LineNumber]\n"
              "    on_key_conflict: \"bump(SoldAt, 1ms)\"\n    unknown_attributes: keep\n");
  text =
      With(text, "    order: desc\n", "    filter: \"Progress == CONFIRMED\"\n    order: desc\n");
  text = With(text, "\"SaleLine[1..90]\"}", "\"SaleLine[1..90]\", note: string}");
  text = With(text, "      - {put: SaleLine, each: lines}\n",
              "      - {put: SaleLine, each: lines}\n"
              "      - {update: Buyer, set: {Terms: CASH, FullName: input.note}}\n"
              "      - {check: Buyer, that: \"Terms == CASH\"}\n");
  return With(text, "workload:\n", "tenancy: {attribute: BuyerId, claim: buyer_id}\nworkload:\n");
}

// The mark of the place where the finding must be.
inline constexpr std::string_view kHere = "§";

struct Mistake {
  std::string_view id;
  std::string_view from;  // a text of the shop with every section
  std::string_view to;    // what stands there instead, with kHere before the mistake
  // If the finding is elsewhere: what it stands before.
  std::string_view before = "";
  friend void PrintTo(const Mistake& mistake, std::ostream* out) { *out << mistake.to; }
};

// Takes the mark out of a text; its place is where the next character is.
inline Place TakeMark(std::string* text) {
  Place place{1, 1};
  for (size_t at = 0; at < text->size(); ++at) {
    if (std::string_view(*text).substr(at).starts_with(kHere)) {
      text->erase(at, kHere.size());
      return place;
    }
    const char byte = (*text)[at];
    if (byte == '\n') {
      place = {place.line + 1, 1};
    } else if ((byte & 0xC0) != 0x80) {
      ++place.column;
    }
  }
  return {};
}

class LoadMistake : public testing::TestWithParam<Mistake> {};

// Gives each case the name of its finding, with a number because some have several cases.
inline std::string MistakeName(const testing::TestParamInfo<Mistake>& info) {
  return std::string(info.param.id) + "_" + std::to_string(info.index);
}

// Exactly one finding, with that id, at that place, that says how to mend it.
inline void ExpectMistake(const Mistake& mistake) {
  std::string text = With(ShopWithEverySection(), mistake.from, mistake.to);
  if (!mistake.before.empty()) text.insert(text.find(mistake.before), kHere);
  const Place place = TakeMark(&text);
  Findings findings;
  EXPECT_FALSE(LoadModel(text, &findings).has_value());
  std::string all;
  for (const Finding& finding : findings.all()) all += FormatFinding("shop", finding);
  ASSERT_EQ(findings.all().size(), 1u) << all;
  const Finding& finding = findings.all().front();
  EXPECT_EQ(finding.id, mistake.id) << all;
  EXPECT_EQ(finding.place.line, place.line) << all;
  EXPECT_EQ(finding.place.column, place.column) << all;
  EXPECT_FALSE(finding.message.empty());
  EXPECT_FALSE(finding.fix.empty()) << all;
}

}  // namespace monotable::model
