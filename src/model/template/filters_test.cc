#include "model/template/filters.h"

#include <set>

#include <gtest/gtest.h>

namespace monotable::model {
namespace {

TEST(TemplateFiltersTest, ChangesTheCaseOfLatinLetters) {
  EXPECT_EQ(LowerCase("ACME São JOÃO Ltda. 1"), "acme são joão ltda. 1");
  EXPECT_EQ(UpperCase("acme São joão ÿ ß"), "ACME SÃO JOÃO Ÿ ß");
  EXPECT_EQ(LowerCase("ÀÖØÞŁŹŻŸŐ×"), "àöøþłźżÿő×");
  EXPECT_EQ(UpperCase("àöøþłźżÿőſı÷"), "ÀÖØÞŁŹŻŸŐSI÷");
  EXPECT_EQ(LowerCase("İ"), "i");
  EXPECT_EQ(UpperCase("ĸŉ"), "ĸŉ");
}

TEST(TemplateFiltersTest, LeavesOtherScriptsAndBrokenBytesAlone) {
  for (const std::string_view text : {"日本", "😀", "Ж", "\xFF\xC3", "\xC3(", "ª º ¿"}) {
    EXPECT_EQ(LowerCase(text), text);
    EXPECT_EQ(UpperCase(text), text);
    EXPECT_EQ(Fold(text), text);
  }
}

TEST(TemplateFiltersTest, FoldsCaseAndAccents) {
  EXPECT_EQ(Fold("Álvaro"), "alvaro");
  EXPECT_EQ(Fold("ÁGUA ÇÃO êõü"), "agua cao eou");
  EXPECT_EQ(Fold("Straße Æsir Œuvre Þór Łódź Dvořák"), "strasse aesir oeuvre thor lodz dvorak");
  EXPECT_EQ(Fold("a\xCC\x81"), "a");  // an accent of its own
  EXPECT_EQ(Fold("ŸÿſĲŉŋ×"), "yysijnn×");
}

TEST(TemplateFiltersTest, KeepsDigits) {
  EXPECT_EQ(OnlyDigits("12.345.678/0001-99"), "12345678000199");
  EXPECT_EQ(OnlyDigits("abc"), "");
}

TEST(TemplateFiltersTest, EscapesAndUnescapes) {
  EXPECT_EQ(Escape("a#b%c"), "a%23b%25c");
  EXPECT_EQ(Escape("%23"), "%2523");
  for (const std::string_view text : {"", "a", "#", "%", "%23", "##%%", "100%"}) {
    EXPECT_EQ(Unescape(Escape(text)), text);
  }
  for (const std::string_view text : {"#", "%", "%2", "%24", "a%2Fb"}) {
    EXPECT_EQ(Unescape(text), std::nullopt) << text;
  }
}

// Shards are parts of stored keys: these answers must never change.
TEST(TemplateFiltersTest, ShardsStayTheSame) {
  EXPECT_EQ(ShardOf("SALE001", 8), 4);
  EXPECT_EQ(ShardOf("SALE002", 8), 5);
  EXPECT_EQ(ShardOf("São Paulo", 1000), 855);
  std::set<int> used;
  for (int i = 0; i < 200; ++i) {
    const int shard = ShardOf("SALE" + std::to_string(i), 16);
    EXPECT_GE(shard, 0);
    EXPECT_LT(shard, 16);
    used.insert(shard);
  }
  EXPECT_EQ(used.size(), 16);
}

}  // namespace
}  // namespace monotable::model
