#include "entities/audit/audit.h"

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "entities/application_fixture.h"
#include "entities/audit/audit_fixture.h"
#include "entities/write/copies.h"

namespace monotable::entities {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class DesignAuditTest : public AuditFixture, public testing::WithParamInterface<const char*> {};

TEST_P(DesignAuditTest, FindsNothingInTheSamples) {
  Open(GetParam());
  std::vector<Breach> found = Audit();
  std::erase_if(found, [](const Breach& breach) { return breach.state == Breach::State::kNote; });
  EXPECT_THAT(Lines(found), IsEmpty()) << Told(found);
}

// Lines and headers that change all the time, in a store that others write to.
class BusyAuditTest : public AuditFixture {
 protected:
  BusyAuditTest() {
    OpenText(R"yaml(format: stm/1
model: shop
tables:
  main:
    name: shop
    keys: {hash: "PK S", range: "SK S"}
    type_attribute: type
    version_attribute: _v
    indexes:
      GSI1: {hash: "GSI1PK S", range: "GSI1SK S", project: all}
entities:
  Buyer:
    path: buyers
    id: {attribute: buyer}
    keys: {primary: {PK: "BUYER#{buyer}", SK: BUYER}}
    attributes: {buyer: string!, name: string!, code: string}
    unique:
      - {name: code, fields: ["{code}"]}
  Order:
    path: orders
    id: {attribute: order}
    keys:
      primary: {PK: "ORDER#{order}", SK: ORDER}
      GSI1: {GSI1PK: "BUYER#{buyer}", GSI1SK: "{total:09}"}
    attributes:
      order: string!
      buyer: {type: string, ref: Buyer}
      buyerName: string
      total: {type: integer, derive: "sum(lines.price)"}
    copies:
      - {set: buyerName, from: Buyer.name, via: buyer}
  Line:
    parent: Order
    path: lines
    keys: {primary: {PK: "ORDER#{order}", SK: "LINE#{number:03}"}}
    attributes: {order: string!, number: integer!, price: integer!}
collections:
  OrderFull: {root: Order, members: {lines: "Line[]"}, partition: "ORDER#{order}"}
)yaml");
    EXPECT_TRUE(Create("Buyer", R"({"buyer": "b", "name": "João", "code": "0"})"));
    for (const char* order : {"1", "2", "3"}) {
      EXPECT_TRUE(Create("Order", std::string(R"({"buyer": "b", "order": ")") + order + "\"}"));
      EXPECT_TRUE(
          Create("Line", std::string(R"({"number": 1, "price": 1, "order": ")") + order + "\"}"));
    }
  }

  // Changes prices, the name of the buyer and its code, so that copies, sums, index keys and
  // markers change together.
  void Work(int seed) {
    for (int i = 0; i < 60; ++i) {
      const std::string number = std::to_string(seed * 1000 + i);
      const std::string order = std::to_string(1 + i % 3);
      item::Map line = Texts({{"order", order}});
      line.Set("number", N(1));
      EXPECT_TRUE(Patch("Line", line, R"({"price": )" + number + "}"));
      EXPECT_TRUE(Patch("Buyer", Texts({{"buyer", "b"}}),
                        R"({"name": "nome )" + number + R"(", "code": ")" + number + "\"}"));
    }
  }

  // Audits until the writers are done. An item may have changed at every look.
  void AuditBeside(bool repair) {
    std::vector<std::thread> writers;
    std::atomic<int> working = 2;
    for (int seed = 1; seed <= 2; ++seed) {
      writers.emplace_back([this, seed, &working] {
        Work(seed);
        --working;
      });
    }
    do {
      std::vector<Breach> found = Audit(repair);
      std::erase_if(found, [](const Breach& one) { return one.kind == Breach::Kind::kChanging; });
      EXPECT_THAT(Lines(found), IsEmpty()) << Told(found);
    } while (working > 0);
    for (std::thread& writer : writers) writer.join();
    EXPECT_THAT(Lines(Audit()), IsEmpty());
  }
};

TEST_F(BusyAuditTest, AWriteInBetweenIsNoBreach) {
  AuditBeside(false);
}

TEST_F(BusyAuditTest, ARepairBesideWritesRepairsNothing) {
  AuditBeside(true);
}

TEST_F(BusyAuditTest, ARepairRaisesTheVersion) {
  Damage("Order", Texts({{"order", "1"}}), [](item::Item* item) { item->Set("total", N(9)); });
  const int64_t before = Get("Order", Texts({{"order", "1"}}))->version;
  EXPECT_THAT(Lines(Audit(true)), ElementsAre("derived Order total repaired"));
  EXPECT_EQ(Get("Order", Texts({{"order", "1"}}))->version, before + 1);
  EXPECT_EQ(TextOf("Order", Texts({{"order", "1"}}), "total"), "1");
}

// An item whose type is no text is known by its keys, to its marker as well.
TEST_F(BusyAuditTest, ATypeThatIsNoTextIsRepaired) {
  Damage("Buyer", Texts({{"buyer", "b"}}),
         [](item::Item* item) { item->Set("type", item::Value(item::List{S("Buyer")})); });
  EXPECT_THAT(Lines(Audit()), ElementsAre("type Buyer type repairable"));
  EXPECT_THAT(Lines(Repair()), IsEmpty());
}

TEST_F(BusyAuditTest, GoesOnAtAPosition) {
  AuditRequest request{false, "", 2};
  int64_t items = 0;
  int pages = 0;
  do {
    const auto page = AuditModel(engine(), application(), {}, request);
    ASSERT_TRUE(page) << page.error().message();
    EXPECT_LE(page->items, 2);
    EXPECT_EQ(page->total, static_cast<int64_t>(CountItems()));
    items += page->items;
    ++pages;
    request.position = page->next;
  } while (!request.position.empty());
  EXPECT_EQ(items, static_cast<int64_t>(CountItems()));
  EXPECT_GE(pages, 4);
  for (const std::string& wrong :
       {std::string("shop"), std::string("others\0x", 8), std::string("shop\0zzz", 8)}) {
    request.position = wrong;
    const auto page = AuditModel(engine(), application(), {}, request);
    ASSERT_FALSE(page);
    EXPECT_THAT(page.error().message(), testing::HasSubstr("Begin again without a position."));
  }
}

// Copies that a job still brings are not behind, and a job whose source is there is at work.
TEST_F(BusyAuditTest, CopiesOnTheirWayAreNoBreach) {
  const Entity& buyer = EntityOf("Buyer");
  const auto key = PrimaryKey(buyer, Texts({{"buyer", "b"}}));
  Damage("Buyer", Texts({{"buyer", "b"}}), [](item::Item* item) { item->Set("name", S("x")); });
  EXPECT_EQ(Audit().size(), 3u);
  PutItem("shop", CopyJobItem({&buyer, **key, "", "a change"}));
  EXPECT_THAT(Lines(Audit()), IsEmpty());
}

// Of two models that share a table, each has its own items.
TEST_F(BusyAuditTest, ItemsOfAnotherModelAreItsOwn) {
  auto other = MakeApplication(R"yaml(format: stm/1
model: notes
tables:
  main: {name: shop, adopt: true, keys: {hash: "PK S", range: "SK S"}, type_attribute: type}
entities:
  Note:
    path: notes
    id: {attribute: note}
    keys: {primary: {PK: "NOTE#{note}", SK: NOTE}}
    attributes: {note: string!}
)yaml");
  PutItem("shop", Texts({{"PK", "NOTE#1"}, {"SK", "NOTE"}, {"type", "Note"}, {"note", "1"}}));
  EXPECT_THAT(Lines(Audit()), ElementsAre("unknown_item undecided"));
  const auto own = AuditModel(engine(), application(), {other.get()}, {});
  ASSERT_TRUE(own);
  EXPECT_THAT(Lines(own->breaches), IsEmpty());
  const auto its = AuditModel(engine(), *other, {&application()}, {});
  ASSERT_TRUE(its);
  EXPECT_THAT(Lines(its->breaches), IsEmpty()) << Told(its->breaches);
}

INSTANTIATE_TEST_SUITE_P(Designs, DesignAuditTest,
                         testing::Values("sales", "orders", "blog", "trading", "chat"),
                         [](const auto& design) { return std::string(design.param); });

}  // namespace
}  // namespace monotable::entities
