#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/change_log.h"
#include "engine/expiry.h"
#include "entities/guard.h"
#include "entities/write/write_fixture.h"
#include "time/calendar.h"

// Items that are deleted because their time is over take along what the rules say.
namespace monotable::entities {
namespace {

class ExpiryRules : public WriteFixture {
 protected:
  static constexpr std::string_view kShop = R"yaml(format: stm/1
model: shop
tables:
  main:
    name: shop
    keys: {hash: "PK S", range: "SK S"}
    type_attribute: type
    ttl_attribute: ttl
    rules: RULES
entities:
  Cart:
    path: carts
    id: {attribute: id}
    keys: {primary: {PK: "CART#{id}", SK: CART}}
    attributes:
      id: string!
      ends: {type: instant, stored: epoch}
      email: string
      total: {type: decimal, scale: 2, derive: "sum(lines.price)"}
    unique:
      - {name: email, fields: ["{email}"]}
    assert:
      - {name: not_one, that: "total != 1", message: A cart of one real is not served.}
    delete: DELETE
    ttl: {base: ends, after: 1s}
  Line:
    parent: Cart
    path: lines
    keys: {primary: {PK: "CART#{id}", SK: "LINE#{number:03}"}}
    attributes:
      id: string!
      number: integer!
      price: decimal!
      ends: {type: instant, stored: epoch}
    ttl: {base: ends, after: 1s}
collections:
  CartFull: {root: Cart, members: {lines: "Line[]"}, partition: "CART#{id}"}
)yaml";

  void OpenShop(const std::string& rules, const std::string& on_delete = "{cascade: collection}") {
    std::string text(kShop);
    text.replace(text.find("RULES"), 5, rules);
    text.replace(text.find("DELETE"), 6, on_delete);
    OpenModel(text);
    const auto changed = catalog().Change(
        "shop",
        [this](const table::TableDefinition* current, uint32_t) -> engine::Catalog::Decision {
          table::TableDefinition next = *current;
          next.time_to_live = {true, "ttl", clock_.now_ms, true};
          next.stream = {true, table::StreamViewType::kNewAndOldImages, clock_.now_ms};
          next.latest_stream_label = "label";
          return std::optional(std::move(next));
        });
    ASSERT_TRUE(changed);
    writer_ = std::make_unique<Writer>(engine(), executor(), application());
    guard_ = std::make_unique<Guard>(engine(), executor());
    guard_->Add(application(), writer());
    engine().SetWriteGuard(guard_.get());
  }
  ~ExpiryRules() override { engine().SetWriteGuard(nullptr); }

  // A cart or a line that expires so many seconds from now.
  std::string Ends(int seconds) const {
    return R"("ends": ")" +
           time::Format(clock_.now_ms + int64_t{seconds} * 1000, time::kIsoSeconds) + '"';
  }
  void CreateCart(const std::string& id, const std::string& more = "") {
    const auto cart = Create("Cart", R"({"id": ")" + id + '"' + more + '}');
    ASSERT_TRUE(cart) << cart.error().message();
  }
  void CreateLine(int number, int price, const std::string& more = "") {
    const auto line = Write(Change::Kind::kCreate, "Line", Cart(),
                            R"({"number": )" + std::to_string(number) + R"(, "price": )" +
                                std::to_string(price) + more + '}');
    ASSERT_TRUE(line) << line.error().message();
  }
  static item::Map Cart() { return Texts({{"id", "ação/1"}}); }
  static item::Map Line(int number) {
    item::Map key = Cart();
    key.Set("number", N(number));
    return key;
  }
  void Advance(int seconds) {
    clock_.now_ms += int64_t{seconds} * 1000;
    const Status done = engine::DeleteExpired(engine(), std::stop_token());
    EXPECT_TRUE(done) << done.error().message();
  }
  // How many changes of each kind the stream has that time to live made.
  std::pair<int, int> RemovedAndOthers() {
    int removed = 0;
    int others = 0;
    const auto cursor =
        store().Latest().Scan(encoding::ChangesRange(), storage::Direction::kForward);
    for (; cursor->Valid(); cursor->Next()) {
      const auto record = engine::DecodeChange(cursor->value());
      EXPECT_TRUE(record);
      if (!record || record->origin != engine::ChangeOrigin::kTimeToLive) continue;
      ++(record->event == engine::ChangeEvent::kRemove ? removed : others);
    }
    return {removed, others};
  }

  std::unique_ptr<Guard> guard_;
};

TEST_F(ExpiryRules, TheSumOfTheParentFollows) {
  OpenShop("warn");
  CreateCart("ação/1");
  CreateLine(1, 10, ", " + Ends(10));
  CreateLine(2, 5);
  EXPECT_EQ(TextOf("Cart", Cart(), "total"), "15");
  Advance(5);
  EXPECT_EQ(TextOf("Cart", Cart(), "total"), "15");
  Advance(20);
  EXPECT_EQ(TextOf("Cart", Cart(), "total"), "5");
  EXPECT_FALSE(Get("Line", Line(1)));
  EXPECT_TRUE(Get("Line", Line(2)));
  EXPECT_EQ(RemovedAndOthers(), std::pair(1, 0));
}

TEST_F(ExpiryRules, TheSumFollowsWithEnforcedRules) {
  OpenShop("enforce");
  CreateCart("ação/1");
  CreateLine(1, 10, ", " + Ends(10));
  CreateLine(2, 5);
  Advance(30);
  EXPECT_EQ(TextOf("Cart", Cart(), "total"), "5");
}

TEST_F(ExpiryRules, TheMarkerOfAUniqueValueGoes) {
  OpenShop("warn");
  CreateCart("ação/1", R"(, "email": "a@x", )" + Ends(10));
  EXPECT_EQ(CountItems(), 2u);
  Advance(30);
  EXPECT_EQ(CountItems(), 0u);
}

TEST_F(ExpiryRules, TheCollectionGoesWhereTheModelSaysSo) {
  OpenShop("warn");
  CreateCart("ação/1", ", " + Ends(10));
  CreateLine(1, 10);
  CreateLine(2, 5);
  Advance(30);
  EXPECT_EQ(CountItems(), 0u);
  EXPECT_EQ(RemovedAndOthers(), std::pair(3, 0));
}

TEST_F(ExpiryRules, ChildrenDoNotHoldUpAnExpiry) {
  OpenShop("enforce", "{}");
  CreateCart("ação/1", ", " + Ends(10));
  CreateLine(1, 10);
  Advance(30);
  EXPECT_FALSE(Get("Cart", Cart()));
  EXPECT_TRUE(Get("Line", Line(1)));
}

// The rule refuses the sum that would be left, so the line goes alone.
TEST_F(ExpiryRules, ARuleDoesNotHoldUpAnExpiry) {
  OpenShop("enforce");
  CreateCart("ação/1");
  CreateLine(1, 10, ", " + Ends(10));
  engine().SetWriteGuard(nullptr);
  item::Map one = Line(2);
  one.Set("price", N(1));
  PutRecord("Line", std::move(one));
  engine().SetWriteGuard(guard_.get());
  Advance(30);
  EXPECT_FALSE(Get("Line", Line(1)));
  EXPECT_TRUE(Get("Line", Line(2)));
  EXPECT_EQ(TextOf("Cart", Cart(), "total"), "10");
}

TEST_F(ExpiryRules, AnItemThatWasRenewedStays) {
  OpenShop("warn");
  CreateCart("ação/1");
  CreateLine(1, 10, ", " + Ends(10));
  ASSERT_TRUE(Patch("Line", Line(1), "{" + Ends(1000) + "}"));
  Advance(30);
  EXPECT_TRUE(Get("Line", Line(1)));
  EXPECT_EQ(TextOf("Cart", Cart(), "total"), "10");
}

}  // namespace
}  // namespace monotable::entities
