#include "api/rest/cursor.h"

#include <gtest/gtest.h>

#include "entities/problem.h"

namespace monotable::api::rest {
namespace {

const std::string kKey(32, 'k');

struct Asked {
  std::string model = "sales";
  std::string pattern = "salesOfBuyer";
  item::Map parameters;
  QueryParameters query;
  std::string tenant;

  Question question() const { return {model, pattern, parameters, query, tenant}; }
};

Asked Sample() {
  Asked asked;
  asked.parameters.Set("BuyerId", item::Value("B1"));
  asked.query = {{"Total", "gte.5"}, {"limit", "10"}, {"order", "asc"}};
  return asked;
}

entities::Position At(std::string after) {
  entities::Position position;
  position.after = std::move(after);
  return position;
}

bool IsBad(const Result<entities::Position>& result) {
  if (result) return false;
  const auto* detail = entities::ProblemOf(result.error());
  return detail != nullptr && detail->code == entities::ProblemCode::kBadCursor;
}

TEST(CursorTest, OpensWhatItSealed) {
  const CursorSeal seal(kKey);
  const std::string bytes("\0any\xff bytes", 11);
  const std::string cursor = seal.Seal(At(bytes), Sample().question());
  const auto position = seal.Open(cursor, Sample().question());
  ASSERT_TRUE(position) << position.error().message();
  EXPECT_EQ(position->after, bytes);
  // It can stand in an address as it is.
  EXPECT_EQ(cursor.find_first_of("+/=%"), std::string::npos);
}

TEST(CursorTest, SurvivesARestartWithTheSameKeyOnly) {
  const std::string cursor = CursorSeal(kKey).Seal(At("x"), Sample().question());
  EXPECT_TRUE(CursorSeal(kKey).Open(cursor, Sample().question()));
  EXPECT_TRUE(IsBad(CursorSeal("another").Open(cursor, Sample().question())));
}

TEST(CursorTest, RefusesEveryChangedCharacter) {
  const CursorSeal seal(kKey);
  const std::string cursor = seal.Seal(At("position"), Sample().question());
  for (size_t i = 0; i < cursor.size(); ++i) {
    std::string forged = cursor;
    forged[i] = forged[i] == 'A' ? 'B' : 'A';
    EXPECT_TRUE(IsBad(seal.Open(forged, Sample().question()))) << i;
  }
  for (const char* text : {"", "A", "AAAA", "not base64!", "AQ=="}) {
    EXPECT_TRUE(IsBad(seal.Open(text, Sample().question()))) << text;
  }
  EXPECT_TRUE(IsBad(seal.Open(cursor.substr(0, cursor.size() - 4), Sample().question())));
  EXPECT_TRUE(IsBad(seal.Open(cursor + "AAAA", Sample().question())));
}

TEST(CursorTest, IsOfOneQuestion) {
  const CursorSeal seal(kKey);
  const std::string cursor = seal.Seal(At("p"), Sample().question());
  const auto opens = [&](auto change) {
    Asked asked = Sample();
    change(&asked);
    return static_cast<bool>(seal.Open(cursor, asked.question()));
  };
  EXPECT_FALSE(opens([](Asked* asked) { asked->model = "other"; }));
  EXPECT_FALSE(opens([](Asked* asked) { asked->pattern = "salesOfProducer"; }));
  EXPECT_FALSE(opens([](Asked* asked) { asked->parameters.Set("BuyerId", item::Value("B2")); }));
  EXPECT_FALSE(opens([](Asked* asked) { asked->query[0].value = "gte.6"; }));
  EXPECT_FALSE(opens([](Asked* asked) { asked->query[2].value = "desc"; }));
  EXPECT_FALSE(opens([](Asked* asked) { asked->query.push_back({"Status", "DRAFT"}); }));
  EXPECT_FALSE(opens([](Asked* asked) { asked->tenant = "acme"; }));
  // Names and values cannot run into each other.
  EXPECT_FALSE(opens([](Asked* asked) { asked->query[0] = {"Totalg", "te.5"}; }));
  // How much of it and how it is shown may change from page to page.
  EXPECT_TRUE(opens([](Asked* asked) { asked->query[1].value = "20"; }));
  EXPECT_TRUE(opens([&](Asked* asked) { asked->query.push_back({"after", cursor}); }));
  EXPECT_TRUE(opens([](Asked* asked) { asked->query.push_back({"fields", "Total"}); }));
  EXPECT_TRUE(opens([](Asked* asked) { std::swap(asked->query[0], asked->query[2]); }));
}

}  // namespace
}  // namespace monotable::api::rest
