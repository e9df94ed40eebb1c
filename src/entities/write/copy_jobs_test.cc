#include <atomic>
#include <set>
#include <thread>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "entities/write/copies.h"
#include "entities/write/draft.h"
#include "entities/write/lease.h"
#include "entities/write/write_fixture.h"

// Copies of a source that has more followers than one transaction takes.
namespace monotable::entities {
namespace {

// A tenth of what a server copies at once, to be quick; ManyCopiesTest has as many.
class CopyJobsTest : public WriteFixture {
 protected:
  CopyJobsTest() : CopyJobsTest(250, {"", {}, 100}) {}
  CopyJobsTest(int sales, const ApplicationSettings& settings) : sales_(sales) {
    Open("sales", settings);
    const auto buyer = Create("Buyer", R"({"Name": "Old", "Document": "11.222.333/0001-44"})");
    EXPECT_TRUE(buyer) << buyer.error().message();
    buyer_ = buyer->changes[0].key;
    for (int i = 0; i < sales_; ++i) PutSale(i, "DRAFT");
  }

  static item::Map Sale(int number) {
    return Texts({{"SaleId", fmt::format("BULK{:05}", number)}});
  }
  // Their numbers are their order in the index by buyer.
  static std::string DateOf(int number) {
    return fmt::format("2026-03-01T{:02}:{:02}:{:02}Z", number / 3600, number / 60 % 60,
                       number % 60);
  }

  // As a write would have left it, before the buyer was renamed.
  void PutSale(int number, const std::string& status, const std::string& delivery = "") {
    item::Map attributes = Texts({{"BuyerName", "Old"},
                                  {"BuyerDocument", "11.222.333/0001-44"},
                                  {"ProducerId", "PRODUCER001"},
                                  {"PaymentTerms", "CASH"},
                                  {"Currency", "BRL"},
                                  {"SaleDate", DateOf(number)},
                                  {"Status", status}});
    attributes.Set("BuyerId", *buyer_.Find("BuyerId"));
    attributes.Set("SaleId", *Sale(number).Find("SaleId"));
    attributes.Set("Quantity", N(0));
    if (!delivery.empty()) attributes.Set("DeliveryDate", S(delivery));
    PutRecord("Sale", std::move(attributes));
  }

  void Rename(const std::string& name) {
    const auto renamed = Patch("Buyer", buyer_, R"({"Name": ")" + name + R"("})");
    ASSERT_TRUE(renamed) << renamed.error().message();
  }
  std::string NameOf(int number) { return TextOf("Sale", Sale(number), "BuyerName"); }
  std::set<std::string> NamesOf(int begin, int end) {
    std::set<std::string> names;
    for (int i = begin; i < end; ++i) names.insert(NameOf(i));
    return names;
  }

  item::Item BuyerKey() { return **PrimaryKey(EntityOf("Buyer"), buyer_); }
  bool IsJobThere(const item::Item& source) {
    const engine::TablePtr table = catalog().Find("SalesTable-dev");
    std::string image;
    const auto found = store().Latest().Get(
        encoding::ItemKey(*table, *CopyJobKey(EntityOf("Buyer"), source)), &image);
    return found && *found;
  }
  void Reopen() {
    writer_ = std::make_unique<Writer>(engine(), executor(), application());
    const Status adopted = writer_->AdoptExisting();
    ASSERT_TRUE(adopted) << adopted.error().message();
  }

  const int sales_;
  item::Map buyer_;
};

class ManyCopiesTest : public CopyJobsTest {
 protected:
  ManyCopiesTest() : CopyJobsTest(1500, {}) {}
};

TEST_F(ManyCopiesTest, TheFirstThousandChangeAtOnceAndTheRestLater) {
  const size_t items = CountItems();
  Rename("New");
  EXPECT_EQ(TextOf("Buyer", buyer_, "Name"), "New");
  EXPECT_THAT(NamesOf(0, 1000), testing::ElementsAre("New"));
  writer().WaitForJobs();
  EXPECT_FALSE(writer().HasJobs());
  EXPECT_THAT(NamesOf(1000, sales_), testing::ElementsAre("New"));
  for (int i = 0; i < sales_; ++i) ASSERT_EQ(Get("Sale", Sale(i))->version, 2) << i;
  EXPECT_EQ(CountItems(), items);
}

TEST_F(CopyJobsTest, AsManyAsAreCopiedAtOnceNeedNoJob) {
  for (int i = 100; i < sales_; ++i) ASSERT_TRUE(Remove("Sale", Sale(i)));
  Rename("New");
  EXPECT_FALSE(writer().HasJobs());
  EXPECT_THAT(NamesOf(0, 100), testing::ElementsAre("New"));
}

TEST_F(CopyJobsTest, FrozenCopiesStay) {
  const std::set<int> frozen = {3, 170, 249};
  for (const int i : frozen) PutSale(i, "INVOICED");
  Rename("New");
  writer().WaitForJobs();
  for (int i = 0; i < sales_; ++i) ASSERT_EQ(NameOf(i), frozen.contains(i) ? "Old" : "New") << i;
  EXPECT_EQ(Get("Sale", Sale(170))->version, 1);
  EXPECT_FALSE(IsJobThere(BuyerKey()));
}

TEST_F(ManyCopiesTest, AnotherWriterFinishesWhatOneHasBegun) {
  std::string name;
  // A writer that is quick enough to finish before it goes gets another chance not to.
  for (int round = 0; round < 50; ++round) {
    name = "New " + std::to_string(round);
    Rename(name);
    writer_.reset();
    if (IsJobThere(BuyerKey())) break;
    Reopen();
  }
  ASSERT_TRUE(IsJobThere(BuyerKey()));
  EXPECT_NE(NameOf(sales_ - 1), name);
  Reopen();
  writer().WaitForJobs();
  EXPECT_THAT(NamesOf(0, sales_), testing::ElementsAre(name));
  EXPECT_FALSE(IsJobThere(BuyerKey()));
}

TEST_F(CopyJobsTest, RenamesInARowEndWithTheLastName) {
  for (int i = 0; i < 4; ++i) Rename("New " + std::to_string(i));
  writer().WaitForJobs();
  EXPECT_THAT(NamesOf(0, sales_), testing::ElementsAre("New 3"));
  EXPECT_FALSE(IsJobThere(BuyerKey()));
}

TEST_F(ManyCopiesTest, OtherWritesMeanwhileLoseNothing) {
  std::vector<int> added(sales_, 0);
  std::vector<item::Map> created;
  std::atomic<bool> renamed = false;
  // The sales of one thread are every third one, from the last to the first.
  const auto add = [&](int thread) {
    for (int i = sales_ - 1 - thread; i >= 0; i -= 3) {
      if (i % 10 > 2) continue;
      const auto answer = Patch("Sale", Sale(i), R"({"$add": {"Quantity": 1}})");
      ASSERT_TRUE(answer) << answer.error().message();
      ++added[static_cast<size_t>(i)];
    }
  };
  const auto create = [&] {
    const std::string sale = fmt::format(
        R"({{"BuyerId": "{}", "ProducerId": "PRODUCER001", "PaymentTerms": "CASH",
             "SaleDate": "2026-03-01T00:10:00Z"}})",
        buyer_.Find("BuyerId")->string());
    do {
      const auto answer = Create("Sale", sale);
      ASSERT_TRUE(answer) << answer.error().message();
      created.push_back(answer->changes[0].key);
    } while (!renamed || writer().HasJobs());
  };
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i) threads.emplace_back(add, i);
  threads.emplace_back(create);
  Rename("New");
  renamed = true;
  for (std::thread& thread : threads) thread.join();
  writer().WaitForJobs();
  for (int i = 0; i < sales_; ++i) {
    const auto sale = Get("Sale", Sale(i));
    const int changes = added[static_cast<size_t>(i)];
    ASSERT_EQ(sale->attributes.Find("BuyerName")->string(), "New") << i;
    ASSERT_EQ(*sale->attributes.Find("Quantity"), N(changes)) << i;
    ASSERT_EQ(sale->version, 2 + changes) << i;
  }
  for (const item::Map& key : created) EXPECT_EQ(TextOf("Sale", key, "BuyerName"), "New");
}

// A sale that goes from where the job has yet to come to where it was already.
TEST_F(CopyJobsTest, SalesThatChangeTheirPlaceAreMet) {
  Rename("New");
  for (int i = sales_ - 1; i >= sales_ - 10; --i) {
    const auto moved =
        Patch("Sale", Sale(i), R"({"SaleDate": ")" + DateOf(sales_ - 1 - i) + R"("})");
    ASSERT_TRUE(moved) << moved.error().message();
  }
  writer().WaitForJobs();
  EXPECT_THAT(NamesOf(0, sales_), testing::ElementsAre("New"));
}

TEST_F(CopyJobsTest, OneThatTheRulesRefuseDoesNotStopTheOthers) {
  PutSale(180, "DRAFT", "2020-01-01T00:00:00Z");  // delivered before it was sold
  Rename("New");
  writer().WaitForJobs();
  EXPECT_EQ(NameOf(180), "Old");
  EXPECT_THAT(NamesOf(0, 180), testing::ElementsAre("New"));
  EXPECT_THAT(NamesOf(181, sales_), testing::ElementsAre("New"));
  EXPECT_FALSE(IsJobThere(BuyerKey()));
}

TEST_F(CopyJobsTest, AJobWithoutItsSourceIsDropped) {
  const item::Item gone = **PrimaryKey(EntityOf("Buyer"), Texts({{"BuyerId", "NOBODY"}}));
  PutItem("SalesTable-dev", CopyJobItem({&EntityOf("Buyer"), gone, "", "1"}));
  ASSERT_TRUE(IsJobThere(gone));
  writer_.reset();
  Reopen();
  writer().WaitForJobs();
  EXPECT_FALSE(IsJobThere(gone));
}

// The followers of the earlier change are many, and this change would write the first of them.
TEST_F(CopyJobsTest, ARenameDoesNotWaitForAnEarlierJob) {
  item::Item job = CopyJobItem({&EntityOf("Buyer"), BuyerKey(), "", "1"});
  SetLease({"another server", clock_.now_ms + kLeaseMs}, &job);
  PutItem("SalesTable-dev", job);
  const auto renamed = Patch("Buyer", buyer_, R"({"Name": "New"})");
  ASSERT_TRUE(renamed) << renamed.error().message();
  EXPECT_LT(renamed->write_units, 20);
  writer().WaitForJobs();
  EXPECT_THAT(NamesOf(0, sales_), testing::ElementsAre("New"));
  EXPECT_FALSE(IsJobThere(BuyerKey()));
}

TEST_F(CopyJobsTest, AJobThatStopsIsFreeForOthers) {
  Rename("New");
  writer_.reset();
  const engine::TablePtr table = catalog().Find("SalesTable-dev");
  std::string image;
  const auto found = store().Latest().Get(
      encoding::ItemKey(*table, *CopyJobKey(EntityOf("Buyer"), BuyerKey())), &image);
  ASSERT_TRUE(found);
  if (*found) EXPECT_FALSE(ReadLease(*encoding::DecodeItem(image)));
  Reopen();
  writer().WaitForJobs();
  EXPECT_THAT(NamesOf(0, sales_), testing::ElementsAre("New"));
}

TEST_F(CopyJobsTest, JobsAreItemsOfNoEntity) {
  const item::Item job = CopyJobItem({&EntityOf("Buyer"), BuyerKey(), "me", "1"});
  EXPECT_EQ(job.Find("PK")->string(), "MONOTABLE#JOBS");
  EXPECT_TRUE(job.Find("SK")->string().starts_with("COPIES#Buyer#"));
  const model::TableModel& table = *EntityOf("Buyer").table;
  EXPECT_TRUE(IsInternal(table, job));
  EXPECT_EQ(application().Recognise(table, job), nullptr);
  const auto read = ReadCopyJob(application(), job);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->source, BuyerKey());
  EXPECT_EQ(read->by, "me");
}

TEST_F(CopyJobsTest, FollowersAreFoundInPages) {
  const auto followers = FollowersOf(application(), EntityOf("Buyer"));
  ASSERT_EQ(followers.size(), 1u);
  std::vector<std::string> ids;
  Position after;
  int pages = 0;
  while (true) {
    const auto page = FindFollowers(engine(), store().Latest(), followers[0], buyer_, 63, after);
    ASSERT_TRUE(page) << page.error().message();
    ++pages;
    for (const Found& one : page->items) ids.push_back(Of(one, "SaleId"));
    if (!page->next) break;
    after = *page->next;
  }
  EXPECT_EQ(pages, 4);
  ASSERT_EQ(ids.size(), static_cast<size_t>(sales_));
  for (int i = 0; i < sales_; ++i) {
    ASSERT_EQ(ids[static_cast<size_t>(i)], Sale(i).Find("SaleId")->string());
  }
  const auto none = FindFollowers(engine(), store().Latest(), followers[0], buyer_, 0, {});
  ASSERT_TRUE(none);
  EXPECT_TRUE(none->items.empty());
  EXPECT_TRUE(none->next);
}

}  // namespace
}  // namespace monotable::entities
