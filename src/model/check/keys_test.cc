#include <gtest/gtest.h>

#include "model/check/shop_model.h"

namespace monotable::model {
namespace {

constexpr std::string_view kLineKeys = "SK: \"LINE#{LineNumber:03}\"";
constexpr std::string_view kLineAttributes =
    "      Product: {type: string, required: true, max: "
    "64}\n";

// The shop whose lines have another sort key and some more attributes.
std::string Lines(std::string_view sort_key, std::string_view attributes) {
  const std::string text = Shop(kLineKeys, "SK: \"" + std::string(sort_key) + "\"");
  return With(text, kLineAttributes,
              std::string(kLineAttributes) + "      " + std::string(attributes) + "\n");
}

TEST(CheckIdentity, CollisionOfMoments) {
  const std::string text = Lines("LINE#{AddedAt}", "AddedAt: {type: instant, set: on_create}");
  ExpectFound(text, Severity::kWarning, "key_collision", "entities.Line.keys.primary", "primary");
  ExpectNotFound(With(text, "LINE#{AddedAt}", "LINE#{AddedAt}#{Product}"), "key_collision");
  ExpectNotFound(With(text, "    path: lines\n",
                      "    path: lines\n    on_key_conflict: \"bump(AddedAt, 1s)\"\n"),
                 "key_collision");
}

TEST(CheckIdentity, CollisionOfEnums) {
  std::string text = Lines("LINE#{Shelf}", "Shelf: Shelf!");
  text = With(text, "enums:\n", "enums:\n  Shelf: {values: [TOP, LOW]}\n");
  ExpectFound(text, Severity::kWarning, "key_collision", "entities.Line.keys.primary", "primary");
  ExpectNotFound(With(text, "id: {attribute: LineNumber}", "id: {attribute: Shelf}"),
                 "key_collision");
  ExpectNotFound(With(text, "    path: lines\n", "    path: lines\n    cardinality: one\n"),
                 "key_collision");
}

TEST(CheckIdentity, CollisionOfConstants) {
  ExpectFound(Shop("PK: \"CUSTOMER#{CustomerId}\"", "PK: CUSTOMER"), Severity::kWarning,
              "key_collision", "entities.Customer.keys.primary", "primary");
}

TEST(CheckIdentity, MutablePrimaryKey) {
  const std::string text = Lines("LINE#{LineNumber:03}#{Progress}", "Progress: Phase!");
  ExpectFound(text, Severity::kError, "mutable_primary_key", "entities.Line.keys.primary",
              "Progress");
  ExpectNotFound(With(text, "    path: lines\n", "    path: lines\n    on_key_change: move\n"),
                 "mutable_primary_key");
}

TEST(CheckIdentity, SetByEveryWrite) {
  ExpectFound(
      Lines("LINE#{LineNumber:03}#{ChangedAt}", "ChangedAt: {type: instant, set: on_write}"),
      Severity::kError, "mutable_primary_key", "entities.Line.keys.primary", "ChangedAt");
}

TEST(CheckIdentity, Bump) {
  const std::string text =
      With(Lines("LINE#{AddedAt}", "AddedAt: {type: instant, set: on_create}"), "    path: lines\n",
           "    path: lines\n    on_key_conflict: \"bump(AddedAt, 1ms)\"\n");
  ExpectFound(text, Severity::kError, "bump_too_small", "entities.Line.attributes.AddedAt",
              "AddedAt");
  ExpectNotFound(With(text, "set: on_create}", "set: on_create, precision: milliseconds}"),
                 "bump_too_small");
  ExpectFound(With(text, "LINE#{AddedAt}", "LINE#{Product}"), Severity::kError, "bump_not_in_key",
              "entities.Line", "Line");
}

TEST(CheckKeyTexts, PaddingOverflow) {
  ExpectFound(Shop("min: 1, max: 999", "min: 1, max: 1000"), Severity::kWarning, "padding_overflow",
              "entities.Line.keys.primary", "primary");
  ExpectFound(Shop("min: 1, max: 999", "min: 1"), Severity::kWarning, "padding_overflow",
              "entities.Line.keys.primary", "primary");
  ExpectFound(Shop("min: 1, max: 999", "max: 999"), Severity::kWarning, "negative_in_padding",
              "entities.Line.keys.primary", "primary");
}

TEST(CheckKeyTexts, UnpaddedNumber) {
  ExpectFound(Shop("{LineNumber:03}", "{LineNumber}"), Severity::kWarning, "unpadded_number",
              "entities.Line.keys.primary", "primary");
  // A number key sorts as numbers do.
  std::string text = Shop("GSI2SK S", "GSI2SK N");
  text = With(text, "{SoldAt}#{SaleId}", "{Amount}");
  text = With(text, "      Progress: Phase!\n", "      Progress: Phase!\n      Amount: decimal!\n");
  ExpectNotFound(text, "unpadded_number");
}

TEST(CheckKeyTexts, UnsortableDate) {
  const std::string text =
      Shop("SoldAt: instant!", "SoldAt: {type: instant, required: true, stored: brazilian}");
  EXPECT_EQ(Found(text, "unsortable_date_in_key").size(), 2u) << Describe(Checked(text));
  const std::string spelled =
      With(text, "GSI1SK: \"SALE#{SoldAt}\"", "GSI1SK: \"SALE#{SoldAt:iso}\"");
  ExpectFound(spelled, Severity::kWarning, "unsortable_date_in_key", "entities.Sale.keys.GSI2",
              "GSI2");
  ExpectFound(Shop("SALE#{SoldAt}", "SALE#{SoldAt:MM-yyyy}"), Severity::kWarning,
              "unsortable_date_in_key", "entities.Sale.keys.GSI1", "GSI1");
  ExpectNotFound(Shop("SALE#{SoldAt}", "SALE#{SoldAt:yyyy-MM}"), "unsortable_date_in_key");
}

TEST(CheckKeyTexts, AmbiguousKey) {
  ExpectFound(Lines("LINE#{Product}{LineNumber:03}", "Color: string"), Severity::kWarning,
              "ambiguous_key", "entities.Line.keys.primary", "primary");
  ExpectNotFound(Lines("LINE#{LineNumber:03}{Product}", "Color: string"), "ambiguous_key");
}

TEST(CheckKeyTexts, DelimiterInjection) {
  const std::string text = Lines("LINE#{Product}#{LineNumber:03}", "Color: string");
  ExpectNotFound(text, "delimiter_injection");
  const std::string open = With(text, "{forbid: \"#\"}", "{forbid: \"\"}");
  ExpectFound(open, Severity::kWarning, "delimiter_injection", "entities.Line.keys.primary",
              "primary");
  ExpectNotFound(With(open, "LINE#{Product}#", "LINE#{Product|esc}#"), "delimiter_injection");
  ExpectNotFound(With(open, "LINE#{Product}#", "LINE#{Product|digits}#"), "delimiter_injection");
  ExpectFound(With(text, "LINE#{Product}#", "LINE#{Product}/"), Severity::kWarning,
              "delimiter_injection", "entities.Line.keys.primary", "primary");
}

TEST(CheckKeyTexts, KeySize) {
  const std::string text = Lines("LINE#{Product}", "Color: string");
  ExpectNotFound(text, "key_size");
  // 4 bytes a character and the prefix: one byte too many for 1024.
  ExpectFound(
      With(text, kLineAttributes, "      Product: {type: string, required: true, max: 255}\n"),
      Severity::kWarning, "key_size", "entities.Line.keys.primary", "primary");
  ExpectNotFound(
      With(text, kLineAttributes, "      Product: {type: string, required: true, max: 254}\n"),
      "key_size");
}

TEST(CheckNamespaces, SamePrimaryKey) {
  const std::string same = Shop("SK: \"LINE#{LineNumber:03}\"", "SK: \"#SALE\"");
  ExpectFound(same, Severity::kError, "key_overlap", "entities.Line.keys.primary", "primary");
  // With # forbidden in values, no product is "#SALE".
  const std::string bare = Lines("{Product}", "Color: string");
  ExpectNotFound(bare, "key_overlap");
  ExpectFound(With(bare, "SK: \"#SALE\"", "SK: SALE"), Severity::kWarning, "key_overlap",
              "entities.Line.keys.primary", "primary");
}

std::string CustomersInIndex(std::string_view hash, std::string_view range) {
  return Shop("SK: \"#PROFILE\"}", "SK: \"#PROFILE\"}\n      GSI1: {GSI1PK: \"" +
                                       std::string(hash) + "\", GSI1SK: \"" + std::string(range) +
                                       "\"}");
}

TEST(CheckNamespaces, SamePartitionOfAnIndex) {
  ExpectFound(CustomersInIndex("CUSTOMER#{Email}", "PROFILE"), Severity::kWarning, "key_overlap",
              "entities.Sale.keys.GSI1", "GSI1");
  ExpectNotFound(CustomersInIndex("EMAIL#{Email}", "PROFILE"), "key_overlap");
  // The same attribute: that they share the partition is meant.
  ExpectNotFound(CustomersInIndex("CUSTOMER#{CustomerId}", "PROFILE"), "key_overlap");
  // An id that cannot contain @ is no email.
  ExpectNotFound(With(CustomersInIndex("CUSTOMER#{Email}", "PROFILE"),
                      "CustomerId: {type: string, required: true, ref",
                      "CustomerId: {type: string, match: \"[^@]+\", required: true, ref"),
                 "key_overlap");
}

TEST(CheckNamespaces, MixedPrecision) {
  const std::string text =
      With(CustomersInIndex("CUSTOMER#{CustomerId}", "SALE#{JoinedAt}"), "      FullName: {",
           "      JoinedAt: {type: instant, required: true, precision: "
           "milliseconds}\n      FullName: {");
  ExpectFound(text, Severity::kWarning, "mixed_precision", "entities.Sale.keys.GSI1", "GSI1");
  ExpectNotFound(With(text, "SALE#{SoldAt}", "SALE#{SoldAt:isoms}"), "mixed_precision");
  ExpectNotFound(With(text, "SALE#{JoinedAt}", "JOINED#{JoinedAt}"), "mixed_precision");
}

}  // namespace
}  // namespace monotable::model
