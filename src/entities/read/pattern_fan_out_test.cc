#include <algorithm>
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "entities/read/ledger_fixture.h"
#include "model/instant.h"

namespace monotable::entities {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

const std::vector<std::string> kPhases = {"OPEN", "HELD", "DONE"};

class FanOutTest : public LedgerFixture {
 protected:
  static std::string TimeText(int64_t millis) {
    return model::Spell({1'798'761'600'000 + millis}, "isoms");  // from 2027-01-01 on
  }
};

TEST_F(FanOutTest, MergesByTheSortKey) {
  PutEntry(1, {.phase = "HELD", .at = TimeText(3)});
  PutEntry(2, {.phase = "OPEN", .at = TimeText(1)});
  PutEntry(3, {.phase = "DONE", .at = TimeText(2)});
  PutEntry(4, {.phase = "OPEN", .at = TimeText(3)});
  EXPECT_THAT(Numbers("entriesByTime", {}), ElementsAre("2", "3", "1", "4"));
  ListRequest request;
  request.descending = true;
  EXPECT_THAT(Numbers("entriesByTime", request), ElementsAre("4", "1", "3", "2"));
}

TEST_F(FanOutTest, CostsOneQueryForEachValue) {
  const auto list = Reader("entriesByTime").List({}, Caller());
  ASSERT_TRUE(list);
  EXPECT_THAT(list->items, IsEmpty());
  EXPECT_EQ(list->read_units, 1.5);
  EXPECT_EQ(list->plan, "Query GSI1 ×3 merged");
  EXPECT_FALSE(list->next);
}

TEST_F(FanOutTest, CountsEachValue) {
  for (int i = 0; i < 5; ++i) PutEntry(i, {.phase = i < 2 ? "OPEN" : "HELD"});
  const auto list = Reader("countEntries").List({}, Caller());
  ASSERT_TRUE(list);
  EXPECT_EQ(list->count, 5);
  EXPECT_THAT(list->items, IsEmpty());
  EXPECT_THAT(list->counts,
              ElementsAre(std::pair("OPEN", 2), std::pair("HELD", 3), std::pair("DONE", 0)));
}

TEST_F(FanOutTest, AnItemThatMovesAfterItWasReturnedIsNotReturnedAgain) {
  for (int i = 0; i < 6; ++i) PutEntry(i, {.phase = "OPEN", .at = TimeText(i)});
  ListRequest request;
  request.limit = 3;
  auto page = Reader("entriesByTime").List(request, Caller());
  ASSERT_TRUE(page);
  EXPECT_THAT(Of(page->items, "Number"), ElementsAre("0", "1", "2"));
  PutEntry(1, {.phase = "HELD", .at = TimeText(1)});
  PutEntry(4, {.phase = "DONE", .at = TimeText(4)});
  request.after = page->next;
  page = Reader("entriesByTime").List(request, Caller());
  ASSERT_TRUE(page);
  EXPECT_THAT(Of(page->items, "Number"), ElementsAre("3", "4", "5"));
  EXPECT_FALSE(page->next);
}

// In a local index entries of different partitions can have equal places.
TEST_F(FanOutTest, EqualPlacesOfALocalIndex) {
  std::vector<std::string> all;
  for (int i = 0; i < 40; ++i) {
    const std::string id = "slot-" + std::to_string(i);
    all.push_back(id);
    PutRecord("Slot", Texts({{"SlotId", id}, {"Period", i % 2 == 0 ? "2027-01" : "2027-02"}}));
    // The same sort keys once more, in the partition next to it.
    auto item = ItemOf(EntityOf("Slot"), {Texts({{"SlotId", id}, {"Period", "2027-01"}}), {}, 1});
    ASSERT_TRUE(item);
    const char shard = item->Find("PK")->string().back();
    item->Set("PK", S(std::string("SLOT#") + static_cast<char>('0' + (shard - '0' + 1) % 3)));
    PutItem("ledger", *item);
    all.push_back(id);
  }
  std::ranges::sort(all);
  for (const bool descending : {false, true}) {
    for (const int64_t limit : {1, 3, 7}) {
      ListRequest request;
      request.limit = limit;
      request.descending = descending;
      std::vector<std::string> returned;
      do {
        auto page = Reader("slotsByMonth").List(request, Caller());
        ASSERT_TRUE(page) << page.error().message();
        for (std::string& id : Of(page->items, "SlotId")) returned.push_back(std::move(id));
        request.after = std::move(page->next);
      } while (request.after);
      std::ranges::sort(returned);
      EXPECT_EQ(returned, all) << limit << (descending ? " descending" : "");
    }
  }
}

// The pages of a fan-out, put together, are the sorted truth, whatever their sizes and whatever is
// written in between to items that were not returned yet or sort before them.
TEST_F(FanOutTest, PagesAreTheWholeListInOrder) {
  const auto seed = std::random_device()();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  const auto below = [&](int64_t end) {
    return std::uniform_int_distribution<int64_t>(0, end - 1)(random);
  };
  for (const bool descending : {false, true}) {
    for (int round = 0; round < 10; ++round) {
      struct Truth {
        std::string at;
        int64_t number;
        auto operator<=>(const Truth&) const = default;
      };
      std::vector<Truth> truth;
      const std::string account = "R" + std::to_string(round) + (descending ? "d" : "a");
      const auto put = [&](const Truth& entry) {
        PutEntry(
            entry.number,
            {.account = account, .phase = kPhases[static_cast<size_t>(below(3))], .at = entry.at});
      };
      for (int64_t n = below(60); n > 0; --n) {
        // Few moments, so that many entries have the same one.
        truth.push_back({TimeText(round * 1000 + 100 + below(8)), n});
        put(truth.back());
      }
      std::ranges::sort(truth);
      if (descending) std::ranges::reverse(truth);

      const PatternReader reader = Reader("entriesByTime");
      ListRequest request;
      request.descending = descending;
      request.parameters =
          Texts({{"from", TimeText(round * 1000 + 100)}, {"to", TimeText(round * 1000 + 108)}});
      std::vector<Truth> returned;
      do {
        request.limit = 1 + below(9);
        auto page = reader.List(request, Caller());
        ASSERT_TRUE(page) << page.error().message();
        for (const Found& found : page->items) {
          if (Of(found, "AccountId") == account) {
            returned.push_back({Of(found, "At"), std::stoll(Of(found, "Number"))});
          }
        }
        EXPECT_EQ(page->items.size() == static_cast<size_t>(*request.limit) || !page->next, true);
        request.after = std::move(page->next);
        // Some that were not returned change their phase.
        for (size_t i = returned.size(); i < truth.size(); ++i) {
          if (below(4) == 0) put(truth[i]);
        }
      } while (request.after);
      EXPECT_EQ(returned, truth);
      for (const Truth& entry : truth) {
        item::Item key = Texts({{"PK", "ACCOUNT#" + account}});
        std::string number = std::to_string(entry.number);
        key.Set("SK", S("ENTRY#" + std::string(5 - number.size(), '0') + number));
        DeleteItem("ledger", key);
      }
    }
  }
}

}  // namespace
}  // namespace monotable::entities
