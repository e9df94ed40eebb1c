#include "entities/read/item_filter.h"

#include "entities/read/entity_read_fixture.h"

namespace monotable::entities {
namespace {

using Comparison = Filter::Comparison;

class FilterTest : public ReadFixture {
 protected:
  FilterTest() {
    OpenDesign("trading");
    item_ = Texts({{"order_id", "o1"},
                   {"status", "FILLED"},
                   {"symbol", "BTCUSDT"},
                   {"created_at", "14/11/2025 10:30:00"}});
    item_.Set("quantity", N(10));
    item_.Set("tags", item::Value(item::MakeStringSet({"a", "b"})));
    item_.Set("PK", S("CLIENT#c1"));
    item_.Set("analyst_id", item::Value());
    item::Map nested;
    nested.Set("inner", S("deep"));
    item_.Set("map", item::Value(std::move(nested)));
  }

  bool Fits(const std::string& attribute, Comparison comparison,
            std::vector<item::Value> values = {}) {
    const auto encoded = encoding::EncodeItem(item_);
    const Entity& order = EntityOf("Order");
    ItemAttributes attributes(order, encoding::ItemView(encoded));
    return entities::Fits(order, attributes, {attribute, comparison, std::move(values)});
  }

  item::Item item_;
};

TEST_F(FilterTest, Comparisons) {
  EXPECT_TRUE(Fits("status", Comparison::kEqual, {S("FILLED")}));
  EXPECT_FALSE(Fits("status", Comparison::kEqual, {S("NEW")}));
  EXPECT_TRUE(Fits("status", Comparison::kNotEqual, {S("NEW")}));
  EXPECT_TRUE(Fits("quantity", Comparison::kLess, {N(11)}));
  EXPECT_FALSE(Fits("quantity", Comparison::kLess, {N(10)}));
  EXPECT_TRUE(Fits("quantity", Comparison::kLessOrEqual, {N(10)}));
  EXPECT_TRUE(Fits("quantity", Comparison::kGreater, {N(9)}));
  EXPECT_TRUE(Fits("quantity", Comparison::kGreaterOrEqual, {N(10)}));
  EXPECT_TRUE(Fits("quantity", Comparison::kBetween, {N(10), N(10)}));
  EXPECT_FALSE(Fits("quantity", Comparison::kBetween, {N(11), N(12)}));
  EXPECT_TRUE(Fits("status", Comparison::kIn, {S("NEW"), S("FILLED")}));
  EXPECT_FALSE(Fits("status", Comparison::kIn, {}));
  EXPECT_TRUE(Fits("symbol", Comparison::kBeginsWith, {S("BTC")}));
  EXPECT_TRUE(Fits("symbol", Comparison::kContains, {S("USD")}));
  EXPECT_TRUE(Fits("tags", Comparison::kContains, {S("b")}));
  EXPECT_FALSE(Fits("tags", Comparison::kContains, {S("c")}));
  EXPECT_FALSE(Fits("quantity", Comparison::kLess, {S("11")})) << "of another type";
  EXPECT_FALSE(Fits("quantity", Comparison::kLess, {}));
}

TEST_F(FilterTest, MomentsAreComparedAsMoments) {
  EXPECT_TRUE(Fits("created_at", Comparison::kGreater, {S("15/10/2025 00:00:00")}));
  EXPECT_TRUE(Fits("created_at", Comparison::kLess, {S("01/01/2026 00:00:00")}));
  EXPECT_TRUE(Fits("created_at", Comparison::kEqual, {S("14/11/2025 10:30:00")}));
}

TEST_F(FilterTest, MissingAttributes) {
  EXPECT_TRUE(Fits("price", Comparison::kMissing));
  EXPECT_FALSE(Fits("price", Comparison::kExists));
  EXPECT_FALSE(Fits("price", Comparison::kEqual, {N(1)}));
  EXPECT_TRUE(Fits("price", Comparison::kNotEqual, {N(1)}));
  EXPECT_TRUE(Fits("analyst_id", Comparison::kMissing)) << "null is nothing";
  EXPECT_TRUE(Fits("status", Comparison::kExists));
}

TEST_F(FilterTest, Paths) {
  EXPECT_TRUE(Fits("map.inner", Comparison::kEqual, {S("deep")}));
  EXPECT_TRUE(Fits("map.other", Comparison::kMissing));
  EXPECT_TRUE(Fits("status.inner", Comparison::kMissing));
  // Not stored, but a part of the primary key.
  EXPECT_TRUE(Fits("client_id", Comparison::kEqual, {S("c1")}));
}

TEST_F(FilterTest, AlternativesAndAll) {
  const auto encoded = encoding::EncodeItem(item_);
  const Entity& order = EntityOf("Order");
  ItemAttributes attributes(order, encoding::ItemView(encoded));
  const Filter filled{"status", Comparison::kEqual, {S("FILLED")}};
  const Filter fresh{"status", Comparison::kEqual, {S("NEW")}};
  EXPECT_TRUE(FitsAll(order, attributes, {}));
  EXPECT_TRUE(FitsAll(order, attributes, {{fresh, filled}}));
  EXPECT_FALSE(FitsAll(order, attributes, {{fresh}, {filled}}));
}

TEST_F(FilterTest, Envelope) {
  OpenDesign("blog");
  const auto list = Reader("postsByStatus");
  ListRequest request;
  request.parameters = Texts({{"status", "PUBLISHED"}});
  request.filters = {{{"postId", Comparison::kEqual, {S("post-123")}}}};
  EXPECT_EQ(list.List(request, Caller())->count, 1);
  request.filters = {{{"createdAt", Comparison::kLess, {S("2000-01-01T00:00:00.000Z")}}}};
  EXPECT_EQ(list.List(request, Caller())->count, 0);
}

}  // namespace
}  // namespace monotable::entities
