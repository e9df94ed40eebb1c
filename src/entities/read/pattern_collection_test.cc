#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "entities/read/ledger_fixture.h"

namespace monotable::entities {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

class CollectionTest : public LedgerFixture {
 protected:
  CollectionTest() {
    PutAccount("A");
    for (int64_t i = 1; i <= 5; ++i) PutEntry(i, {});
    // Of no entity, in the same partition.
    PutItem("ledger", Texts({{"PK", "ACCOUNT#A"}, {"SK", "ENTRY#NOTE"}, {"Kind", "Note"}}));
  }

  static std::vector<std::string> Names(const ListResult& page) {
    std::vector<std::string> names;
    for (const Found& found : page.items) {
      const bool is_root = found.entity->name() == "Account";
      names.push_back(is_root ? "root " + Of(found, "AccountId") : Of(found, "Number"));
    }
    return names;
  }

  Result<ListResult> Read(const ListRequest& request, const Caller& caller = Caller()) {
    return Reader("accountFull").List(request, caller);
  }
};

TEST_F(CollectionTest, RootFirstThenMembers) {
  const auto page = Read(Ask({{"AccountId", "A"}}));
  ASSERT_TRUE(page) << page.error().message();
  EXPECT_THAT(Names(*page), ElementsAre("root A", "1", "2", "3", "4", "5"));
  EXPECT_EQ(page->count, 6);
  EXPECT_EQ(page->scanned, 7);
  EXPECT_EQ(page->read_units, 0.5) << "one Query";
  EXPECT_FALSE(page->next);
}

// The root sorts last, so a small page does not meet it.
TEST_F(CollectionTest, RootIsOnTheFirstPageOnly) {
  ListRequest request = Ask({{"AccountId", "A"}});
  request.limit = 2;
  auto page = Read(request);
  ASSERT_TRUE(page) << page.error().message();
  EXPECT_THAT(Names(*page), ElementsAre("root A", "1", "2"));
  EXPECT_EQ(page->read_units, 1) << "the Query, and the root by its key";
  std::vector<std::string> rest;
  while (page->next) {
    request.after = page->next;
    page = Read(request);
    ASSERT_TRUE(page);
    for (std::string& name : Names(*page)) rest.push_back(std::move(name));
  }
  EXPECT_THAT(rest, ElementsAre("3", "4", "5"));
}

TEST_F(CollectionTest, Descending) {
  ListRequest request = Ask({{"AccountId", "A"}});
  request.descending = true;
  const auto page = Read(request);
  ASSERT_TRUE(page);
  EXPECT_THAT(Names(*page), ElementsAre("root A", "5", "4", "3", "2", "1"));
}

TEST_F(CollectionTest, WithoutRootThereIsNone) {
  PutEntry(1, {.account = "orphan"});
  ExpectProblem(Read(Ask({{"AccountId", "orphan"}})), ProblemCode::kNotFound);
  ExpectProblem(Read(Ask({{"AccountId", "nobody"}})), ProblemCode::kNotFound);
  ExpectProblem(Read(Ask({{"AccountId", "A"}}), {"sue", "south"}), ProblemCode::kNotFound);
}

TEST_F(CollectionTest, MembersOfOthersAndFiltersLeaveTheRoot) {
  PutEntry(3, {.bank = "south"});
  ListRequest request = Ask({{"AccountId", "A"}});
  request.filters = {{{"Number", Filter::Comparison::kLess, {N(5)}}}};
  const auto page = Read(request, {"ned", "north"});
  ASSERT_TRUE(page);
  EXPECT_THAT(Names(*page), ElementsAre("root A", "1", "2", "4"));
}

TEST_F(CollectionTest, Count) {
  ListRequest request = Ask({{"AccountId", "A"}});
  request.count_only = true;
  const auto page = Read(request);
  ASSERT_TRUE(page);
  EXPECT_EQ(page->count, 6);
  EXPECT_THAT(page->items, IsEmpty());
}

TEST_F(CollectionTest, OfTheDesigns) {
  OpenDesign("orders");
  const auto page =
      Reader("orderFull")
          .List(Ask({{"cnpj", "12.345.678/0001-99"}, {"order_id", "ORD-20231001-0001"}}), Caller());
  ASSERT_TRUE(page) << page.error().message();
  ASSERT_THAT(page->items, SizeIs(testing::Ge(6u)));
  EXPECT_EQ(page->items[0].entity->name(), "Order");
}

}  // namespace
}  // namespace monotable::entities
