#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "entities/read/ledger_fixture.h"

namespace monotable::entities {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

class ListTest : public LedgerFixture {
 protected:
  static ListRequest Account(const std::string& id) { return Ask({{"AccountId", id}}); }

  void PutEntries(int64_t count) {
    for (int64_t i = 1; i <= count; ++i) PutEntry(i, {.amount = i});
  }
};

TEST_F(ListTest, GetFindsOrSaysNotFound) {
  PutAccount("A");
  const PatternReader reader = Reader("getAccount");
  EXPECT_EQ(reader.plan_text(), "GetItem");
  const auto found = reader.Get(Texts({{"AccountId", "A"}}), Caller(), false);
  ASSERT_TRUE(found);
  EXPECT_EQ(Of(*found, "Owner"), "Ana A");
  EXPECT_EQ(found->entity, &EntityOf("Account"));
  ExpectProblem(reader.Get(Texts({{"AccountId", "B"}}), Caller(), false), ProblemCode::kNotFound);
  ExpectProblem(reader.Get({}, Caller(), false), ProblemCode::kInvalid, "AccountId");
  ExpectProblem(reader.Get(Texts({{"AccountId", "A#B"}}), Caller(), false), ProblemCode::kInvalid,
                "AccountId");
  ExpectProblem(reader.Get(Texts({{"AccountId", ""}}), Caller(), false), ProblemCode::kInvalid,
                "AccountId");
  ExpectProblem(Reader("entriesByTime").Get({}, Caller(), false), ProblemCode::kNoAccessPattern);
}

TEST_F(ListTest, ItemOfAnotherTypeIsNotFound) {
  PutItem("ledger", Texts({{"PK", "ACCOUNT#A"}, {"SK", "ZZ"}, {"Kind", "Intruder"}}));
  ExpectProblem(Reader("getAccount").Get(Texts({{"AccountId", "A"}}), Caller(), false),
                ProblemCode::kNotFound);
}

TEST_F(ListTest, PagesEndExactly) {
  PutEntries(6);
  ListRequest request = Account("A");
  request.limit = 3;
  auto page = Reader("entriesByNumber").List(request, Caller());
  ASSERT_TRUE(page) << page.error().message();
  EXPECT_THAT(Of(page->items, "Number"), ElementsAre("1", "2", "3"));
  EXPECT_EQ(page->count, 3);
  EXPECT_EQ(page->scanned, 3);
  EXPECT_EQ(page->read_units, 0.5);
  EXPECT_EQ(page->plan, "Query");
  ASSERT_TRUE(page->next);
  request.after = page->next;
  page = Reader("entriesByNumber").List(request, Caller());
  ASSERT_TRUE(page);
  EXPECT_THAT(Of(page->items, "Number"), ElementsAre("4", "5", "6"));
  EXPECT_FALSE(page->next) << "nothing follows a last page that is full";
}

TEST_F(ListTest, GoesOnAfterAnItemThatIsGone) {
  PutEntries(4);
  ListRequest request = Account("A");
  request.limit = 2;
  request.descending = true;
  auto page = Reader("entriesByNumber").List(request, Caller());
  ASSERT_TRUE(page);
  EXPECT_THAT(Of(page->items, "Number"), ElementsAre("4", "3"));
  DeleteItem("ledger", Texts({{"PK", "ACCOUNT#A"}, {"SK", "ENTRY#00003"}}));
  request.after = page->next;
  EXPECT_THAT(Numbers("entriesByNumber", request), ElementsAre("2", "1"));
}

TEST_F(ListTest, Limits) {
  PutEntries(9);
  EXPECT_THAT(Numbers("entriesByTime", {}), SizeIs(7)) << "the pattern's page";
  ListRequest request;
  request.limit = 0;
  ExpectProblem(Reader("entriesByTime").List(request, Caller()), ProblemCode::kInvalid, "limit");
  request.limit = kMaxPage + 1;
  ExpectProblem(Reader("entriesByTime").List(request, Caller()), ProblemCode::kInvalid, "limit");
  request.limit = kMaxPage;
  EXPECT_THAT(Numbers("entriesByTime", request), SizeIs(9));
}

TEST_F(ListTest, RangeOfNumbers) {
  PutEntries(12);
  EXPECT_THAT(Numbers("entriesByNumber", Ask({{"AccountId", "A"}, {"from", "9"}, {"to", "11"}})),
              ElementsAre("9", "10", "11"));
  EXPECT_THAT(Numbers("entriesByNumber", Ask({{"AccountId", "A"}, {"from", "12"}})),
              ElementsAre("12"));
  EXPECT_THAT(Numbers("entriesByNumber", Ask({{"AccountId", "A"}, {"to", "2"}})),
              ElementsAre("1", "2"));
  ExpectProblem(
      Reader("entriesByNumber").List(Ask({{"AccountId", "A"}, {"to", "123456"}}), Caller()),
      ProblemCode::kInvalid, "Number");
}

// The key goes on after the moment; both ends of the range are in it, to the millisecond.
TEST_F(ListTest, RangeOfMoments) {
  PutEntry(1, {.at = "2027-01-01T10:00:00.000Z"});
  PutEntry(2, {.at = "2027-01-01T10:00:00.001Z"});
  PutEntry(3, {.at = "2027-01-01T23:59:59.999Z"});
  PutEntry(4, {.at = "2027-01-02T00:00:00.000Z"});
  const auto numbers = [&](const std::string& from, const std::string& to) {
    return Numbers("entriesAtExactly", Ask({{"Phase", "OPEN"}, {"from", from}, {"to", to}}));
  };
  EXPECT_THAT(numbers("2027-01-01T10:00:00Z", "2027-01-01T10:00:00Z"), ElementsAre("1"));
  EXPECT_THAT(numbers("2027-01-01T10:00:00.001Z", "2027-01-01T23:59:59.999Z"),
              ElementsAre("2", "3"));
  EXPECT_THAT(numbers("2027-01-01", "2027-01-02"), ElementsAre("1", "2", "3", "4"));
  EXPECT_THAT(numbers("2027-01-01", "2027-01-01"), IsEmpty()) << "exact: the first moment only";
  EXPECT_THAT(Numbers("entriesByTime", Ask({{"from", "2027-01-01"}, {"to", "2027-01-01"}})),
              ElementsAre("1", "2", "3"));
  EXPECT_THAT(Numbers("entriesByTime",
                      Ask({{"from", "2027-01-01"}, {"to", "2027-01-01"}, {"tz", "-01:00"}})),
              ElementsAre("1", "2", "3", "4"));
  EXPECT_THAT(Numbers("entriesByTime",
                      Ask({{"from", "2027-01-01"}, {"to", "2027-01-01"}, {"tz", "+01:00"}})),
              ElementsAre("1", "2"));
}

// The key says the month only; what the range asks beyond that is looked at in the items.
TEST_F(ListTest, RangeOfAKeyThatSaysLess) {
  PutEntry(1, {.at = "2027-01-14T23:59:59.999Z"});
  PutEntry(2, {.at = "2027-01-15T00:00:00.000Z"});
  PutEntry(3, {.at = "2027-02-03T12:00:00.000Z"});
  PutEntry(4, {.at = "2027-02-04T00:00:00.000Z"});
  PutEntry(5, {.at = "2027-03-01T00:00:00.000Z"});
  const auto list =
      Reader("entriesByMonth").List(Ask({{"from", "2027-01-15"}, {"to", "2027-02-03"}}), Caller());
  ASSERT_TRUE(list) << list.error().message();
  EXPECT_THAT(Of(list->items, "Number"), ElementsAre("2", "3"));
  EXPECT_EQ(list->scanned, 4);
  EXPECT_EQ(list->plan, "Query GSI2 ×4 merged + BatchGetItem");
  EXPECT_EQ(list->read_units, 4 * 0.5 + 4 * 0.5) << "four queries and four items";
  EXPECT_EQ(Of(list->items[0], "Amount"), "1") << "whole items";
}

TEST_F(ListTest, PatternFilterAndClientFilters) {
  for (int64_t i = 1; i <= 30; ++i) PutEntry(i, {.amount = i * 10});
  ListRequest request;
  request.limit = 4;
  auto page = Reader("openLargeEntries").List(request, Caller());
  ASSERT_TRUE(page) << page.error().message();
  EXPECT_THAT(Of(page->items, "Number"), ElementsAre("30", "29", "28", "27"));
  request.filters = {{{"Amount", Filter::Comparison::kLessOrEqual, {N(120)}}}};
  page = Reader("openLargeEntries").List(request, Caller());
  ASSERT_TRUE(page);
  EXPECT_THAT(Of(page->items, "Number"), ElementsAre("12", "11", "10"));
  EXPECT_EQ(page->scanned, 30);
  EXPECT_FALSE(page->next);
}

TEST_F(ListTest, StopsAfterSoManyBytes) {
  for (int64_t i = 1; i <= 50; ++i) PutEntry(i, {.padding = 400'000});
  ListRequest request = Account("A");
  request.filters = {{{"Amount", Filter::Comparison::kGreater, {N(1)}}}};
  auto page = Reader("entriesByNumber").List(request, Caller());
  ASSERT_TRUE(page);
  EXPECT_THAT(page->items, IsEmpty());
  ASSERT_TRUE(page->next);
  EXPECT_EQ(page->scanned, 42) << "the first that are 16 MB together";
  // A page of 1 MB has two of them, which are 196 times 4 KB.
  EXPECT_EQ(page->read_units, 21 * 98);
  request.after = page->next;
  page = Reader("entriesByNumber").List(request, Caller());
  ASSERT_TRUE(page);
  EXPECT_EQ(page->scanned, 8);
  EXPECT_FALSE(page->next);
}

TEST_F(ListTest, StopsAfterSoManyEntries) {
  PutEntries(kMaxScanned + 2);
  ListRequest request = Account("A");
  request.filters = {{{"Amount", Filter::Comparison::kGreater, {N(kMaxScanned)}}}};
  auto page = Reader("entriesByNumber").List(request, Caller());
  ASSERT_TRUE(page);
  EXPECT_THAT(page->items, IsEmpty());
  EXPECT_EQ(page->scanned, kMaxScanned);
  ASSERT_TRUE(page->next);
  request.after = page->next;
  EXPECT_THAT(Numbers("entriesByNumber", request), ElementsAre("10001", "10002"));
}

TEST_F(ListTest, ConsistentReads) {
  PutEntries(1);
  ListRequest request = Account("A");
  request.consistent = true;
  const auto list = Reader("entriesByNumber").List(request, Caller());
  ASSERT_TRUE(list);
  EXPECT_EQ(list->read_units, 1);
  ExpectProblem(Reader("openLargeEntries").List(request, Caller()), ProblemCode::kInvalid,
                "consistent");
  ExpectProblem(Reader("entriesByTime").List(request, Caller()), ProblemCode::kInvalid,
                "consistent");
}

TEST_F(ListTest, ExpiredItemsAreHidden) {
  PutEntry(1, {.phase = "DONE", .at = "2027-01-01T00:00:00.000Z"});
  PutEntry(2, {.phase = "OPEN", .at = "2027-01-01T00:00:00.000Z"});
  clock_.now_ms += int64_t{10} * 86'400'000;
  EXPECT_THAT(Numbers("entriesByNumber", Account("A")), ElementsAre("1", "2"));
  EXPECT_THAT(Numbers("entriesByMonth", {}), ElementsAre("1", "2"));
  clock_.now_ms += 1000;
  EXPECT_THAT(Numbers("entriesByNumber", Account("A")), ElementsAre("2"));
  EXPECT_THAT(Numbers("entriesByMonth", {}), ElementsAre("2")) << "the index does not say it";
  const auto count = Reader("countEntries").List({}, Caller());
  ASSERT_TRUE(count);
  EXPECT_EQ(count->count, 1);
  EXPECT_EQ(count->scanned, 2);
  ListRequest request;
  request.count_only = true;
  const auto hydrated = Reader("entriesByMonth").List(request, Caller());
  ASSERT_TRUE(hydrated);
  EXPECT_EQ(hydrated->count, 1);
}

TEST_F(ListTest, TenantsSeeTheirOwn) {
  PutAccount("A", "north");
  for (int64_t i = 1; i <= 6; ++i) PutEntry(i, {.bank = i % 2 == 0 ? "north" : "south"});
  const Caller south{"sue", "south"};
  ListRequest request = Account("A");
  request.limit = 2;
  auto page = Reader("entriesByNumber").List(request, south);
  ASSERT_TRUE(page);
  EXPECT_THAT(Of(page->items, "Number"), ElementsAre("1", "3"));
  request.after = page->next;
  page = Reader("entriesByNumber").List(request, south);
  ASSERT_TRUE(page);
  EXPECT_THAT(Of(page->items, "Number"), ElementsAre("5"));
  EXPECT_THAT(Reader("entriesByMonth").List({}, south)->items, SizeIs(3));
  EXPECT_EQ(Reader("countEntries").List({}, south)->count, 3);
  ExpectProblem(Reader("getAccount").Get(Texts({{"AccountId", "A"}}), south, false),
                ProblemCode::kNotFound);
  ExpectProblem(
      Reader("getAccount").Get(Texts({{"AccountId", "A"}, {"Bank", "north"}}), south, false),
      ProblemCode::kForbidden);
  EXPECT_TRUE(Reader("getAccount")
                  .Get(Texts({{"AccountId", "A"}, {"Bank", "north"}}), {"ned", "north"}, false));
}

TEST_F(ListTest, TenantIsAParameter) {
  OpenDesign("chat");
  const PatternReader reader = Reader("getConversation");
  const item::Map id = Texts({{"conversationId", "conversation-1"}});
  EXPECT_TRUE(reader.Get(id, {"joana", "tenant-1"}, false));
  ExpectProblem(reader.Get(id, {"eve", "tenant-2"}, false), ProblemCode::kNotFound);
  ExpectProblem(reader.Get(id, Caller(), false), ProblemCode::kInvalid, "tenantId");
  // Its partition is of the user, whoever asks.
  const PatternReader of_user = Reader("conversationsOfUser");
  EXPECT_THAT(of_user.List(Ask({{"userId", "user-1"}}), {"joana", "tenant-1"})->items, SizeIs(1));
  EXPECT_THAT(of_user.List(Ask({{"userId", "user-1"}}), {"eve", "tenant-2"})->items, IsEmpty());
  // The tenant is not stored in its own item, but read out of its key.
  const item::Map tenant = Texts({{"tenantId", "tenant-1"}});
  EXPECT_TRUE(Reader("getTenant").Get(tenant, {"joana", "tenant-1"}, false));
  ExpectProblem(Reader("getTenant").Get(tenant, {"eve", "tenant-2"}, false),
                ProblemCode::kForbidden);
}

TEST_F(ListTest, ParentsAreAnsweredOnce) {
  for (const char* id : {"A", "B", "C"}) PutAccount(id, id == std::string("C") ? "south" : "north");
  for (int64_t i = 1; i <= 9; ++i) {
    PutEntry(i, {.account = i % 3 == 0 ? "B" : "A",
                 .at = "2027-01-01T00:00:00.00" + std::to_string(i) + "Z"});
  }
  PutEntry(10, {.account = "C"});
  PutEntry(11, {.account = "gone"});
  const PatternReader reader = Reader("accountsWithOpenEntries");
  auto list = reader.List(Ask({{"Phase", "OPEN"}}), Caller());
  ASSERT_TRUE(list) << list.error().message();
  EXPECT_THAT(Of(list->items, "AccountId"), ElementsAre("C", "A", "B"));
  EXPECT_EQ(list->items[0].entity, &EntityOf("Account"));
  EXPECT_EQ(list->plan, "Query GSI1 + BatchGetItem");
  EXPECT_EQ(list->read_units, 0.5 + 4 * 0.5) << "the Query and four accounts, one of them missing";
  list = reader.List(Ask({{"Phase", "OPEN"}}), {"ned", "north"});
  ASSERT_TRUE(list);
  EXPECT_THAT(Of(list->items, "AccountId"), ElementsAre("A", "B"));
  ListRequest request = Ask({{"Phase", "OPEN"}});
  request.filters = {{{"Owner", Filter::Comparison::kEqual, {S("Ana B")}}}};
  list = reader.List(request, Caller());
  ASSERT_TRUE(list);
  EXPECT_THAT(Of(list->items, "AccountId"), ElementsAre("B")) << "filters are of the parents";
}

TEST_F(ListTest, ParentsOfTheInvertedIndex) {
  OpenDesign("orders");
  const auto list = Reader("ordersOfProduct").List(Ask({{"product_id", "PRD-1001"}}), Caller());
  ASSERT_TRUE(list) << list.error().message();
  EXPECT_THAT(Of(list->items, "order_id"), ElementsAre("ORD-20231001-0001"));
  EXPECT_EQ(list->items[0].entity->name(), "Order");
  const auto by_city =
      Reader("ordersByCity").List(Ask({{"city", "Paris"}, {"from", "2023-10-01"}}), Caller());
  ASSERT_TRUE(by_city) << by_city.error().message();
}

TEST_F(ListTest, CountsHaveNoItems) {
  PutEntries(250);
  ListRequest request = Account("A");
  request.count_only = true;
  const auto list = Reader("entriesByNumber").List(request, Caller());
  ASSERT_TRUE(list);
  EXPECT_EQ(list->count, 250) << "more than a page";
  EXPECT_THAT(list->items, IsEmpty());
  EXPECT_THAT(list->counts, IsEmpty());
  EXPECT_FALSE(list->next);
}

TEST_F(ListTest, MissingTableOrIndex) {
  ASSERT_TRUE(Drop(catalog(), "ledger"));
  const auto list = Reader("entriesByNumber").List(Account("A"), Caller());
  ASSERT_FALSE(list);
  EXPECT_EQ(list.error().code(), ErrorCode::kResourceNotFound);
}

}  // namespace
}  // namespace monotable::entities
