#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "entities/read/ledger_fixture.h"

namespace monotable::entities {
namespace {

using testing::ElementsAre;

class FindTest : public LedgerFixture {
 protected:
  const model::PatternModel& Pattern(std::string_view name) {
    return *application().model().FindPattern(name);
  }
  Result<FoundPage> Children(std::string_view parent, std::string_view child,
                             const item::Map& attributes) {
    for (const RelationPtr& relation : EntityOf(parent).relations->children) {
      if (relation->to().name() != child) continue;
      return FindRelated(engine(), store().Latest(), *relation, *relation->ValuesOf(attributes));
    }
    return Error::Internal("no such child");
  }
};

TEST_F(FindTest, ItemByItsKey) {
  PutEntry(7, {.amount = 70});
  item::Map key = Texts({{"AccountId", "A"}});
  ExpectProblem(FindItem(engine(), EntityOf("Entry"), key, Caller()), ProblemCode::kInvalid,
                "Number");
  key.Set("Number", N(7));
  auto found = FindItem(engine(), EntityOf("Entry"), key, Caller());
  ASSERT_TRUE(found && *found);
  EXPECT_EQ(Of(**found, "Amount"), "70");
  found = FindItem(engine(), EntityOf("Entry"), key, {"sue", "south"});
  ASSERT_TRUE(found);
  EXPECT_FALSE(*found) << "another tenant's";
  key.Set("Number", N(8));
  found = FindItem(engine(), EntityOf("Entry"), key, Caller());
  ASSERT_TRUE(found);
  EXPECT_FALSE(*found);
}

TEST_F(FindTest, ASnapshotSeesItsMoment) {
  PutAccount("A");
  const auto snapshot = store().Snapshot();
  DeleteItem("ledger", Texts({{"PK", "ACCOUNT#A"}, {"SK", "ZZ"}}));
  const item::Map key = Texts({{"AccountId", "A"}});
  EXPECT_TRUE(*FindItem(engine(), *snapshot, EntityOf("Account"), key, Caller()));
  EXPECT_FALSE(*FindItem(engine(), EntityOf("Account"), key, Caller()));
}

TEST_F(FindTest, ExpiredItemIsNotFound) {
  PutEntry(1, {.phase = "DONE"});
  item::Map key = Texts({{"AccountId", "A"}});
  key.Set("Number", N(1));
  EXPECT_TRUE(*FindItem(engine(), EntityOf("Entry"), key, Caller()));
  clock_.now_ms += int64_t{11} * 86'400'000;
  EXPECT_FALSE(*FindItem(engine(), EntityOf("Entry"), key, Caller()));
}

TEST_F(FindTest, TheOnlyOneOfAParent) {
  OpenDesign("orders");
  const item::Map order =
      Texts({{"cnpj", "12.345.678/0001-99"}, {"order_id", "ORD-20231001-0001"}});
  for (const char* name : {"OrderStatus", "OrderCustomer", "Shipping"}) {
    const auto found = FindItem(engine(), EntityOf(name), order, Caller());
    ASSERT_TRUE(found) << found.error().message();
    ASSERT_TRUE(*found) << name;
    EXPECT_EQ((*found)->entity->name(), name);
    EXPECT_EQ(Of(**found, "order_id"), "ORD-20231001-0001");
  }
  const item::Map other =
      Texts({{"cnpj", "12.345.678/0001-99"}, {"order_id", "ORD-20231001-0002"}});
  EXPECT_FALSE(*FindItem(engine(), EntityOf("OrderStatus"), other, Caller()));
  ExpectProblem(FindItem(engine(), EntityOf("OrderStatus"), {}, Caller()), ProblemCode::kInvalid,
                "cnpj");
}

TEST_F(FindTest, TenantIsPartOfTheKey) {
  OpenDesign("chat");
  const item::Map key = Texts({{"conversationId", "conversation-1"}});
  EXPECT_TRUE(*FindItem(engine(), EntityOf("Conversation"), key, {"joana", "tenant-1"}));
  EXPECT_FALSE(*FindItem(engine(), EntityOf("Conversation"), key, {"eve", "tenant-2"}));
  ExpectProblem(FindItem(engine(), EntityOf("Conversation"), key, Caller()), ProblemCode::kInvalid,
                "tenantId");
}

TEST_F(FindTest, MembersOfAParent) {
  PutAccount("A");
  for (int64_t i = 1; i <= 3; ++i) PutEntry(i, {});
  PutEntry(4, {.account = "B"});
  PutItem("ledger", Texts({{"PK", "ACCOUNT#A"}, {"SK", "ENTRY#NOTE"}, {"Kind", "Note"}}));
  // The parent's attributes may be named like the child's.
  item::Map parent = Texts({{"AccountId", "A"}, {"Bank", "north"}});
  parent.Set("Number", N(2));
  const auto found = Children("Account", "Entry", parent);
  ASSERT_TRUE(found) << found.error().message();
  EXPECT_THAT(Of(found->items, "Number"), ElementsAre("1", "2", "3"));
}

TEST_F(FindTest, MembersByTheirKeysAlone) {
  OpenDesign("orders");
  const item::Map order =
      Texts({{"cnpj", "12.345.678/0001-99"}, {"order_id", "ORD-20231001-0001"}});
  const auto found = Children("Order", "OrderItem", order);
  ASSERT_TRUE(found) << found.error().message();
  EXPECT_THAT(Of(found->items, "product_id"), ElementsAre("PRD-1001", "PRD-2002"));
}

TEST_F(FindTest, Anything) {
  OpenDesign("sales");
  const auto finds = [&](const std::string& buyer) {
    return *FindsAnything(engine(), store().Latest(), application(), Pattern("salesOfBuyer"),
                          Texts({{"BuyerId", buyer}, {"from", "not a date"}}));
  };
  EXPECT_TRUE(finds("BUYER001"));
  EXPECT_FALSE(finds("BUYER002"));
  ExpectProblem(
      FindsAnything(engine(), store().Latest(), application(), Pattern("salesOfBuyer"), {}),
      ProblemCode::kInvalid, "BuyerId");
}

}  // namespace
}  // namespace monotable::entities
