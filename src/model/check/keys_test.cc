#include <gtest/gtest.h>

#include "model/check/findings_for_tests.h"

namespace monotable::model {
namespace {

constexpr std::string_view kLineKeys = "SK: \"LINE#{LineNumber:03}\"";
constexpr std::string_view kLineAttributes =
    "      Product: {type: string, required: true, max: "
    "64}\n";

// The shop whose lines have another sort key and some more attributes.
std::string Lines(std::string_view sort_key, std::string_view attributes) {
  const std::string text = ShopWith(kLineKeys, "SK: \"" + std::string(sort_key) + "\"");
  return With(text, kLineAttributes,
              std::string(kLineAttributes) + "      " + std::string(attributes) + "\n");
}

TEST(CheckIdentity, CollisionOfMoments) {
  const std::string text = Lines("LINE#{AddedAt}", "AddedAt: {type: instant, set: on_create}");
  ExpectFound(text, Severity::kWarning, "key_collision", "entities.SaleLine.keys.primary",
              "primary");
  ExpectNotFound(With(text, "LINE#{AddedAt}", "LINE#{AddedAt}#{Product}"), "key_collision");
  ExpectNotFound(With(text, "    path: lines\n",
                      "    path: lines\n    on_key_conflict: \"bump(AddedAt, 1s)\"\n"),
                 "key_collision");
}

TEST(CheckIdentity, CollisionOfEnums) {
  std::string text = Lines("LINE#{Shelf}", "Shelf: Shelf!");
  text = With(text, "enums:\n", "enums:\n  Shelf: {values: [TOP, LOW]}\n");
  ExpectFound(text, Severity::kWarning, "key_collision", "entities.SaleLine.keys.primary",
              "primary");
  ExpectNotFound(With(text, "id: {attribute: LineNumber}", "id: {attribute: Shelf}"),
                 "key_collision");
  ExpectNotFound(With(text, "    path: lines\n", "    path: lines\n    cardinality: one\n"),
                 "key_collision");
}

TEST(CheckIdentity, CollisionOfConstants) {
  ExpectFound(ShopWith("PK: \"BUYER#{BuyerId}\"", "PK: BUYER"), Severity::kWarning, "key_collision",
              "entities.Buyer.keys.primary", "primary");
}

TEST(CheckIdentity, MutablePrimaryKey) {
  const std::string text = Lines("LINE#{LineNumber:03}#{Progress}", "Progress: Progress!");
  ExpectFound(text, Severity::kError, "mutable_primary_key", "entities.SaleLine.keys.primary",
              "Progress");
  ExpectNotFound(With(text, "    path: lines\n", "    path: lines\n    on_key_change: move\n"),
                 "mutable_primary_key");
}

TEST(CheckIdentity, SetByEveryWrite) {
  ExpectFound(
      Lines("LINE#{LineNumber:03}#{ChangedAt}", "ChangedAt: {type: instant, set: on_write}"),
      Severity::kError, "mutable_primary_key", "entities.SaleLine.keys.primary", "ChangedAt");
}

TEST(CheckIdentity, Bump) {
  const std::string text =
      With(Lines("LINE#{AddedAt}", "AddedAt: {type: instant, set: on_create}"), "    path: lines\n",
           "    path: lines\n    on_key_conflict: \"bump(AddedAt, 1ms)\"\n");
  ExpectFound(text, Severity::kError, "bump_too_small", "entities.SaleLine.attributes.AddedAt",
              "AddedAt");
  ExpectNotFound(With(text, "AddedAt: {type: instant, set: on_create}",
                      "AddedAt: {type: instant, set: on_create, precision: milliseconds}"),
                 "bump_too_small");
  ExpectFound(With(text, "LINE#{AddedAt}", "LINE#{Product}"), Severity::kError, "bump_not_in_key",
              "entities.SaleLine", "SaleLine");
}

TEST(CheckKeyTexts, PaddingOverflow) {
  ExpectFound(ShopWith("min: 1, max: 999", "min: 1, max: 1000"), Severity::kWarning,
              "padding_overflow", "entities.SaleLine.keys.primary", "primary");
  ExpectFound(ShopWith("min: 1, max: 999", "min: 1"), Severity::kWarning, "padding_overflow",
              "entities.SaleLine.keys.primary", "primary");
  ExpectFound(ShopWith("min: 1, max: 999", "max: 999"), Severity::kWarning, "negative_in_padding",
              "entities.SaleLine.keys.primary", "primary");
}

TEST(CheckKeyTexts, UnpaddedNumber) {
  ExpectFound(ShopWith("{LineNumber:03}", "{LineNumber}"), Severity::kWarning, "unpadded_number",
              "entities.SaleLine.keys.primary", "primary");
  // A number key sorts as numbers do.
  std::string text = ShopWith("GSI2SK S", "GSI2SK N");
  text = With(text, "{SaleDate}#{SaleId}", "{Weight}");
  text = With(text, "      Progress: Progress!\n",
              "      Progress: Progress!\n      Weight: decimal!\n");
  ExpectNotFound(text, "unpadded_number");
}

TEST(CheckKeyTexts, UnsortableDate) {
  const std::string text = ShopWith("SaleDate: instant!",
                                    "SaleDate: {type: instant, required: true, stored: brazilian}");
  EXPECT_EQ(Found(text, "unsortable_date_in_key").size(), 3u) << FormatFindings(Checked(text));
  const std::string spelled =
      With(With(text, "GSI1SK: \"SALE#{SaleDate}\"", "GSI1SK: \"SALE#{SaleDate:iso}\""),
           "GSI3SK: \"SALE#{SaleDate}\"", "GSI3SK: \"SALE#{SaleDate:iso}\"");
  ExpectFound(spelled, Severity::kWarning, "unsortable_date_in_key", "entities.Sale.keys.GSI2",
              "GSI2");
  ExpectFound(ShopWith("SALE#{SaleDate}", "SALE#{SaleDate:MM-yyyy}"), Severity::kWarning,
              "unsortable_date_in_key", "entities.Sale.keys.GSI1", "GSI1");
  ExpectNotFound(ShopWith("SALE#{SaleDate}", "SALE#{SaleDate:yyyy-MM}"), "unsortable_date_in_key");
}

TEST(CheckKeyTexts, AmbiguousKey) {
  ExpectFound(Lines("LINE#{Product}{LineNumber:03}", "Color: string"), Severity::kWarning,
              "ambiguous_key", "entities.SaleLine.keys.primary", "primary");
  ExpectNotFound(Lines("LINE#{LineNumber:03}{Product}", "Color: string"), "ambiguous_key");
}

TEST(CheckKeyTexts, DelimiterInjection) {
  const std::string text = Lines("LINE#{Product}#{LineNumber:03}", "Color: string");
  ExpectNotFound(text, "delimiter_injection");
  const std::string open = With(text, "{forbid: \"#\"}", "{forbid: \"\"}");
  ExpectFound(open, Severity::kWarning, "delimiter_injection", "entities.SaleLine.keys.primary",
              "primary");
  ExpectNotFound(With(open, "LINE#{Product}#", "LINE#{Product|esc}#"), "delimiter_injection");
  ExpectNotFound(With(open, "LINE#{Product}#", "LINE#{Product|digits}#"), "delimiter_injection");
  ExpectFound(With(text, "LINE#{Product}#", "LINE#{Product}/"), Severity::kWarning,
              "delimiter_injection", "entities.SaleLine.keys.primary", "primary");
}

TEST(CheckKeyTexts, KeySize) {
  const std::string text = Lines("LINE#{Product}", "Color: string");
  ExpectNotFound(text, "key_size");
  // 4 bytes a character and the prefix: one byte too many for 1024.
  ExpectFound(
      With(text, kLineAttributes, "      Product: {type: string, required: true, max: 255}\n"),
      Severity::kWarning, "key_size", "entities.SaleLine.keys.primary", "primary");
  ExpectNotFound(
      With(text, kLineAttributes, "      Product: {type: string, required: true, max: 254}\n"),
      "key_size");
}

TEST(CheckNamespaces, SamePrimaryKey) {
  const std::string same = ShopWith("SK: \"LINE#{LineNumber:03}\"", "SK: \"#METADATA#sale\"");
  ExpectFound(same, Severity::kError, "key_overlap", "entities.SaleLine.keys.primary", "primary");
  // With # forbidden in values, no product is "#METADATA#sale".
  const std::string bare = Lines("{Product}", "Color: string");
  ExpectNotFound(bare, "key_overlap");
  ExpectFound(With(bare, "SK: \"#METADATA#sale\"", "SK: SALE"), Severity::kWarning, "key_overlap",
              "entities.SaleLine.keys.primary", "primary");
}

std::string BuyersInIndex(std::string_view hash, std::string_view range) {
  return ShopWith(
      "{GSI1PK: \"BUYER#{BuyerId}\", GSI1SK: \"PROFILE#{FullName|fold}\"}",
      "{GSI1PK: \"" + std::string(hash) + "\", GSI1SK: \"" + std::string(range) + "\"}");
}

TEST(CheckNamespaces, SamePartitionOfAnIndex) {
  ExpectFound(BuyersInIndex("BUYER#{Email}", "PROFILE"), Severity::kWarning, "key_overlap",
              "entities.Sale.keys.GSI1", "GSI1");
  ExpectNotFound(BuyersInIndex("EMAIL#{Email}", "PROFILE"), "key_overlap");
  // The same attribute: that they share the partition is meant.
  ExpectNotFound(BuyersInIndex("BUYER#{BuyerId}", "PROFILE"), "key_overlap");
  // An id that cannot contain @ is no email.
  ExpectNotFound(
      With(BuyersInIndex("BUYER#{Email}", "PROFILE"), "BuyerId: {type: string, required: true, ref",
           "BuyerId: {type: string, match: \"[^@]+\", required: true, ref"),
      "key_overlap");
}

TEST(CheckNamespaces, MixedPrecision) {
  const std::string text =
      With(BuyersInIndex("BUYER#{BuyerId}", "SALE#{JoinedAt}"), "      FullName: {",
           "      JoinedAt: {type: instant, required: true, precision: "
           "milliseconds}\n      FullName: {");
  ExpectFound(text, Severity::kWarning, "mixed_precision", "entities.Sale.keys.GSI1", "GSI1");
  ExpectNotFound(With(text, "SALE#{SaleDate}", "SALE#{SaleDate:isoms}"), "mixed_precision");
  ExpectNotFound(With(text, "SALE#{JoinedAt}", "JOINED#{JoinedAt}"), "mixed_precision");
}

}  // namespace
}  // namespace monotable::model
