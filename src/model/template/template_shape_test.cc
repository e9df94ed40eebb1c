#include "model/template/template_shape.h"

#include <random>
#include <string>

#include <gtest/gtest.h>

namespace monotable::model {
namespace {

bool IsDelimited(std::string_view text, const std::string& forbidden = "#") {
  return IsDelimited(Template::Parse(text)->parts(), {forbidden});
}

TEST(Delimiters, MostKeysHaveThem) {
  EXPECT_TRUE(IsDelimited("#METADATA#sale"));
  EXPECT_TRUE(IsDelimited("SALE#{SaleId}"));
  EXPECT_TRUE(IsDelimited("COMPANY#{cnpj}#ORDER#{order_id}"));
  EXPECT_TRUE(IsDelimited("ORDER#{created_at:iso}#{order_id}"));
  EXPECT_TRUE(IsDelimited("{a:03}{b:isoms}{c}"));
  EXPECT_TRUE(IsDelimited("{a|esc}#x", ""));
  EXPECT_FALSE(IsDelimited("{a}#x", ""));
  EXPECT_FALSE(IsDelimited("{a}-{b}"));
  EXPECT_FALSE(IsDelimited("{a}{b:03}"));
  EXPECT_FALSE(IsDelimited("{a|lower}"));
  EXPECT_FALSE(IsDelimited("{a:03|esc}"));
  EXPECT_FALSE(IsDelimited("{a:yyyy-MM}"));
}

TEST(Delimiters, DivideAsTheShapeDoes) {
  const unsigned seed = std::random_device()();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  const auto pick = [&random](size_t count) { return random() % count; };
  const std::string_view pieces[] = {"{a}", "{b|esc}", "{c:02}", "{d:iso}", "#", "X#", "#1", "2"};
  const std::string_view texts[] = {"#", "X", "1", "2", "12", "%23", "2026-01-30T14:30:00Z", "-"};
  int divided = 0;
  for (int round = 0; round < 20000; ++round) {
    std::string written;
    for (size_t i = 0, count = 1 + pick(5); i < count; ++i) written += pieces[pick(8)];
    const auto made = Template::Parse(written);
    if (!made) continue;
    const Template::Rules rules{pick(4) == 0 ? "" : "#"};
    if (!IsDelimited(made->parts(), rules)) continue;
    std::string text;
    for (size_t i = 0, count = pick(7); i < count; ++i) text += texts[pick(8)];
    const auto expected = TemplateShape(made->parts(), rules).Divide(text);
    EXPECT_EQ(DivideAtDelimiters(made->parts(), text, rules), expected) << written << " " << text;
    if (expected) ++divided;
  }
  EXPECT_GT(divided, 100);
}

}  // namespace
}  // namespace monotable::model
